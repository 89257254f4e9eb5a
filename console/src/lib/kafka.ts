// Words and values for the page about Kafka. Pure, so that they can be tested.
import type { KafkaBroker, KafkaLeftover, KafkaReport, KafkaTopic } from '../api/types'
import { span } from './format'

/** A replica that shares less than this is unusual. */
export const SHARED_USUAL = 0.8

/** What is unusual about a topic. */
export function markOf(topic: Pick<KafkaTopic, 'replicas' | 'is_compacted'>): { text: string; look: string } | null {
  const count = (state: string) => topic.replicas[state] ?? 0
  if (count('live') === 0 && count('deleted') > 0) return { text: 'being deleted', look: 'warn' }
  if (count('stray') > 0) return { text: 'stray', look: 'warn' }
  if (topic.is_compacted) return { text: 'compacted', look: '' }
  return null
}

const STATES: Record<KafkaBroker['state'], { name: string; look: string; title: string }> = {
  up: { name: 'up', look: 'good', title: 'A client holds .lock in the log directory' },
  silent: { name: 'silent', look: 'warn', title: 'The client that holds .lock has sent nothing for a minute or longer' },
  gone: { name: 'gone', look: 'bad', title: 'Nobody holds .lock any more' },
  never: { name: 'not seen', look: '', title: 'Nobody has held .lock since the daemon started' },
}

/** A broker's state in words: `up 9 d`, `silent for 4 min`. */
export function stateOf(broker: Pick<KafkaBroker, 'state' | 'since' | 'silent_ms' | 'stopped_cleanly'>, now = Date.now()): { text: string; look: string; title: string } {
  const { name, look, title } = STATES[broker.state]
  if (broker.state === 'silent' && broker.silent_ms != null) return { text: `silent for ${span(broker.silent_ms / 1000)}`, look, title }
  const since = broker.since ? span((now - new Date(broker.since).getTime()) / 1000) : ''
  if (broker.state === 'gone' && broker.stopped_cleanly) return { text: `stopped ${since}`, look: '', title: 'The broker stopped in order' }
  return { text: `${name} ${since}`.trim(), look, title }
}

export const KINDS: Record<KafkaLeftover['kind'], { name: string; text: string }> = {
  deleted: { name: 'deleted', text: 'A broker renamed it to delete it, and did not' },
  stray: { name: 'stray', text: 'The cluster’s metadata did not have it when the broker started' },
  abandoned: { name: 'abandoned', text: 'No broker has locked or changed the log directory for days' },
}

/** How old the figures are, and how exact. */
export function ageOf(report: KafkaReport): string {
  const exact = report.sampled_one_in === 1 ? 'exact' : `from up to 1 chunk in ${report.sampled_one_in}`
  return `as of ${span(report.age_ms / 1000)} ago, ${exact}`
}

/** A file for spreadsheets (RFC 4180). A cell that a spreadsheet would take for a formula becomes text. */
export function csvOf(rows: (string | number | null | undefined)[][]): string {
  const cell = (value: string | number | null | undefined) => {
    const text = value == null ? '' : String(value)
    const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
    return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
  }
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}
