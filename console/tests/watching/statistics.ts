// What may be said of values that scatter evenly to both sides of something, and are not of one distribution that has a name.

/** The value in the middle. */
export function median(values: number[]): number {
  const sorted = ascending(values)
  const middle = sorted.length / 2
  const at = (index: number) => sorted[index] ?? Number.NaN
  return sorted.length % 2 === 1 ? at(Math.floor(middle)) : (at(middle - 1) + at(middle)) / 2
}

/** The middle of what was sampled, as Hodges and Lehmann estimate it, and between which values it lies with a probability of at least 95 %, by
 * Wilcoxon's signed ranks. Six values are the fewest for which there are any. */
export function estimate(values: number[]): { middle: number; low: number; high: number } {
  const rank = criticalSum(values.length)
  const averages = ascending(values.flatMap((one, index) => values.slice(index).map((other) => (one + other) / 2)))
  const at = (index: number) => averages[index] ?? Number.NaN
  return { middle: median(averages), low: at(rank), high: at(averages.length - 1 - rank) }
}

/** The largest sum of signed ranks of that many values that is reached or gone below with a chance of at most 2.5 %. */
export function criticalSum(count: number): number {
  // The chance of each sum: each rank is in it or not.
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
