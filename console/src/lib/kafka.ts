// Words and values for the page about Kafka. Pure, so that they can be tested.
import type { KafkaBroker, KafkaChange, KafkaDay, KafkaLeftover, KafkaOlder, KafkaReport, KafkaSnapshotReplica, KafkaTopic } from '../api/types'
import { NONE, bytes, span } from './format'
import type { Recorded } from './history'
import { pathOf } from './routes'

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

/** The link to a section about a cluster. */
export function linkToCluster(cluster: string, section: string, more: Record<string, string> = {}): string {
  return `${pathOf('kafka')}?${new URLSearchParams({ show: section, cluster, ...more }).toString()}`
}

/** The link to the page of a topic. */
export const linkToTopic = (cluster: string, topic: string) => linkToCluster(cluster, 'topic', { topic })

/** Growth in words: `1.50 GiB a day`, `−20 MiB a day`. */
export const growthOf = (value: number | null | undefined) => (value == null ? NONE : `${value < 0 ? '−' : ''}${bytes(Math.abs(value))} a day`)

/** The age of the oldest record against that of other replicas, in words. */
export const ageAgainstPeers = (ratio: number) => (ratio < 1.05 ? 'the same on all replicas' : `${ratio.toFixed(1)} times that of other replicas`)

/** A replica that keeps records too long, in words. */
export function olderOf(older: KafkaOlder, now = Date.now()): string {
  const age = (time: string) => span((now - new Date(time).getTime()) / 1000)
  return `partition ${older.partition} on broker ${older.node ?? NONE} has records of ${age(older.oldest)}, others of ${age(older.oldest_of_peers)}`
}

const DAY_SECONDS = 86_400

/** The days of a topic as a graph. Days without the daemon are gaps. */
export function recordedDays(days: KafkaDay[]): Recorded {
  const dayOf = (one: KafkaDay) => Math.round(Date.parse(`${one.date}T00:00:00Z`) / 1000 / DAY_SECONDS)
  const known = new Map(days.map((one) => [dayOf(one), one]))
  const [first, last] = [Math.min(...known.keys()), Math.max(...known.keys())]
  const numbers = days.length === 0 ? [] : Array.from({ length: last - first + 1 }, (_, index) => first + index)
  const line = (name: string, label: string, of: (one: KafkaDay) => number) => ({
    name,
    label,
    values: numbers.map((day) => {
      const one = known.get(day)
      return one === undefined ? null : of(one)
    }),
  })
  return {
    // Noon in UTC is on the same day nearly everywhere.
    times: numbers.map((day) => day * DAY_SECONDS + DAY_SECONDS / 2),
    lines: [
      line('files', 'in files', (one) => one.bytes_in_files),
      line('stored', 'stored', (one) => one.bytes_stored),
      line('exclusive', 'deleting returns', (one) => one.bytes_exclusive),
    ],
    restarts: [],
  }
}

/** The offsets that a replica has. Without a checkpoint, only the beginning of its last segment is known. */
export function offsetsOf(one: Pick<KafkaSnapshotReplica, 'offset_start' | 'offset_last_segment' | 'last_segment_bytes' | 'high_watermark'>): string {
  const mark = one.high_watermark != null && one.high_watermark >= one.offset_last_segment ? one.high_watermark : null
  const end = mark ?? (one.last_segment_bytes === 0 ? one.offset_last_segment : `${one.offset_last_segment}+`)
  return `${one.offset_start} – ${end}`
}

/** The commands that copy one replica of each partition, one that was in use if there is any. */
export function copiesOf(replicas: Pick<KafkaSnapshotReplica, 'cluster' | 'partition' | 'state' | 'copy_command'>[]): string[] {
  const best = new Map<string, (typeof replicas)[number]>()
  for (const one of replicas) {
    const key = `${one.cluster} ${one.partition}`
    const known = best.get(key)
    if (!known || (known.state !== 'live' && one.state === 'live')) best.set(key, one)
  }
  return [...best.values()].map((one) => one.copy_command)
}
