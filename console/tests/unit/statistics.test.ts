import assert from 'node:assert/strict'
import { test } from 'node:test'
import { criticalSum, estimate, median } from '../watching/statistics'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => count - index)

test('the median is in the middle', () => {
  assert.equal(median([3, 1, 2]), 2)
  assert.equal(median([4, 1, 3, 2]), 2.5)
})

test('critical sums of signed ranks are those of the tables', () => {
  // Two-sided, 5 %, as statistical tables have them.
  for (const [count, sum] of [[6, 0], [7, 2], [8, 3], [9, 5], [10, 8], [12, 13], [15, 25], [20, 52], [25, 89], [30, 137]] as const) {
    assert.equal(criticalSum(count), sum, `${count} values`)
  }
  assert.throws(() => criticalSum(5))
})

test('an estimate lies in the middle, and its interval around it', () => {
  // With six values the interval covers all of them.
  assert.deepEqual(estimate([6, 1, 4, 3, 5, 2]), { middle: 3.5, low: 1, high: 6 })
  const { middle, low, high } = estimate([...numbers(20), 1000])
  assert.ok(low < middle && middle < high && high < 20, 'one value far away is not followed')
})
