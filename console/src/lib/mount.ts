// The command that mounts a volume on a client, as root. The daemon prints the same command when it is ready, and so does `forebay volume show`.
import type { Nfs } from '../api/types'

/** Names of the local machine, which are of no use on another machine. */
const isHere = (host: string) => host === 'localhost' || host.endsWith('.localhost') || host.startsWith('127.') || host === '[::1]'

/** `reached` is the host name by which the browser reached the daemon. */
export function mountCommand(nfs: Nfs, path: string, reached: string): string {
  return `mount -t nfs -o ${nfs.options} ${quoted(sourceOf(nfs, path, reached))} /mnt`
}

/** What is mounted, as the first field of a line in /etc/fstab: `HOST:PATH`. */
export function sourceOf(nfs: Nfs, path: string, reached: string): string {
  const host = nfs.every_address && reached !== '' && !isHere(reached) ? reached : nfs.host
  return `${host}:${path}`
}

/** Quotes text for a shell. */
const quoted = (word: string) => (/^[\p{L}\p{N}\-_.:/[\]@+,%]*$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)
