import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changes, fieldsOf, newBucket, problemsOf, versioningOf } from '../../src/lib/bucket'
import type { Bucket } from '../../src/api/types'
import { parse, readable } from '../../src/lib/printable'
import * as rules from '../../src/lib/rules'
import { credentialsOf, levelsOf, nameBelow, placeOf, queryOf, requestOf, stateOf } from '../../src/lib/s3'

const bucket: Bucket = {
  name: 'backup', id: '1', owner: 'admin', created: '2026-01-01T00:00:00Z', objects: 0, bytes_logical: 0, versioning: 'enabled', object_lock: false,
  public: false, has_policy: false, has_lifecycle: false, has_cors: false, compression: 'lz4', tags: {}, size: 2 ** 30,
}

test('names of buckets are refused as the daemon refuses them', () => {
  for (const sound of ['abc', 'a.b-c.1', '1.2.3', 'a'.repeat(63)]) assert.equal(rules.bucketName(sound), null, sound)
  const wrong = ['', 'ab', 'A-bucket', 'a_b', '-ab', 'ab-', 'a..b', 'a.-b', 'a-.b', '10.0.0.1', '999.1.1.1', 'a'.repeat(64), 'forebay--x', 'xn--abc', 'abc--x-s3', 'abc.mrap']
  for (const name of wrong) assert.notEqual(rules.bucketName(name), null, name)
})

test('only what was edited in a bucket is sent', () => {
  const was = fieldsOf(bucket)
  assert.deepEqual(changes(structuredClone(was), was), {})
  assert.deepEqual(changes({ ...was, size: '', versioning: 'suspended' }, was), { size: null, versioning: 'suspended' })
  const blocked = { ...was.blocked, block_public_policy: true }
  assert.deepEqual(changes({ ...was, blocked }, was).public_access_block, blocked)
  assert.equal(changes(was, { ...was, blocked }).public_access_block, null)
  assert.equal(newBucket({ ...fieldsOf(null), name: 'abc', locked: true }).versioning, 'enabled')
  assert.ok(Object.values(problemsOf({ ...fieldsOf(null), name: 'abc' }, true)).every((problem) => problem === null))
})

test('versioning is offered only as the daemon can change it', () => {
  const offered = (one: Bucket | null, locked = false) => versioningOf(one, locked).map(([value]) => value)
  assert.deepEqual(offered(null), ['unversioned', 'enabled'])
  assert.deepEqual(offered(bucket), ['enabled', 'suspended'])
  assert.deepEqual(offered({ ...bucket, versioning: 'unversioned' }), ['unversioned', 'enabled'])
  assert.deepEqual(offered(null, true), ['enabled'])
})

test('a place in a bucket is the same in the address of the page and after reading it', () => {
  const place = { prefix: 'logs/a&b=\u202e/', after: 'logs/x', afterVersion: '12', versions: true }
  assert.deepEqual(placeOf(new URLSearchParams(queryOf(place))), place)
  const asked = new URLSearchParams(requestOf(place).replace(/^.*\?/, ''))
  assert.equal(asked.get('prefix'), place.prefix)
  assert.equal(asked.get('after_version'), '12')
  assert.ok(!requestOf({ ...place, versions: false }).includes('after_version'))
})

test('keys are shown by level', () => {
  assert.deepEqual(levelsOf('logs/2026/ne').map((one) => one.prefix), ['logs/', 'logs/2026/', 'logs/2026/ne'])
  assert.deepEqual(levelsOf('//a').map((one) => one.name), ['/', '/', 'a'])
  assert.deepEqual(levelsOf(''), [])
  assert.equal(nameBelow('logs/ne', 'logs/new/'), 'new/')
  assert.equal(nameBelow('logs/', 'logs/'), 'logs/')
})

test('a document is formatted without a change of its meaning, and shows invisible characters', () => {
  const document = { a: ['x\u202ey', 'line\nbreak', 'größer'] }
  const text = readable(JSON.stringify(document))
  assert.ok(text.includes('x\\u202ey') && text.includes('\n') && text.includes('größer'))
  assert.deepEqual(JSON.parse(text), document)
  assert.notDeepEqual(parse(text), document)
})

test('the state of a key says why requests are refused', () => {
  const key = { id: 'A', user: 'alice', created: '2026-01-01T00:00:00Z', disabled: false, usable: true }
  const at = Date.parse('2026-06-01T00:00:00Z')
  assert.equal(stateOf(key, at).text, 'active')
  assert.equal(stateOf({ ...key, expires: '2026-06-01T00:00:00Z' }, at).text, 'expired')
  assert.equal(stateOf({ ...key, expires: '2026-06-01T00:00:01Z' }, at).text, 'active')
  assert.equal(stateOf({ ...key, disabled: true }, at).text, 'disabled')
  assert.equal(stateOf({ ...key, usable: false }, at).text, 'unusable')
  assert.equal(credentialsOf('alice', 'A', 's'), '[alice]\naws_access_key_id = A\naws_secret_access_key = s\n')
})
