import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { largest, squarified } from '../../src/lib/treemap'

const near = (one: number, other: number) => Math.abs(one - other) < 1e-6 * Math.max(1, other)

test('areas are proportional, fill the box, and do not overlap', () => {
  for (const [width, height] of [[600, 400], [300, 900], [1000, 10]] as const) {
    for (const values of [[6, 6, 4, 3, 2, 2, 1], [1], [1e15, 1, 1], Array.from({ length: 25 }, (_, index) => 1000 / (index + 1))]) {
      const rects = squarified(values, width, height)
      equal(rects.length, values.length)
      const total = values.reduce((sum, value) => sum + value, 0)
      rects.forEach((rect, index) => {
        ok(near(rect.width * rect.height, ((values[index] ?? 0) / total) * width * height), `${values} at ${index}`)
        ok(rect.x >= -1e-6 && rect.y >= -1e-6 && rect.x + rect.width <= width * (1 + 1e-9) + 1e-6 && rect.y + rect.height <= height * (1 + 1e-9) + 1e-6)
        for (const other of rects.slice(index + 1)) {
          const across = Math.min(rect.x + rect.width, other.x + other.width) - Math.max(rect.x, other.x)
          const down = Math.min(rect.y + rect.height, other.y + other.height) - Math.max(rect.y, other.y)
          ok(across < 1e-6 || down < 1e-6, 'two overlap')
        }
      })
    }
  }
})

test('rectangles are rather squares than strips', () => {
  const ratios = squarified([6, 6, 4, 3, 2, 2, 1], 600, 400).map((rect) => Math.max(rect.width / rect.height, rect.height / rect.width))
  ok(Math.max(...ratios) < 3, `${ratios}`)
})

test('a box without a size, and nothing to show, have no rectangles', () => {
  deepEqual(squarified([], 100, 100), [])
  deepEqual(squarified([1, 2], 0, 100).map((rect) => rect.width), [0, 0])
  deepEqual(squarified([0], 100, 100).map((rect) => rect.width), [0])
})

test('small items and those beyond the maximum are counted together', () => {
  const found = largest([5, 0, 900, 90, 4, 1], (value) => value, 3, 0.004)
  deepEqual(found, { items: [900, 90, 5], rest: { count: 2, value: 5 } })
  deepEqual(largest([900, 3], (value) => value, 10, 0.1), { items: [900], rest: { count: 1, value: 3 } })
  deepEqual(largest([], (value: number) => value, 10, 0.1), { items: [], rest: { count: 0, value: 0 } })
})
