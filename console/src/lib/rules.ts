// Checks form values as the API does, before a form is sent. Each function returns what is wrong, or null.
import { isPrintable } from './printable'
import { optionalBytes } from './quantity'

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/
const PATH = /^(\/[^/]+)+$/
const LIMIT_MIN = 1_000_000

export function name(text: string): string | null {
  return NAME.test(text) ? null : 'Letters, digits, “_”, “.” and “-”; at most 64 characters; must not begin with “.” or “-”.'
}

/** The names that S3 allows, except those that AWS or the daemon reserves. */
export function bucketName(text: string): string | null {
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(text)) return '3 to 63 lower-case letters, digits, “-” and “.”; must begin and end with a letter or a digit.'
  if (/\.\.|\.-|-\./.test(text)) return 'Must not contain “..”, “.-” or “-.”.'
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return 'Must not look like an IP address.'
  const isReserved = /^(forebay--|xn--|sthree-|amzn-s3-demo-)|(-s3alias|--ol-s3|\.mrap|--x-s3|--table-s3)$/.test(text)
  return isReserved ? 'Names that begin with “forebay--”, “xn--”, “sthree-” or “amzn-s3-demo-”, or end with a suffix that AWS reserves, cannot be used.' : null
}

export function path(text: string, optional = false): string | null {
  if (optional && text === '') return null
  if (text.length > 1023) return 'At most 1023 characters.'
  if (!isPrintable(text)) return 'Must not contain control characters or characters that change the direction of text.'
  return PATH.test(text) ? null : 'Must begin with “/” and not end with it, for example, /kafka.'
}

export function description(text: string): string | null {
  if (text.length > 200) return 'At most 200 characters.'
  return isPrintable(text) ? null : 'Must not contain control characters or characters that change the direction of text.'
}

export function mode(text: string): string | null {
  return /^[0-7]{3,4}$/.test(text) ? null : 'Enter permission bits in octal, for example, 0755.'
}

export function size(text: string): string | null {
  const bytes = optionalBytes(text)
  if (bytes === undefined) return 'Enter a size such as 500 GiB or 1.5 TiB. Leave empty for no limit.'
  return bytes === null || bytes > 0 ? null : 'Must be more than 0. Leave empty for no limit.'
}

export function limit(text: string): string | null {
  const bytes = optionalBytes(text)
  if (bytes === undefined) return 'Enter a rate such as 200 MiB/s. Leave empty for no limit.'
  return bytes === null || bytes >= LIMIT_MIN ? null : 'Must be at least 1 MB/s. Leave empty for no limit.'
}

export function whole(text: string | number, max = 4_294_967_295): string | null {
  const number = Number(text)
  return String(text).trim() !== '' && Number.isInteger(number) && number >= 0 && number <= max ? null : `Enter a whole number from 0 to ${max}.`
}
