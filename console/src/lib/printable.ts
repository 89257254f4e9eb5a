// Names come from clients and from files. A browser runs nothing in them, but characters that nobody sees can still make a line read as another.

/** What shows nothing itself and changes what is around it; `crates/pool/src/base/names.rs` has the same. */
const HIDDEN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]/u
const EVERY_HIDDEN = new RegExp(HIDDEN.source, 'gu')

export const isPrintable = (text: string) => !HIDDEN.test(text)

/** Text with what would be hidden written out, as `forebay` prints it: `\u{202e}`. */
export function escaped(text: string): string {
  return text.replace(EVERY_HIDDEN, (hidden) => `\\u{${(hidden.codePointAt(0) ?? 0).toString(16)}}`)
}

/** What the daemon answered, with all text in it fit to be shown. What is named in a request must not come from such text: names of things have none. */
export const parse = (json: string): unknown =>
  JSON.parse(json, (_, value: unknown) => (typeof value === 'string' && !isPrintable(value) ? escaped(value) : value))
