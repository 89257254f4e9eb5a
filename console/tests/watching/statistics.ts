// What may be said of values that scatter, without an assumption about how.

/** The value in the middle. */
export function median(values: number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  const middle = sorted.length / 2
  const at = (index: number) => sorted[index] ?? Number.NaN
  return sorted.length % 2 === 1 ? at(Math.floor(middle)) : (at(middle - 1) + at(middle)) / 2
}

/** Values between which the median of what was sampled lies with a probability of at least 95 %: two of the sampled ones, by the binomial
 * distribution. Six values are the fewest for which there are any. */
export function interval(values: number[]): [number, number] {
  const count = values.length
  // The chance that fewer than `rank` + 1 of the values lie below the median.
  let chance = 0.5 ** count
  let below = chance
  if (below > 0.025) throw new Error(`${count} values are too few for an interval`)
  let rank = 0
  for (;;) {
    chance *= (count - rank) / (rank + 1)
    if (below + chance > 0.025) break
    below += chance
    rank += 1
  }
  const sorted = [...values].sort((one, other) => one - other)
  return [sorted[rank] ?? Number.NaN, sorted[count - 1 - rank] ?? Number.NaN]
}
