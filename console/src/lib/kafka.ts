// Words and values for the page about Kafka. Pure, so that they can be tested.
import type { KafkaBroker, KafkaChange, KafkaLeftover, KafkaReport, KafkaTopic } from '../api/types'
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

/** The fields of the form for a change, as they were typed. */
export interface ChangeFields { kind: KafkaChange['kind']; topic: string; days: string; replicas: string; volume: string; snapshot: string }

/** The change that the fields describe, and what is wrong with each field that the kind needs. */
export function changeOf(fields: ChangeFields): { change: KafkaChange; problems: Partial<Record<keyof ChangeFields, string>> } {
  const { kind } = fields
  const topic = fields.topic.trim()
  const [volume, snapshot] = [fields.volume.trim(), fields.snapshot.trim()]
  const [days, replicas] = [Number(fields.days), Number(fields.replicas)]
  const problems: Partial<Record<keyof ChangeFields, string>> = {}
  if (kind === 'snapshot') {
    if (volume === '') problems.volume = 'Which volume?'
    if (snapshot === '') problems.snapshot = 'Which snapshot?'
    return { change: { kind, volume, snapshot }, problems }
  }
  if (topic === '') problems.topic = 'Which topic?'
  if (kind === 'retain') {
    if (fields.days.trim() === '' || !(days >= 0)) problems.days = 'A number of days, such as 3 or 0.5.'
    return { change: { kind, topic, seconds: Math.round(days * 86_400) }, problems }
  }
  if (kind === 'factor') {
    if (!(Number.isInteger(replicas) && replicas >= 1)) problems.replicas = 'A whole number from 1.'
    return { change: { kind, topic, replicas }, problems }
  }
  return { change: { kind, topic }, problems }
}

/** A change in words. */
export function wordsOf(change: KafkaChange): string {
  if (change.kind === 'snapshot') return `Delete snapshot ${change.volume ?? ''}@${change.snapshot ?? ''}`
  const days = Number(((change.seconds ?? 0) / 86_400).toFixed(2))
  if (change.kind === 'retain') return `Keep ${change.topic ?? ''} for ${days} ${days === 1 ? 'day' : 'days'}`
  if (change.kind === 'factor') return `Keep ${change.replicas ?? 0} ${change.replicas === 1 ? 'replica' : 'replicas'} of ${change.topic ?? ''}`
  return `Delete ${change.topic ?? ''}`
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
