import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessInWords, clientsProblem, moved } from '../../src/lib/policy'
import { optionalBytes, parseBytes, parseRate, parseTime, writeBytes } from '../../src/lib/quantity'
import * as rules from '../../src/lib/rules'
import { changes, fieldsOf, labelsOf, newVolume, parseLabels, problemsOf } from '../../src/lib/volume'

test('amounts are read in both kinds of units', () => {
  assert.equal(parseRate('1.2GB/s'), 1.2e9)
  assert.equal(parseRate('400 MiB/s'), 400 * 1024 ** 2)
  assert.equal(parseBytes('5mb'), 5e6)
  assert.equal(parseBytes('1.5G'), 1.5 * 1024 ** 3)
  for (const wrong of ['', '12', 'GB', '-1GB', '1GB/h', 'infB', '1e400GB']) assert.equal(parseRate(wrong), null, wrong)
  assert.deepEqual(['7d', '36h', '2 weeks', '0d', 'soon'].map(parseTime), [604_800, 129_600, 1_209_600, null, null])
})

test('an amount that was written is read as the same', () => {
  for (const bytes of [1, 1000, 1_000_000, 5 * 2 ** 30, 1.5 * 2 ** 40, 123_456_789]) assert.equal(optionalBytes(writeBytes(bytes)), bytes)
  assert.equal(optionalBytes(''), null)
  assert.equal(optionalBytes('much'), undefined)
})

test('forms refuse what the API refuses', () => {
  for (const sound of ['kafka', 'a.b-c_1', '_x']) assert.equal(rules.name(sound), null)
  for (const wrong of ['', '.x', '-x', 'a b', 'ä', 'a'.repeat(65)]) assert.notEqual(rules.name(wrong), null, wrong)
  for (const wrong of ['', '/', 'kafka', '/a/', '/a//b', '/a\u001b[31m', '/a\nb', '/a\u202eb']) assert.notEqual(rules.path(wrong), null, wrong)
  assert.equal(rules.path('', true), null)
  assert.deepEqual([rules.mode('0755'), rules.mode('755')], [null, null])
  for (const wrong of ['8', '+755', '07555']) assert.notEqual(rules.mode(wrong), null, wrong)
  assert.deepEqual([rules.description('for graphs, größer 日本'), rules.description('')], [null, null])
  for (const wrong of ['a\u007f', 'a\u2066b', 'x'.repeat(201)]) assert.notEqual(rules.description(wrong), null, wrong)
  assert.notEqual(rules.size('0 B'), null)
  assert.notEqual(rules.limit('10 KiB'), null)
  assert.equal(rules.limit('1MB'), null)
})

test('only what was edited is sent, and nothing takes a limit away but an empty field', () => {
  const was = { ...fieldsOf(null), name: 'a', path: '/a', size: '1 GiB' }
  assert.deepEqual(changes({ ...was }, was), {})
  assert.deepEqual(changes({ ...was, size: '', daily: '7' }, was), { size: null, snapshots: { hourly: 0, daily: 7, weekly: 0 } })
  assert.equal(newVolume(was).size, 2 ** 30)
  assert.ok(Object.values(problemsOf(was, true)).every((problem) => problem === null))
})

test('rules are moved within the policy, and each is for other clients', () => {
  assert.deepEqual(moved(['a', 'b', 'c'], 2, -1), ['a', 'c', 'b'])
  assert.deepEqual(moved(['a', 'b'], 0, -1), ['a', 'b'])
  assert.equal(clientsProblem('10.0.0.0/8', ['*']), null)
  assert.notEqual(clientsProblem('*', ['*']), null)
})

test('the access of a client is said with the rule that grants it', () => {
  const rule = { clients: '10.1.0.0/16', access: 'rw' as const, squash: 'none' as const, anonymous_uid: 65534, anonymous_gid: 65534, security: 'sys' as const, tls: 'optional' as const, groups: 'client' as const, addresses: null, never_reached: null }
  const found = { client: '10.1.0.5', volume: 'kafka', policy: 'brokers', rule, position: 2 }
  assert.equal(accessInWords(found), '10.1.0.5 can read and write volume kafka, by rule 2 for 10.1.0.0/16 (no squash; TLS optional).')
  assert.match(accessInWords({ ...found, rule: { ...rule, access: 'none', squash: 'all' } }), /does not see volume kafka, by rule 2 .*squash all → 65534:65534/)
  assert.match(accessInWords({ ...found, rule: null, position: null }), /no rule of policy brokers matches it/)
})

test('labels are written as they are read', () => {
  const labels = { 'cost-centre': '4711', owner: 'team a' }
  assert.deepEqual(parseLabels(labelsOf(labels)), labels)
  assert.deepEqual([parseLabels(''), parseLabels(' a=1 ,, b= ')], [{}, { a: '1', b: '' }])
  for (const wrong of ['owner', '=x', 'a b=1', 'a=1=2']) assert.equal(parseLabels(wrong), null, wrong)
  const was = { ...fieldsOf(null), labels: 'owner=a' }
  assert.deepEqual(changes({ ...was, labels: 'owner=b' }, was), { labels: { owner: 'b' } })
  assert.deepEqual(changes({ ...was, labels: '' }, was), { labels: {} })
})
