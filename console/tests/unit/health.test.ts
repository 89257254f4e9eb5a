import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Alert, Status } from '../../src/api/types'
import { headline, looks, pageOf, stateOf, withCommands } from '../../src/lib/health'

const status = (change: Partial<Status> = {}) => ({ status: 'ok', evaluated: '2026-01-01T00:00:00Z', ...change }) as Status
const alert = (change: Partial<Alert> = {}) =>
  ({ name: 'ForebayVolumeFull', severity: 'critical', state: 'firing', object: 'volume kafka', message: '', remedy: '', summary: '', since: '', resolved: null, ...change }) as Alert

test('only a daemon that has just said so is healthy', () => {
  assert.equal(stateOf(status(), false, 3), 'ok')
  assert.equal(stateOf(status(), true, 3), 'silent', 'the last request failed')
  assert.equal(stateOf(status(), false, 16), 'silent', 'the answer is old: it hangs, or the tab was hidden')
  assert.equal(stateOf(undefined, false, null), 'waiting')
  assert.equal(stateOf(status({ evaluated: null }), false, 1), 'starting')
  assert.equal(stateOf(status({ status: 'warning' }), false, 1), 'warning')
  assert.equal(stateOf(status({ status: 'critical' }), true, 1), 'silent')
  const green = Object.entries(looks).filter(([, look]) => look === 'good')
  assert.deepEqual(green, [['ok', 'good']])
})

test('the headline counts what fires', () => {
  const both = [alert(), alert({ severity: 'warning' }), alert({ severity: 'warning' }), alert({ severity: 'info' })]
  assert.equal(headline('critical', both), '1 critical alert, 2 warnings')
  assert.equal(headline('warning', [alert({ severity: 'warning' })]), '1 warning')
  assert.equal(headline('ok', []), 'Healthy')
  assert.equal(headline('silent', both), 'The daemon does not answer')
})

test('an alert leads to the page of its object', () => {
  assert.deepEqual(pageOf(alert()), ['/volumes/kafka', 'Volume'])
  assert.deepEqual(pageOf(alert({ object: 'bucket a b' })), ['/buckets/a%20b', 'Bucket'])
  assert.deepEqual(pageOf(alert({ object: 'client 10.0.0.1', name: 'ForebayClientsRefused' })), ['/exports', 'Export policies'])
  assert.deepEqual(pageOf(alert({ object: 'NFS' })), ['/clients', 'NFS clients'])
  assert.equal(pageOf(alert({ object: 'NFS certificate' })), null)
  assert.equal(pageOf(alert({ object: 'daemon' })), null)
})

test('commands are told from text', () => {
  assert.deepEqual(withCommands('run `a b`, or wait'), [
    { text: 'run ', isCommand: false },
    { text: 'a b', isCommand: true },
    { text: ', or wait', isCommand: false },
  ])
  assert.deepEqual(withCommands('`x`'), [{ text: 'x', isCommand: true }])
})
