// Keeps data from the daemon current. Polls while the tab is visible, with one request at a time.
import { untrack } from 'svelte'

export const EVERY_MS = 5000

export interface Poll<T> {
  readonly data: T | undefined
  readonly error: unknown
  /** When the data came, in milliseconds since 1970; null if there is none. */
  readonly at: number | null
  /** Polls at once, for example after a change. */
  refresh(): Promise<void>
}

/** When the value of `key` changes, the old data is discarded. Call this function while a component is created. */
export function poll<T>(ask: () => Promise<T>, key: () => unknown = () => null, every = EVERY_MS): Poll<T> {
  let data = $state.raw<T>()
  let error = $state.raw<unknown>(null)
  let at = $state.raw<number | null>(null)
  let refresh = $state.raw(async () => {})

  $effect(() => {
    key()
    let ended = false
    let timer: ReturnType<typeof setTimeout> | undefined
    let underWay: Promise<void> | null = null

    const once = async () => {
      try {
        const answer = await ask()
        if (ended) return
        data = answer
        at = Date.now()
        error = null
      } catch (problem) {
        if (!ended) error = problem
      }
    }
    const run = (): Promise<void> => {
      clearTimeout(timer)
      underWay ??= once().finally(() => {
        underWay = null
        if (!ended && !document.hidden) timer = setTimeout(() => void run(), every)
      })
      return underWay
    }
    const seen = () => {
      if (document.hidden) clearTimeout(timer)
      else void run()
    }
    untrack(() => {
      data = undefined
      error = null
      at = null
      // A request in progress may have been sent before the change.
      refresh = async () => {
        await underWay
        await run()
      }
      void run()
    })
    document.addEventListener('visibilitychange', seen)
    return () => {
      ended = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', seen)
    }
  })

  return {
    get data() {
      return data
    },
    get error() {
      return error
    },
    get at() {
      return at
    },
    refresh: () => refresh(),
  }
}
