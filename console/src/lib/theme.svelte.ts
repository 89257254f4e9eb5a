// Light or dark: the system's setting, unless the user chooses.

const KEY = 'forebay.theme'
type Theme = 'light' | 'dark'
const system = matchMedia('(prefers-color-scheme: dark)')

class Look {
  chosen = $state<Theme | null>(read())
  private dark = $state(system.matches)

  constructor() {
    system.addEventListener('change', () => {
      this.dark = system.matches
      this.apply()
    })
    this.apply()
  }

  get now(): Theme {
    return this.chosen ?? (this.dark ? 'dark' : 'light')
  }

  toggle(): void {
    this.chosen = this.now === 'dark' ? 'light' : 'dark'
    localStorage.setItem(KEY, this.chosen)
    this.apply()
  }

  private apply(): void {
    document.documentElement.dataset['theme'] = this.now
  }
}

function read(): Theme | null {
  const kept = localStorage.getItem(KEY)
  return kept === 'light' || kept === 'dark' ? kept : null
}

export const look = new Look()
