import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '../../src/api/types'
import { asCsv, inWords } from '../../src/lib/events'
import { daysFromNow, fromLocal, toLocal } from '../../src/lib/snapshot'

test('kinds are words, and a file for spreadsheets is safe to open', () => {
  assert.equal(inWords('volume_rolled_back'), 'Volume rolled back')
  assert.equal(inWords('s3_key_created'), 'S3 key created')
  const event = { id: 1, time: '2026-01-01T00:00:00Z', severity: 'info', kind: 'volume_created', object: 'volume a', message: '=cmd, "x"', user: null, address: null }
  const [, row] = asCsv([event as unknown as Event]).split('\r\n')
  assert.equal(row, `2026-01-01T00:00:00Z,info,volume_created,volume a,"'=cmd, ""x""",,`)
})

test('times of snapshots survive the fields of a form', () => {
  const time = '2026-03-01T12:30:00Z'
  assert.equal(fromLocal(toLocal(time)), time)
  assert.deepEqual([toLocal(null), fromLocal(''), fromLocal('soon')], ['', null, null])
  assert.equal(daysFromNow(2, Date.parse(time)), '2026-03-03T12:30:00Z')
})
