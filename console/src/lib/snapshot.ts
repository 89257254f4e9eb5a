// Times of snapshots, between the API and fields of forms.

/** A time of the API in the form that an input of type `datetime-local` has. */
export function toLocal(time: string | null | undefined): string {
  if (!time) return ''
  const at = new Date(time)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`
}

/** The other way round; null for an empty field. */
export function fromLocal(text: string): string | null {
  const at = new Date(text)
  return text === '' || Number.isNaN(at.getTime()) ? null : at.toISOString().replace(/\.\d+Z$/, 'Z')
}

/** A number of days from now, as the API writes times. */
export const daysFromNow = (days: number, now = Date.now()) => new Date(now + days * 86_400_000).toISOString().replace(/\.\d+Z$/, 'Z')
