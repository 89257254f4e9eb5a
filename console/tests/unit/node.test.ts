import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../src/api/types'
import { cause, isAfter, isSeen, phases, took } from '../../src/lib/node'

const node = (takeover: Partial<Node['takeover']>, more: Partial<Node> = {}): Node => ({
  name: 'b', phase: 'serving', since: '2026-11-27T12:49:18Z', beat_age_ms: 300,
  takeover: { kind: 'moved', from: 'a', silent_ms: 0, ...takeover },
  ...more,
})

test('a takeover has the phases that were needed, and says how it came', () => {
  const fenced = node({ kind: 'fenced', silent_ms: 3500, fence_ms: 0, open_ms: 103, address_ms: 623 })
  assert.deepEqual(phases(fenced).map((one) => [one.name, took(one.ms)]), [['silent', '3.50 s'], ['fencing', '0 ms'], ['opening', '103 ms'], ['addresses', '623 ms']])
  assert.equal(cause(fenced), 'Node a was silent and was fenced.')
  assert.deepEqual(phases(node({ fence_ms: null, open_ms: 90 })).map((one) => one.name), ['opening'])
  assert.equal(cause(node({})), 'Node a released the pool.')
  assert.equal(cause(node({ kind: 'first', from: null })), 'No node had the pool before.')
})

test('a node whose beats are late is not seen by the others', () => {
  assert.deepEqual([499, 2999, 3000].map((beat_age_ms) => isSeen(node({}, { beat_age_ms }))), [true, true, false])
})

test('an owner is later if it is another node, or the same one again', () => {
  assert.equal(isAfter(node({}), node({})), false)
  assert.equal(isAfter(node({}), node({}, { name: 'a' })), true)
  assert.equal(isAfter(node({}, { since: '2026-11-27T12:50:00Z' }), node({})), true)
})
