// The node that serves the pool, if several can.
import { ApiError, get } from '../api/client'
import type { Node } from '../api/types'
import { duration } from './format'

/** The age of the last beat from which a standby may fence the node soon. A node beats twice a second. */
const BEAT_AGE_MAX_MS = 3000

export interface Phase {
  name: string
  ms: number
  color: string
}

/** Returns a function that reads the node, or null if no other node can serve the pool. It then does not ask again, since only a restart changes that. */
export function nodeReader(): () => Promise<Node | null> {
  let alone = false
  return async () => {
    if (alone) return null
    try {
      return await get<Node>('/node')
    } catch (error) {
      alone = error instanceof ApiError && error.code === 'node_not_found'
      if (alone) return null
      throw error
    }
  }
}

/** The phases of the last takeover, in their order, without those that were not needed. */
export function phases({ takeover }: Node): Phase[] {
  const all: [string, number | null | undefined, string][] = [
    ['silent', takeover.silent_ms || null, 'var(--series-2)'],
    ['fencing', takeover.fence_ms, 'var(--series-5)'],
    ['opening', takeover.open_ms, 'var(--series-1)'],
    ['addresses', takeover.address_ms, 'var(--series-3)'],
  ]
  return all.flatMap(([name, ms, color]) => (ms == null ? [] : [{ name, ms, color }]))
}

/** How long a phase took: `103 ms`, `3.50 s`. */
export const took = (ms: number) => (ms < 1000 ? `${ms} ms` : duration(ms / 1000))

/** How the pool came to the node, in a sentence. In a database the takeover itself is the fence. */
export function cause({ takeover }: Node, inDatabase = false): string {
  switch (takeover.kind) {
    case 'first': return 'No node had the pool before.'
    case 'restarted': return 'The daemon was restarted on the same node.'
    case 'moved': return `Node ${takeover.from} released the pool.`
    case 'fenced': return inDatabase ? `Node ${takeover.from} was silent and was replaced.` : `Node ${takeover.from} was silent and was fenced.`
  }
}

/** Whether the other nodes see that this one is there. */
export const isSeen = (node: Node) => node.beat_age_ms < BEAT_AGE_MAX_MS

/** Whether `now` is a later owner of the pool than `before`. */
export const isAfter = (now: Node, before: Node) => now.name !== before.name || now.since !== before.since
