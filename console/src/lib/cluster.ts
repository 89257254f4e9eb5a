// The pools of the database in which the pool lies.
import { ApiError, get } from '../api/client'
import type { Client, Cluster, ClusterPool, Node } from '../api/types'
import { several, span } from './format'

/** How long it takes until a waiting node sees that the pool was released, and until clients have connected to it. */
const NOTICED_MS = 500
const CONNECTED_MS = 1000

/** Returns a function that reads the database, or null if the pool lies in none. It then does not ask again, since only a restart changes that. */
export function clusterReader(): () => Promise<Cluster | null> {
  let elsewhere = false
  return async () => {
    if (elsewhere) return null
    try {
      return await get<Cluster>('/cluster')
    } catch (error) {
      elsewhere = error instanceof ApiError && error.code === 'node_not_found'
      // The daemon has not looked at the database yet.
      if (elsewhere || (error instanceof ApiError && error.code === 'unavailable')) return null
      throw error
    }
  }
}

/** The pool that the daemon serves. */
export const ownPool = (cluster: Cluster): ClusterPool | undefined => cluster.items.find((one) => one.name === cluster.pool)

/** Whether commits wait for another machine, in words. */
export function guard(cluster: Cluster): string {
  switch (cluster.synchronous) {
    case 'guarded': return `guarded by the synchronous standby ${cluster.standbys.join(', ')}`
    case 'unguarded': return 'on one machine: the database has no synchronous standby'
    case 'missing': return 'waiting: no synchronous standby is connected'
    case 'unknown': return 'unknown: the role may not see the standbys'
  }
}

/** The state of a pool in words. */
export function stateOf(pool: ClusterPool): string {
  if (pool.state === 'silent' && pool.silent_ms != null) return `silent for ${span(pool.silent_ms / 1000)}`
  return { serving: 'serving', opening: 'opening', silent: 'silent', released: 'released', never_opened: 'never opened', newer: 'newer release', unreadable: 'unreadable' }[pool.state]
}

export const LOOK: Record<ClusterPool['state'], string> = { serving: 'good', opening: 'accent', silent: 'bad', released: 'warn', never_opened: '', newer: 'warn', unreadable: 'warn' }

/** For how many seconds clients will wait while the pool moves: by how long its last opening took. */
export function pauseSeconds(node: Node): number {
  const { open_ms, address_ms } = node.takeover
  return Math.ceil((NOTICED_MS + CONNECTED_MS + (open_ms ?? 0) + (address_ms ?? 0)) / 1000)
}

/** Clients with open files, in words: `b1 (3 files)`; at most five of them. */
export function users(clients: Client[]): string {
  const open = clients.filter((one) => one.opens > 0).sort((one, other) => other.opens - one.opens)
  if (open.length === 0) return 'No client has files open.'
  const named = open.slice(0, 5).map((one) => `${one.owner} (${several(one.opens, 'file')})`).join(', ')
  return `${several(open.length, 'client')} with open files: ${named}${open.length > 5 ? ' and others' : ''}.`
}
