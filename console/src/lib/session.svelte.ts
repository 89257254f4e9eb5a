// The signed-in user. The token is kept for this tab, or in this browser if the user asked for that.
import { ApiError, credentials, getWith } from '../api/client'
import type { Role, Who } from '../api/types'

const KEY = 'forebay.token'
const ORDER: Role[] = ['read-only', 'operator', 'admin']

class Session {
  token = $state<string | null>(sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY))
  who = $state<Who | null>(null)
  /** Why the sign-in page is shown, if the user did not sign out. */
  reason = $state<string | null>(null)
  /** Whether the stored token is still being checked. */
  checking = $state(this.token !== null)

  /** Looks up the user of the stored token. */
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

  /** The daemon no longer accepts the token. The URL does not change, so signing in leads back to the page. */
  expire(): void {
    this.signOut()
    this.reason = 'The token is no longer valid. It expired or was deleted. Sign in with another token.'
  }

  /** Whether the user has at least this role. The console hides actions that the role does not allow. */
  may(role: Role): boolean {
    return this.who !== null && ORDER.indexOf(this.who.role) >= ORDER.indexOf(role)
  }
}

export const session = new Session()
credentials.token = () => session.token
credentials.refused = () => session.expire()
