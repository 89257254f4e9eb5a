// A move of the pool that the user started: the daemon that served this page stops, and another one is expected.
import type { Node } from '../api/types'
import { isAfter } from './node'
import { notices } from './notices.svelte'

class Move {
  /** The node that hands the pool over. */
  from = $state.raw<Node | null>(null)
  begun = 0

  start(from: Node): void {
    this.from = from
    this.begun = Date.now()
  }

  /** Ends the move if this node has taken the pool. */
  see(node: Node): void {
    if (!this.from || !isAfter(node, this.from)) return
    this.from = null
    notices.say(`Node ${node.name} serves the pool.`)
  }

  /** Stops waiting. */
  forget(): void {
    this.from = null
  }
}

export const move = new Move()
