// Snapshots: their names and origins, and their times between the API and fields of forms.
import type { Snapshot } from '../api/types'

/** The name that a snapshot gets unless the user gives another. */
export const manualName = (now = new Date()) => `manual-${now.toISOString().slice(0, 19).replaceAll(':', '')}`

/** How the snapshot came about. The daemon names those that it takes for clones `clone-NAME`. */
export const origin = (one: Snapshot) => (one.period ? `Schedule (${one.period})` : one.for_clone || one.name.startsWith('clone-') ? 'Clone' : 'Manual')

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
