// Events: their kinds in words, and as a file for spreadsheets.
import type { Event } from '../api/types'

/** The word of a kind for people: `volume_created` is `Volume created`. */
export function inWords(kind: string): string {
  const words = kind.replaceAll('_', ' ').replace(/\bs3\b/, 'S3')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A file for spreadsheets (RFC 4180). A cell that a spreadsheet would take for a formula begins with an apostrophe. */
export function asCsv(events: Event[]): string {
  const cell = (text: string) => {
    const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
    return /[",;\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
  }
  const rows = events.map((one) => [one.time, one.severity, one.kind, one.object, one.message, one.user ?? '', one.address ?? ''])
  return [['time', 'severity', 'kind', 'object', 'message', 'user', 'address'], ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}
