// Statistics for values with a symmetric, but unknown, distribution.

/** The median. */
export function median(values: number[]): number {
  const sorted = ascending(values)
  const middle = sorted.length / 2
  const at = (index: number) => sorted[index] ?? Number.NaN
  return sorted.length % 2 === 1 ? at(Math.floor(middle)) : (at(middle - 1) + at(middle)) / 2
}

/** The centre of the distribution (Hodges-Lehmann estimate), and an interval that contains it with a probability of at least 95 % (Wilcoxon's
 * signed ranks). Needs at least six values. */
export function estimate(values: number[]): { middle: number; low: number; high: number } {
  const rank = criticalSum(values.length)
  const averages = ascending(values.flatMap((one, index) => values.slice(index).map((other) => (one + other) / 2)))
  const at = (index: number) => averages[index] ?? Number.NaN
  return { middle: median(averages), low: at(rank), high: at(averages.length - 1 - rank) }
}

/** The largest sum of signed ranks of `count` values that has a probability of at most 2.5 % of being reached or undercut. */
export function criticalSum(count: number): number {
  // The probability of each sum: each rank is either in it or not.
  let chances = [1]
  for (let rank = 1; rank <= count; rank += 1) {
    const without = chances
    chances = Array.from({ length: without.length + rank }, (_, sum) => ((without[sum] ?? 0) + (without[sum - rank] ?? 0)) / 2)
  }
  let [critical, below] = [-1, 0]
  for (const chance of chances) {
    below += chance
    if (below > 0.025) break
    critical += 1
  }
  if (critical < 0) throw new Error(`${count} values are too few for an interval`)
  return critical
}

const ascending = (values: number[]) => [...values].sort((one, other) => one - other)
