// What is wrong with the pool, and what to do about it.
import type { Health, Pool } from '../api/types'
import { bytes, percent, several } from './format'

export interface Problem {
  severity: 'warning' | 'error'
  text: string
  remedy: string
}

/** As `crates/admin/src/watch.rs` has it. */
const NEARLY_FULL = 0.1

/** What the pool takes on disk for what is in its files. */
export const physical = (pool: Pool) => pool.bytes_live + pool.bytes_inline

export function problems(pool: Pool, health: Health | undefined): Problem[] {
  const found: Problem[] = []
  const { scrub } = pool
  if (scrub.damaged > 0) {
    found.push({
      severity: 'error',
      text: `${several(scrub.damaged, 'frame')} cannot be read: damaged in every copy. Readers get an I/O error there, never wrong data.`,
      remedy: 'The pool page names them. Replace the failing disk; let Kafka rebuild the replicas, or roll back to a snapshot.',
    })
  }
  if (scrub.degraded) {
    found.push({
      severity: 'error',
      text: 'The second copy is missing.',
      remedy: 'Bring its disk back; a scrub then writes what is missing again.',
    })
  }
  if (pool.segments_missing > 0) {
    found.push({
      severity: 'error',
      text: `${several(pool.segments_missing, 'segment')} with data ${pool.segments_missing === 1 ? 'is' : 'are'} not there. Readers get an I/O error there, never wrong data.`,
      remedy: 'The log names them. Put them back, or let Kafka rebuild the replicas.',
    })
  }
  if (pool.lost_found_segments > 0) {
    found.push({
      severity: 'warning',
      text: `${several(pool.lost_found_segments, 'segment')} (${bytes(pool.lost_found_bytes)}) that no metadata names ${pool.lost_found_segments === 1 ? 'is' : 'are'} in lost+found.`,
      remedy: 'Usual after a crash. When nothing is missing, delete them: forebay pool lost-found.',
    })
  }
  if (pool.bytes_total > 0 && pool.bytes_free / pool.bytes_total < NEARLY_FULL) {
    found.push({
      severity: 'warning',
      text: `Only ${bytes(pool.bytes_free)} (${percent(pool.bytes_free / pool.bytes_total)}) can still be written.`,
      remedy: 'Delete snapshots or topics, shorten retention, or give the pool more room (pool.size_max).',
    })
  }
  if (found.length === 0 && health?.status === 'degraded') {
    found.push({ severity: 'error', text: 'The daemon says that it is degraded.', remedy: 'Its log says why.' })
  }
  return found
}
