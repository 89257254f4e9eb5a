// What to type on a client, as root, to mount a volume. The daemon says it in the same way when it is ready, and so does `forebay volume show`.
import type { Nfs } from '../api/types'

/** Names of the machine on which the browser runs: of no use on another. */
const isHere = (host: string) => host === 'localhost' || host.endsWith('.localhost') || host.startsWith('127.') || host === '[::1]'

/** `reached` is the host that the browser has reached the daemon at. */
export function mountCommand(nfs: Nfs, path: string, reached: string): string {
  const host = nfs.every_address && reached !== '' && !isHere(reached) ? reached : nfs.host
  return `mount -t nfs -o ${nfs.options} ${quoted(`${host}:${path}`)} /mnt`
}

/** As a shell takes it for one word. */
const quoted = (word: string) => (/^[\p{L}\p{N}\-_.:/[\]@+,%]*$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)
