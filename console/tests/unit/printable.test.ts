import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from '../../src/lib/printable'

test('what an answer would hide is written out, and all else is as it was', () => {
  const answer = { owner: 'evil\u001b[2J\u202e\nforged', path: '/größer/日本', count: 7, none: null, list: ['a', 'b\u007f'] }
  assert.deepEqual(parse(JSON.stringify(answer)), {
    ...answer,
    owner: 'evil\\u{1b}[2J\\u{202e}\\u{a}forged',
    list: ['a', 'b\\u{7f}'],
  })
})
