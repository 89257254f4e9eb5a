import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client, Lock, Nfs, Open, Policy, Volume } from '../../src/api/types'
import { sourceOf } from '../../src/lib/mount'
import { answersIn, brokersOf, fstabOf, isNew, problemsOf, propertiesOf, rulesOf, stageOf, stepsOf, USUAL, type Answers } from '../../src/lib/setup'

const answers: Answers = { ...USUAL, brokers: '10.1.0.11, kafka-2', size: '2 TiB', daily: '7' }
const volume = (name: string, inodes: number, exported = 'default') => ({ name, path: `/${name}`, inodes_used: inodes, export: exported }) as Volume
const nfs = { host: 'storage-1', every_address: true, options: 'vers=4.2,hard,nconnect=4', tls: false } as Nfs

test('brokers are machines, and each is there once', () => {
  assert.deepEqual(Object.values(problemsOf(answers)).filter(Boolean), [])
  for (const brokers of ['', '*', '10.0.0.0/8', 'a b a']) assert.notEqual(problemsOf({ ...answers, brokers }).brokers, null, brokers)
  for (const mount of ['', '/', 'kafka', '/with space']) assert.notEqual(problemsOf({ ...answers, mount }).mount, null, mount)
  assert.notEqual(problemsOf({ ...answers, uid: '4294967295' }).uid, null)
})

test('the address of the page has the answers, and nothing else is taken from it', () => {
  assert.deepEqual(answersIn(new URLSearchParams({ ...answers })), answers)
  assert.deepEqual(answersIn(new URLSearchParams('squash=some&layout=x')), USUAL)
})

test('each broker gets its volume or folder, and its lines', () => {
  const [first, second] = brokersOf(answers)
  assert.deepEqual([first?.volume, second?.volume], ['kafka-1', 'kafka-2'])
  assert.equal(fstabOf({ ...answers, tls: 'on' }, sourceOf(nfs, '/kafka-1', '127.0.0.1'), nfs), 'storage-1:/kafka-1  /var/lib/kafka  nfs  vers=4.2,hard,nconnect=4,xprtsec=tls,_netdev  0  0')
  assert.equal(propertiesOf(answers, first!), 'log.dirs=/var/lib/kafka/data')
  const folders = { ...answers, layout: 'folders' as const }
  assert.equal(propertiesOf(folders, brokersOf(folders)[1]!), 'log.dirs=/var/lib/kafka/broker-2')
})

test('volumes are created, or changed without taking files from their owner', () => {
  const steps = stepsOf(answers, [volume('kafka', 1), volume('kafka-2', 9)])
  assert.deepEqual(steps[0], { volume: 'kafka-1', create: { name: 'kafka-1', uid: 1000, gid: 1000, mode: '0750', size: 2 * 2 ** 40, snapshots: { hourly: 0, daily: 7, weekly: 0 }, export: 'brokers' } })
  assert.deepEqual(Object.keys('change' in steps[1]! ? steps[1].change : {}), ['size', 'snapshots', 'export'])
  assert.deepEqual(steps[2], { volume: 'kafka', change: { export: 'brokers' } })
  assert.equal(stepsOf(answers, [volume('kafka', 5)]).length, 2)
  assert.deepEqual([isNew([]), isNew([volume('kafka', 1)]), isNew([volume('kafka', 2)]), isNew([volume('a', 1)])], [true, true, false, false])
})

test('rules of others stay, after those of the brokers', () => {
  const existing = { rules: [{ clients: '10.1.0.11', access: 'ro' }, { clients: '10.9.0.0/16', access: 'ro' }] } as Policy
  assert.deepEqual(rulesOf(answers, existing).map((rule) => `${rule.clients} ${rule.access}`), ['10.1.0.11 rw', 'kafka-2 rw', '10.9.0.0/16 ro'])
})

test('a broker is seen to mount, lock and write', () => {
  const broker = brokersOf(answers)[0]!
  const client = (address: string, bytes_written = 0) => ({ client: '1', address, bytes_written }) as Client
  const open = (path: string, access: string) => ({ client: '1', path, access }) as Open
  const lock = { client: '1', path: '/kafka-1/data/.lock' } as Lock
  const stage = (clients: Client[], opens: Open[], locks: Lock[]) => stageOf(broker, '/kafka-1', { clients, opens, locks })
  assert.equal(stage([client('10.1.0.12:700')], [], []), 'missing')
  assert.equal(stage([client('10.1.0.11:700')], [], []), 'mounted')
  assert.equal(stage([], [open('/kafka-1/data/meta.properties', 'r')], []), 'mounted')
  assert.equal(stage([], [open('/kafka-1/data/.lock', 'rw')], [lock]), 'locked')
  assert.equal(stage([], [open('/kafka-1/data/t-0/0.log', 'rw')], [lock]), 'writes')
  assert.equal(stage([client('10.1.0.11:700', 5)], [], [lock]), 'writes')
})
