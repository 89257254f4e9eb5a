// An action of the user: whether it is in progress, and why it failed.

export class Action {
  busy = $state(false)
  error = $state.raw<unknown>(null)

  /** Returns whether the action succeeded. Does nothing while it is in progress. */
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
