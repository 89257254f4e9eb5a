// Short messages about completed actions, shown for a few seconds.

const SHOWN_MS = 5000

class Notices {
  items = $state<{ id: number; text: string }[]>([])
  private last = 0

  say(text: string): void {
    const id = ++this.last
    this.items.push({ id, text })
    setTimeout(() => (this.items = this.items.filter((one) => one.id !== id)), SHOWN_MS)
  }
}

export const notices = new Notices()
