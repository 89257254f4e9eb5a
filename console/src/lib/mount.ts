/** What to type on a client, as root, to mount a volume. The NFS server is taken to be where the console is. */
export function mountCommand(path: string, host = location.hostname): string {
  return `mount -t nfs -o vers=4.2,hard,nconnect=4 ${host}:${path} /mnt`
}
