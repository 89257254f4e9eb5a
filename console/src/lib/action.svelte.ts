// Something that somebody does: whether it is under way, and why it failed.

export class Action {
  busy = $state(false)
  error = $state.raw<unknown>(null)

  /** Returns whether it was done. Does nothing while it is under way. */
  async run(work: () => Promise<unknown>): Promise<boolean> {
    if (this.busy) return false
    this.busy = true
    this.error = null
    try {
      await work()
      return true
    } catch (problem) {
      this.error = problem
      return false
    } finally {
      this.busy = false
    }
  }
}
