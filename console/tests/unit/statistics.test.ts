import assert from 'node:assert/strict'
import { test } from 'node:test'
import { interval, median } from '../watching/statistics'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => count - index)

test('the median is in the middle', () => {
  assert.equal(median([3, 1, 2]), 2)
  assert.equal(median([4, 1, 3, 2]), 2.5)
})

test('the interval of the median is that of the tables', () => {
  // Ranks of the sign test's 95 % interval, as statistical tables have them.
  for (const [count, low] of [[6, 1], [8, 1], [9, 2], [10, 2], [12, 3], [20, 6], [24, 7], [30, 10]] as const) {
    assert.deepEqual(interval(numbers(count)), [low, count + 1 - low], `${count} values`)
  }
  assert.throws(() => interval(numbers(5)))
})
