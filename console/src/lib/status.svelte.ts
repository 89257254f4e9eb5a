// The daemon's status, which the frame of all pages polls, and how old it is.
import { getContext, setContext } from 'svelte'
import { get } from '../api/client'
import type { Status } from '../api/types'
import { clock } from './clock.svelte'
import { type Poll, poll } from './poll.svelte'
import { stateOf, type State } from './health'

/** Problems are shown soon after the daemon has found them. */
const EVERY_MS = 2500
const KEY = Symbol('status')

export interface Current extends Poll<Status> {
  /** What the pages may say about the daemon now. */
  readonly state: State
  /** Seconds since the last answer; null if there was none. */
  readonly age: number | null
}

/** Call this function while the frame is created. */
export function provideStatus(): Current {
  const status = poll(() => get<Status>('/status'), () => null, EVERY_MS)
  const current: Current = {
    get data() {
      return status.data
    },
    get error() {
      return status.error
    },
    get at() {
      return status.at
    },
    get age() {
      return status.at === null ? null : Math.max(0, (clock.now - status.at) / 1000)
    },
    get state() {
      return stateOf(status.data, status.error !== null, status.at === null ? null : (clock.now - status.at) / 1000)
    },
    refresh: () => status.refresh(),
  }
  setContext(KEY, current)
  return current
}

export const currentStatus = () => getContext<Current>(KEY)
