// Who is signed in. The token stays in this tab, or in this browser if that was asked for.
import { ApiError, credentials, getWith } from '../api/client'
import type { Role, Who } from '../api/types'

const KEY = 'forebay.token'
const ORDER: Role[] = ['read-only', 'operator', 'admin']

class Session {
  token = $state<string | null>(sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY))
  who = $state<Who | null>(null)
  /** Why the sign-in page is shown, if nobody asked for it. */
  reason = $state<string | null>(null)
  /** Whether the token that was kept is still being looked at. */
  checking = $state(this.token !== null)

  /** Finds out whose the kept token is. */
  async resume(): Promise<void> {
    if (this.token === null) return
    try {
      this.who = await getWith<Who>(this.token, '/whoami')
      this.checking = false
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) this.expire()
      else {
        this.reason = error instanceof ApiError ? `${error.message}; ${error.remedy ?? 'try again'}` : String(error)
        setTimeout(() => void this.resume(), 3000)
      }
    }
  }

  /** Throws an ApiError if the token is not valid. */
  async signIn(token: string, keep: boolean): Promise<void> {
    this.who = await getWith<Who>(token, '/whoami')
    const store = keep ? localStorage : sessionStorage
    store.setItem(KEY, token)
    this.token = token
    this.reason = null
    this.checking = false
  }

  signOut(): void {
    sessionStorage.removeItem(KEY)
    localStorage.removeItem(KEY)
    this.token = null
    this.who = null
    this.checking = false
    this.reason = null
  }

  /** The daemon does not take the token any more. The address stays, so that signing in leads back to the page. */
  expire(): void {
    this.signOut()
    this.reason = 'The token is not valid any more: it expired, or was deleted. Sign in with another.'
  }

  /** Whether the role allows what needs `role`. What it does not is not shown. */
  may(role: Role): boolean {
    return this.who !== null && ORDER.indexOf(this.who.role) >= ORDER.indexOf(role)
  }
}

export const session = new Session()
credentials.token = () => session.token
credentials.refused = () => session.expire()
