// The time, every second, for ages that are shown.
class Clock {
  now = $state(Date.now())

  constructor() {
    setInterval(() => (this.now = Date.now()), 1000)
  }
}

export const clock = new Clock()
