import { equal, deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { ageOf, csvOf, markOf, stateOf } from '../../src/lib/kafka'

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

test('a spreadsheet gets text where it would see a formula', () => {
  equal(csvOf([['topic', 'bytes'], ['a,b', 3], ['-1+1', null], ['say "x"', -4]]), 'topic,bytes\r\n"a,b",3\r\n\'-1+1,\r\n"say ""x""",-4\r\n')
})

test('the age of the figures says whether they are exact', () => {
  const report = { taken: '', age_ms: 61_000, duration_ms: 5, sampled_one_in: 1, error: null, problems: [] }
  equal(ageOf(report), 'as of 1 min ago, exact')
  equal(ageOf({ ...report, sampled_one_in: 64 }), 'as of 1 min ago, from up to 1 chunk in 64')
})
