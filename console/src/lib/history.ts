// The daemon's history, in the form that graphs need.
import type { History } from '../api/types'

export interface Line {
  name: string
  label: string
  values: (number | null)[]
}

/** A start of the daemon. */
export interface Restart {
  /** In seconds since 1970. */
  at: number
  /** Whether the stop before it was clean; null if that is not known. */
  clean: boolean | null
}

export interface Recorded {
  /** The end of each point's period, in seconds since 1970. */
  times: number[]
  lines: Line[]
  restarts: Restart[]
}

export type Which = 'mean' | 'max'

/** The series with these names, in this order. An unknown series has no values. */
export function recorded(history: History | undefined, wanted: [name: string, label: string][], which: Which = 'mean'): Recorded {
  if (!history) return { times: [], restarts: [], lines: wanted.map(([name, label]) => ({ name, label, values: [] })) }
  const count = Math.max(0, Math.round((history.to - history.from) / history.step))
  const times = Array.from({ length: count }, (_, point) => history.from + (point + 1) * history.step)
  const lines = wanted.map(([name, label]) => {
    const series = history.series.find((one) => one.name === name)
    const values: (number | null)[] = series?.[which] ?? []
    return { name, label, values: times.map((_, point) => values[point] ?? null) }
  })
  const restarts = history.restarts.map((one) => ({ at: one.at, clean: one.clean ?? null }))
  return { times, lines, restarts }
}

/** The latest value, unless it is older than a few points: then it is not current. */
export function latest(values: (number | null)[], reach = 3): number | null {
  for (const value of values.slice(-reach).reverse()) if (value !== null) return value
  return null
}

/** Restarts in words, for a graph's note. */
export function restartsInWords(restarts: Restart[], time: (at: number) => string): string {
  const word = (one: Restart) => `${time(one.at)}${one.clean === false ? ' (the stop before was not clean)' : ''}`
  const last = restarts.slice(-3)
  const more = restarts.length > last.length ? `, and ${restarts.length - last.length} before` : ''
  return last.length === 0 ? '' : `Daemon started ${last.map(word).join(', ')}${more}`
}

export function highest(values: (number | null)[]): number | null {
  return values.reduce((most, value) => (value !== null && (most === null || value > most) ? value : most), null)
}

export const RANGES = [
  { name: '15 m', seconds: 900 },
  { name: '1 h', seconds: 3600 },
  { name: '6 h', seconds: 21_600 },
  { name: '24 h', seconds: 86_400 },
  { name: '7 d', seconds: 604_800 },
  { name: '30 d', seconds: 2_592_000 },
] as const

/** The request path for series over a time range. */
export function query(series: string[], from: number, to: number | null, points = 400): string {
  const seconds = Math.max(5, (to ?? Math.floor(Date.now() / 1000)) - from)
  const end = to === null ? '' : `&to=${Math.floor(to)}`
  return `/metrics/history?series=${encodeURIComponent(series.join(','))}&from=${Math.floor(from)}${end}&step=${Math.max(1, Math.ceil(seconds / points))}`
}

/** The mean of a series over all times that were measured; null if there were none. */
export function average(history: History, name: string): number | null {
  const values = (history.series.find((one) => one.name === name)?.mean ?? []).filter((value): value is number => value != null)
  return values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : null
}
