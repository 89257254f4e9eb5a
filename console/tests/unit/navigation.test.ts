import assert from 'node:assert/strict'
import { test } from 'node:test'
import { average, highest, latest, recorded, restartsInWords } from '../../src/lib/history'
import { Keys } from '../../src/lib/keys'
import { match, pathOf } from '../../src/lib/routes'

test('a path leads to its page and back', () => {
  assert.deepEqual(match('/'), { page: 'overview', item: null })
  assert.deepEqual(match('/volumes/a%2Fb.c'), { page: 'volumes', item: 'a/b.c' })
  assert.equal(pathOf('volumes', 'a/b.c'), '/volumes/a%2Fb.c')
  for (const missing of ['/nothing', '/pool/x', '/volumes/a/b', '/overview']) assert.equal(match(missing).page, 'missing', missing)
  assert.equal(match('/volumes/%').item, '%')
})

test('g and a letter go to a page, but not much later', () => {
  const keys = new Keys()
  assert.equal(keys.read('v', 0), null)
  keys.read('g', 10)
  assert.deepEqual(keys.read('v', 500), { kind: 'go', page: 'volumes' })
  assert.equal(keys.read('v', 600), null)
  keys.read('g', 1000)
  assert.equal(keys.read('v', 9000), null)
  assert.deepEqual(keys.read('?', 9001), { kind: 'help' })
})

test('what was not measured is a gap, and old values are not those of now', () => {
  const history = { from: 100, to: 120, step: 5, series: [{ name: 'a', unit: 'count' as const, mean: [1, 2, null, null], max: [9, 3, null, null] }], restarts: [{ at: 110, clean: false }] }
  const data = recorded(history, [['a', 'A'], ['b', 'B']], 'max')
  assert.deepEqual(data.times, [105, 110, 115, 120])
  assert.deepEqual(data.lines.map((line) => line.values), [[9, 3, null, null], [null, null, null, null]])
  assert.deepEqual(data.restarts, [{ at: 110, clean: false }])
  assert.equal(latest(data.lines[0]!.values), 3)
  assert.equal(latest(data.lines[0]!.values, 2), null)
  assert.deepEqual([highest(data.lines[0]!.values), highest([])], [9, null])
  assert.deepEqual([average(history, 'a'), average(history, 'b')], [1.5, null])
})

test('restarts are told in words, the last three of them', () => {
  const at = (time: number) => String(time)
  assert.equal(restartsInWords([], at), '')
  assert.equal(restartsInWords([{ at: 1, clean: null }, { at: 2, clean: false }], at), 'Daemon started 1, 2 (the stop before was not clean)')
  const many = [1, 2, 3, 4, 5].map((time) => ({ at: time, clean: true }))
  assert.equal(restartsInWords(many, at), 'Daemon started 3, 4, 5, and 2 before')
})
