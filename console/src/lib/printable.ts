// Names come from clients and from files. A browser executes nothing in them, but invisible characters can still make one name look like another.

/** Invisible characters that change the text around them. `crates/pool/src/base/names.rs` has the same list. */
const HIDDEN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]/u
const EVERY_HIDDEN = new RegExp(HIDDEN.source, 'gu')

export const isPrintable = (text: string) => !HIDDEN.test(text)

/** Escapes invisible characters, as `forebay` prints them: `\u{202e}`. */
export function escaped(text: string): string {
  return text.replace(EVERY_HIDDEN, (hidden) => `\\u{${(hidden.codePointAt(0) ?? 0).toString(16)}}`)
}

/** Formats JSON for a text area. Invisible characters become escapes of JSON, which have the same meaning. */
export function readable(json: string): string {
  const text = JSON.stringify(JSON.parse(json), null, 2)
  return text.replace(EVERY_HIDDEN, (hidden) => (hidden === '\n' ? hidden : `\\u${(hidden.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`))
}

/** Parses an answer of the daemon and escapes invisible characters in its strings. Names of objects contain none, so they can be used in requests. */
export const parse = (json: string): unknown =>
  JSON.parse(json, (_, value: unknown) => (typeof value === 'string' && !isPrintable(value) ? escaped(value) : value))
