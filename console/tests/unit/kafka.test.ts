import { equal, deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { ageAgainstPeers, ageOf, changeOf, copiesOf, csvOf, growthOf, linkToTopic, markOf, offsetsOf, olderOf, recordedDays, stateOf, wordsOf } from '../../src/lib/kafka'

test('a topic says what is unusual about it', () => {
  equal(markOf({ replicas: { live: 3 }, is_compacted: false }), null)
  equal(markOf({ replicas: { deleted: 3 }, is_compacted: false })?.text, 'being deleted')
  equal(markOf({ replicas: { live: 3, stray: 1 }, is_compacted: true })?.text, 'stray')
  equal(markOf({ replicas: { live: 3 }, is_compacted: true })?.text, 'compacted')
})

test('a broker says whether it runs, and since when', () => {
  const now = Date.UTC(2026, 0, 10)
  const since = new Date(Date.UTC(2026, 0, 1)).toISOString()
  const of = (state: 'up' | 'silent' | 'gone' | 'never', more = {}) => stateOf({ state, since, silent_ms: null, stopped_cleanly: false, ...more }, now)
  deepEqual([of('up').text, of('up').look], ['up 9 d', 'good'])
  equal(of('silent', { silent_ms: 240_000 }).text, 'silent for 4 min')
  deepEqual([of('gone').text, of('gone').look], ['gone 9 d', 'bad'])
  deepEqual([of('gone', { stopped_cleanly: true }).text, of('gone', { stopped_cleanly: true }).look], ['stopped 9 d', ''])
  equal(of('never', { since: null }).text, 'not seen')
})

test('a change has what its kind needs, and says what is missing', () => {
  const fields = { kind: 'delete', topic: ' old-* ', days: '0.5', replicas: '2', volume: '', snapshot: '' } as const
  deepEqual(changeOf(fields), { change: { kind: 'delete', topic: 'old-*' }, problems: {} })
  deepEqual(changeOf({ ...fields, kind: 'retain' }).change, { kind: 'retain', topic: 'old-*', seconds: 43_200 })
  deepEqual(changeOf({ ...fields, kind: 'factor' }).change, { kind: 'factor', topic: 'old-*', replicas: 2 })
  const wrong = (more: object) => Object.keys(changeOf({ ...fields, ...more }).problems)
  deepEqual(wrong({ topic: ' ' }), ['topic'])
  deepEqual(wrong({ kind: 'retain', days: 'soon' }), ['days'])
  deepEqual(wrong({ kind: 'retain', days: '' }), ['days'])
  deepEqual(wrong({ kind: 'factor', replicas: '0' }), ['replicas'])
  deepEqual(wrong({ kind: 'factor', replicas: '1.5' }), ['replicas'])
  deepEqual(wrong({ kind: 'snapshot', topic: '' }), ['volume', 'snapshot'])
})

test('a change is described in words', () => {
  equal(wordsOf({ kind: 'delete', topic: 'a*' }), 'Delete a*')
  equal(wordsOf({ kind: 'retain', topic: 'a', seconds: 259_200 }), 'Keep a for 3 days')
  equal(wordsOf({ kind: 'factor', topic: 'a', replicas: 1 }), 'Keep 1 replica of a')
  equal(wordsOf({ kind: 'snapshot', volume: 'kafka', snapshot: 'nightly' }), 'Delete snapshot kafka@nightly')
})

test('a spreadsheet gets text where it would see a formula', () => {
  equal(csvOf([['topic', 'bytes'], ['a,b', 3], ['-1+1', null], ['say "x"', -4]]), 'topic,bytes\r\n"a,b",3\r\n\'-1+1,\r\n"say ""x""",-4\r\n')
})

test('the age of the figures says whether they are exact', () => {
  const report = { taken: '', age_ms: 61_000, duration_ms: 5, sampled_one_in: 1, error: null, problems: [] }
  equal(ageOf(report), 'as of 1 min ago, exact')
  equal(ageOf({ ...report, sampled_one_in: 64 }), 'as of 1 min ago, from up to 1 chunk in 64')
})

test('the days of a topic are a graph with gaps for days without the daemon', () => {
  const day = (date: string, stored: number) => ({ date, partitions: 1, bytes_in_files: 3 * stored, bytes_stored: stored, bytes_exclusive: 0, bytes_written_per_day: null })
  const graph = recordedDays([day('2026-02-27', 10), day('2026-02-28', 20), day('2026-03-02', 40)])
  deepEqual(graph.times.map((at) => new Date(at * 1000).toISOString().slice(0, 13)), ['2026-02-27T12', '2026-02-28T12', '2026-03-01T12', '2026-03-02T12'])
  deepEqual(graph.lines.map((line) => line.values), [[30, 60, null, 120], [10, 20, null, 40], [0, 0, null, 0]])
  deepEqual(recordedDays([]).times, [])
})

test('growth and ages are said in words', () => {
  deepEqual([growthOf(null), growthOf(3 * 1024 ** 3), growthOf(-2048)], ['–', '3.00 GiB a day', '−2.00 KiB a day'])
  deepEqual([ageAgainstPeers(1.01), ageAgainstPeers(2.96)], ['the same on all replicas', '3.0 times that of other replicas'])
  const now = Date.UTC(2026, 0, 22)
  const older = { partition: 3, node: 2, oldest: '2026-01-01T00:00:00Z', oldest_of_peers: '2026-01-15T00:00:00Z' }
  equal(olderOf(older, now), 'partition 3 on broker 2 has records of 21 d, others of 7 d')
  equal(linkToTopic('a b', 'c&d'), '/kafka?show=topic&cluster=a+b&topic=c%26d')
})

test('offsets end at the high watermark, at an empty segment, or somewhere after the last segment begins', () => {
  const of = (high_watermark: number | null, last_segment_bytes: number) => offsetsOf({ offset_start: 5, offset_last_segment: 90, last_segment_bytes, high_watermark })
  deepEqual([of(95, 7), of(null, 0), of(null, 7), of(20, 7)], ['5 – 95', '5 – 90', '5 – 90+', '5 – 90+'])
})

test('one replica of each partition is copied', () => {
  const replica = (partition: number, copy_command: string, state: 'live' | 'deleted' = 'live') => ({ cluster: 'c', partition, state, copy_command })
  deepEqual(copiesOf([replica(0, 'a'), replica(0, 'b'), replica(1, 'c')]), ['a', 'c'])
  deepEqual(copiesOf([replica(0, 'a', 'deleted'), replica(0, 'b'), replica(1, 'c', 'deleted')]), ['b', 'c'], 'one in use, if there is any')
})
