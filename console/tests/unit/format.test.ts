import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytes, bytesDecimal, count, duration, natural, percent, rate, ratio, several, span } from '../../src/lib/format'

test('bytes have three digits and binary units', () => {
  const cases: [number | null, string][] = [
    [0, '0 B'], [999, '999 B'], [1000, '0.98 KiB'], [1024, '1.00 KiB'], [1536, '1.50 KiB'], [10 * 1024, '10.0 KiB'],
    [123 * 1024 ** 2, '123 MiB'], [1023 * 1024 ** 3, '1.00 TiB'], [2 ** 50, '1.00 PiB'], [null, '–'],
  ]
  for (const [value, text] of cases) assert.equal(bytes(value), text)
  assert.equal(rate(1024 ** 2), '1.00 MiB/s')
  assert.equal(bytesDecimal(778.2e12), '778 TB')
})

test('numbers of things are whole as long as they are small', () => {
  assert.deepEqual([0, 7, 999, 1000, 12_345, 2.5].map(count), ['0', '7', '999', '1.00 k', '12.3 k', '2.50'])
  assert.deepEqual([several(1, 'volume'), several(2, 'volume')], ['1 volume', '2 volumes'])
})

test('times have the unit that fits', () => {
  assert.deepEqual([0, 35e-9, 350e-6, 0.0012, 0.9999, 12].map(duration), ['0 s', '35.0 ns', '350 µs', '1.20 ms', '1.00 s', '12.0 s'])
  assert.deepEqual([-1, 59, 60, 3600, 90_000].map(span), ['0 s', '59 s', '1 min', '1 h', '1 d'])
})

test('what is no number is not shown as one', () => {
  assert.deepEqual([ratio(2.789), ratio(Number.NaN), percent(0.0123), percent(0.5), percent(0 / 0)], ['2.79 : 1', '–', '1.2 %', '50 %', '–'])
})

test('numbers in names are in order', () => {
  assert.deepEqual(['b10', 'b2', 'b1', 'Broker_4'].sort(natural), ['b1', 'b2', 'b10', 'Broker_4'])
})
