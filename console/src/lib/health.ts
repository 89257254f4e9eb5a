// Problems of the pool, and their remedies.
import type { Health, Pool } from '../api/types'
import { bytes, percent, several } from './format'

export interface Problem {
  severity: 'warning' | 'error'
  text: string
  remedy: string
}

/** The same value as in `crates/admin/src/watch`. */
const NEARLY_FULL = 0.1

/** The space on disk that the data in files takes. */
export const physical = (pool: Pool) => pool.bytes_live + pool.bytes_inline

export function problems(pool: Pool, health: Health | undefined): Problem[] {
  const found: Problem[] = []
  const { scrub } = pool
  if (scrub.damaged > 0) {
    found.push({
      severity: 'error',
      text: `${several(scrub.damaged, 'frame')} damaged in every copy. Clients that read the data get an I/O error, never wrong data.`,
      remedy: 'The Pool page names them. Replace the failing disk. Let Kafka rebuild the replicas, or roll back to a snapshot.',
    })
  }
  if (scrub.degraded) {
    found.push({
      severity: 'error',
      text: 'The second copy is missing.',
      remedy: 'Restore its disk. A scrub then writes the missing data again.',
    })
  }
  if (pool.segments_missing > 0) {
    found.push({
      severity: 'error',
      text: `${several(pool.segments_missing, 'segment')} with data ${pool.segments_missing === 1 ? 'is' : 'are'} missing. Clients that read the data get an I/O error, never wrong data.`,
      remedy: 'The log names them. Restore them, or let Kafka rebuild the replicas.',
    })
  }
  if (pool.lost_found_segments > 0) {
    found.push({
      severity: 'warning',
      text: `${several(pool.lost_found_segments, 'segment')} (${bytes(pool.lost_found_bytes)}) that no metadata names ${pool.lost_found_segments === 1 ? 'is' : 'are'} in lost+found.`,
      remedy: 'This is usual after a crash. If nothing is missing, delete them with forebay pool lost-found.',
    })
  }
  if (pool.bytes_total > 0 && pool.bytes_free / pool.bytes_total < NEARLY_FULL) {
    found.push({
      severity: 'warning',
      text: `Only ${bytes(pool.bytes_free)} (${percent(pool.bytes_free / pool.bytes_total)}) is free.`,
      remedy: 'Delete snapshots or topics, shorten retention, or enlarge the pool (pool.size_max).',
    })
  }
  if (found.length === 0 && health?.status === 'degraded') {
    found.push({ severity: 'error', text: 'The daemon reports that it is degraded.', remedy: 'Its log shows the reason.' })
  }
  return found
}
