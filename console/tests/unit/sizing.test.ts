import assert from 'node:assert/strict'
import { test } from 'node:test'
import cases from '../../../crates/forebay/src/commands/size/cases.json' with { type: 'json' }
import { plan, refusal, suggested, type Wanted } from '../../src/lib/sizing'

function close(made: unknown, expected: unknown, at: string): void {
  if (typeof expected === 'number') {
    assert.ok(typeof made === 'number' && Math.abs(made - expected) <= Math.abs(expected) * 1e-9, `${at}: ${made}, not ${expected}`)
  } else if (expected !== null && typeof expected === 'object') {
    for (const [name, value] of Object.entries(expected)) close((made as Record<string, unknown>)[name], value, `${at}.${name}`)
  } else assert.equal(made, expected, at)
}

test('the plans are those of `forebay size`', () => {
  for (const one of cases) {
    const wanted: Wanted = one.wanted
    assert.equal(refusal(wanted), null)
    close(plan(wanted), one.plan, one.words)
  }
})

test('what cannot be is refused', () => {
  const sound = cases[0]!.wanted
  for (const wrong of [{ produce: 0 }, { compression: 0.5 }, { reserve: 95 }, { replication: 5, brokers: 3 }, { retention_seconds: Number.NaN }]) {
    assert.notEqual(refusal({ ...sound, ...wrong }), null, JSON.stringify(wrong))
  }
})

test('the measurements of a pool are suggested as they would be typed', () => {
  const efficiency = { bytes_logical: 900, bytes_deduplicated: 600, bytes_physical: 200 }
  assert.deepEqual(suggested({ write: 3.6e9, read: 0, efficiency }, 3), { produce: '1200MB/s', read: '0MB/s', compression: '1.50' })
  assert.deepEqual(suggested({ write: null, read: null, efficiency: null }, 3), {})
  assert.deepEqual(suggested({ write: 0, read: null, efficiency: { bytes_logical: 9, bytes_deduplicated: 0, bytes_physical: 9 } }, 3), {})
})
