import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client, Cluster, ClusterPool, Node } from '../../src/api/types'
import { guard, ownPool, pauseSeconds, stateOf, users } from '../../src/lib/cluster'

const pool = (more: Partial<ClusterPool> = {}): ClusterPool => ({ name: 'kafka', state: 'serving', ...more })
const cluster = (more: Partial<Cluster> = {}): Cluster => ({ database: 'database forebay on db', pool: 'kafka', synchronous: 'unguarded', standbys: [], total: 1, items: [pool()], ...more })

test('the pool of the daemon is found among all of the database', () => {
  assert.equal(ownPool(cluster({ items: [pool({ name: 'a' }), pool()] }))?.name, 'kafka')
  assert.equal(ownPool(cluster({ pool: null })), undefined)
})

test('what guards commits, and the state of a pool, are said in words', () => {
  assert.equal(guard(cluster({ synchronous: 'guarded', standbys: ['s1', 's2'] })), 'guarded by the synchronous standby s1, s2')
  assert.match(guard(cluster()), /no synchronous standby/)
  assert.equal(stateOf(pool({ state: 'silent', silent_ms: 5200 })), 'silent for 5 s')
  assert.equal(stateOf(pool({ state: 'never_opened' })), 'never opened')
})

test('the pause of a move is that of the last opening, and some time to notice it and to connect', () => {
  const node = (open_ms: number | null): Node => ({ name: 'a', phase: 'serving', since: '', beat_age_ms: 1, takeover: { kind: 'first', silent_ms: 0, open_ms } })
  assert.deepEqual([null, 400, 9000].map((ms) => pauseSeconds(node(ms))), [2, 2, 11])
})

test('the clients with the most open files are named', () => {
  const clients = [0, 3, 1, 9, 2, 4, 5].map((opens, at) => ({ owner: `b${at}`, opens }) as Client)
  assert.equal(users(clients.slice(0, 1)), 'No client has files open.')
  assert.equal(users(clients.slice(0, 3)), '2 clients with open files: b1 (3 files), b2 (1 file).')
  assert.match(users(clients), /^6 clients with open files: b3 \(9 files\), .* and others\.$/)
})
