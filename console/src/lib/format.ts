// Formats numbers and times for people: three digits, binary units, local time.

const BINARY = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB']
const DECIMAL = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB']
const LARGE = ['', 'k', 'M', 'G', 'T']

/** Shown where there is no value. */
export const NONE = '–'

function digits(value: number): string {
  const size = Math.abs(value)
  if (size >= 99.95) return value.toFixed(0)
  return value.toFixed(size >= 9.995 ? 1 : 2)
}

function scaled(value: number, step: number, units: string[]): string {
  let unit = 0
  while (Math.abs(value) >= 999.5 && unit < units.length - 1) {
    value /= step
    unit += 1
  }
  // Whole numbers have no fraction.
  const text = unit === 0 && Number.isInteger(value) ? String(value) : digits(value)
  return units[unit] ? `${text} ${units[unit]}` : text
}

/** Bytes in binary units: `1.50 GiB`. */
export const bytes = (value: number | null | undefined) => (value == null ? NONE : scaled(value, 1024, BINARY))

/** Bytes in decimal units, as disks are sold: `1.61 GB`. */
export const bytesDecimal = (value: number) => scaled(value, 1000, DECIMAL)

/** Bytes per second: `1.50 MiB/s`. */
export const rate = (value: number | null | undefined) => (value == null ? NONE : `${bytes(value)}/s`)

/** A count: `12`, `12.3 k`. */
export const count = (value: number | null | undefined) => (value == null ? NONE : scaled(value, 1000, LARGE))

/** Seconds with the unit that fits: `350 µs`, `1.20 ms`. */
export function duration(seconds: number | null | undefined): string {
  if (seconds == null) return NONE
  if (seconds === 0) return '0 s'
  if (seconds < 0.9995e-6) return `${digits(seconds * 1e9)} ns`
  if (seconds < 0.9995e-3) return `${digits(seconds * 1e6)} µs`
  if (seconds < 0.9995) return `${digits(seconds * 1e3)} ms`
  return `${digits(seconds)} s`
}

/** An age or a duration, with one unit: `3 min`, `2 d`. */
export function span(seconds: number): string {
  if (seconds < 60) return `${Math.max(0, Math.floor(seconds))} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}

/** A ratio: `2.79 : 1`. */
export const ratio = (value: number) => (Number.isFinite(value) ? `${digits(value)} : 1` : NONE)

/** A part of a whole: `12.3 %`. */
export const percent = (share: number) => (Number.isFinite(share) ? `${(share * 100).toFixed(share < 0.0995 ? 1 : 0)} %` : NONE)

/** A time of the API in local time, shorter for today. */
export function time(text: string, now = new Date()): string {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) return text
  const clock = at.toLocaleTimeString(undefined, { hour12: false })
  return at.toDateString() === now.toDateString() ? clock : `${at.toLocaleDateString()} ${clock}`
}

/** The order of names that people expect: `b2` before `b10`. */
export const natural = (one: string, other: string) => one.localeCompare(other, undefined, { numeric: true })

/** A count with its noun: `1 volume`, `2 volumes`. */
export const several = (number: number, name: string) => `${count(number)} ${name}${number === 1 ? '' : 's'}`
