// What values the API takes, so that a form can say so before it is sent. Each returns what is wrong, or null.
import { isPrintable } from './printable'
import { optionalBytes } from './quantity'

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/
const PATH = /^(\/[^/]+)+$/
const LIMIT_MIN = 1_000_000

export function name(text: string): string | null {
  return NAME.test(text) ? null : 'Letters, digits, “_”, “.” and “-”, at most 64, not beginning with “.” or “-”.'
}

export function path(text: string, optional = false): string | null {
  if (optional && text === '') return null
  if (text.length > 1023) return 'At most 1023 characters.'
  if (!isPrintable(text)) return 'No control characters, and none that change the direction of text.'
  return PATH.test(text) ? null : 'Begins with “/” and does not end with it, such as /kafka.'
}

export function description(text: string): string | null {
  if (text.length > 200) return 'At most 200 characters.'
  return isPrintable(text) ? null : 'No control characters, and none that change the direction of text.'
}

export function mode(text: string): string | null {
  return /^[0-7]{3,4}$/.test(text) ? null : 'Permission bits in octal, such as 0755.'
}

export function size(text: string): string | null {
  const bytes = optionalBytes(text)
  if (bytes === undefined) return 'Such as 500 GiB or 1.5 TiB; empty for no limit.'
  return bytes === null || bytes > 0 ? null : 'More than nothing; empty for no limit.'
}

export function limit(text: string): string | null {
  const bytes = optionalBytes(text)
  if (bytes === undefined) return 'Such as 200 MiB/s; empty for no limit.'
  return bytes === null || bytes >= LIMIT_MIN ? null : 'At least 1 MB/s; empty for no limit.'
}

export function whole(text: string | number, max = 4_294_967_295): string | null {
  const number = Number(text)
  return String(text).trim() !== '' && Number.isInteger(number) && number >= 0 && number <= max ? null : `A whole number from 0 to ${max}.`
}
