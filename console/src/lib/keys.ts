// Keyboard shortcuts. Independent of the page, so that it can be tested.
import type { PageName } from './routes'

export const GO: Record<string, PageName> = {
  o: 'overview',
  w: 'alerts',
  f: 'kafka',
  v: 'volumes',
  n: 'snapshots',
  b: 'buckets',
  c: 'clients',
  p: 'performance',
  e: 'events',
  x: 'exports',
  k: 's3-users',
  l: 'pool',
  d: 'cluster',
  a: 'lab',
  u: 'users',
  i: 'settings',
  s: 'sizing',
  m: 'setup',
}

export type Meaning = { kind: 'go'; page: PageName } | { kind: 'help' } | { kind: 'filter' } | { kind: 'prefix' } | { kind: 'theme' } | null

/** How long `g` waits for the next key. */
const PREFIX_MS = 1500

/** Interprets a sequence of keys. */
export class Keys {
  private prefixed = Number.NEGATIVE_INFINITY

  read(key: string, now: number): Meaning {
    const afterPrefix = now - this.prefixed <= PREFIX_MS
    this.prefixed = Number.NEGATIVE_INFINITY
    const page = GO[key]
    if (afterPrefix && page) return { kind: 'go', page }
    if (key === 'g') {
      this.prefixed = now
      return { kind: 'prefix' }
    }
    if (key === '?') return { kind: 'help' }
    if (key === '/') return { kind: 'filter' }
    if (key === 't') return { kind: 'theme' }
    return null
  }
}
