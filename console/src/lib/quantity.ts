// Parses quantities: `1.2GB/s`, `400 MiB`, `5G`. The command line accepts the same forms.

const UNITS: Record<string, number> = {
  pib: 2 ** 50,
  tib: 2 ** 40,
  gib: 2 ** 30,
  mib: 2 ** 20,
  kib: 2 ** 10,
  p: 2 ** 50,
  t: 2 ** 40,
  g: 2 ** 30,
  m: 2 ** 20,
  k: 2 ** 10,
  pb: 1e15,
  tb: 1e12,
  gb: 1e9,
  mb: 1e6,
  kb: 1e3,
  b: 1,
}

/** Returns bytes, or null if the text is not a size. The unit is required. */
export function parseBytes(text: string): number | null {
  const found = /^\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([A-Za-z]+)\s*$/.exec(text)
  const unit = UNITS[found?.[2]?.toLowerCase() ?? '']
  const amount = Number(found?.[1]) * (unit ?? Number.NaN)
  return Number.isFinite(amount) ? amount : null
}

/** Returns bytes per second. The `/s` is optional. */
export const parseRate = (text: string) => parseBytes(text.trim().replace(/\/s$/, ''))

/** Returns whole bytes for an optional field: null if it is empty, undefined if it cannot be parsed. */
export function optionalBytes(text: string): number | null | undefined {
  if (text.trim() === '') return null
  const plain = /^\s*[0-9]+\s*$/.test(text) ? Number(text) : parseRate(text)
  return plain == null ? undefined : Math.round(plain)
}

/** Formats bytes for a field, without rounding: `512 GiB`, or the plain number. */
export function writeBytes(bytes: number | null | undefined): string {
  if (bytes == null) return ''
  for (const [name, size] of [['TiB', 2 ** 40], ['GiB', 2 ** 30], ['MiB', 2 ** 20], ['TB', 1e12], ['GB', 1e9], ['MB', 1e6], ['KiB', 2 ** 10]] as const) {
    if (bytes >= size && Number.isInteger((bytes / size) * 100)) return `${bytes / size} ${name}`
  }
  return `${bytes} B`
}

/** Returns the seconds of a time such as `7d`, `36h` or `30 days`, or null if the text is not a time. */
export function parseTime(text: string): number | null {
  const units: Record<string, number> = { s: 1, m: 60, min: 60, h: 3600, d: 86_400, day: 86_400, days: 86_400, w: 604_800, week: 604_800, weeks: 604_800, hours: 3600, hour: 3600 }
  const found = /^\s*([0-9]+)\s*([a-z]+)\s*$/.exec(text)
  const unit = units[found?.[2] ?? '']
  const seconds = Number(found?.[1]) * (unit ?? Number.NaN)
  return seconds > 0 && Number.isFinite(seconds) ? seconds : null
}
