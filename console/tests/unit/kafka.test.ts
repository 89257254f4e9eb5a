import { equal, deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { ageOf, changeOf, csvOf, markOf, stateOf, wordsOf } from '../../src/lib/kafka'

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
