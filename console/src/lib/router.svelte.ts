// The current page, from the URL, and navigation without reloading the console.
import { match, type Route } from './routes'

class Router {
  route = $state<Route>(match(location.pathname))
  query = $state(new URLSearchParams(location.search))

  constructor() {
    addEventListener('popstate', () => this.read())
    // Links stay links, so that they can be opened in another tab. Plain clicks are handled here.
    document.addEventListener('click', (event) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null
      const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
      if (!link || !isPlain || event.defaultPrevented || link.target || link.download || link.origin !== location.origin) return
      event.preventDefault()
      this.go(link.pathname + link.search)
    })
  }

  go(path: string): void {
    if (path !== location.pathname + location.search) history.pushState(null, '', path)
    this.read()
    scrollTo(0, 0)
  }

  /** Changes the query of this page without adding to the browser's history. */
  set(changes: Record<string, string | null>): void {
    const query = new URLSearchParams(location.search)
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) query.delete(name)
      else query.set(name, value)
    }
    const text = query.toString()
    history.replaceState(null, '', location.pathname + (text ? `?${text}` : ''))
    this.query = query
  }

  private read(): void {
    this.route = match(location.pathname)
    this.query = new URLSearchParams(location.search)
  }
}

export const router = new Router()
