import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

/** The outcome of a build with this many bytes of incompressible JavaScript. */
function sized(bytes: number): { status: number | null; index: boolean } {
  const folder = mkdtempSync(join(tmpdir(), 'forebay-size-'))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<p>')
  writeFileSync(join(folder, 'assets/index.js'), randomBytes(bytes))
  const { status } = spawnSync(process.execPath, ['scripts/size.mjs', folder], { encoding: 'utf8' })
  const index = existsSync(join(folder, 'index.html'))
  rmSync(folder, { recursive: true })
  return { status, index }
}

test('a console of more than 200 KiB is no build', () => {
  assert.deepEqual(sized(199 * 1024), { status: 0, index: true })
  assert.deepEqual(sized(201 * 1024), { status: 1, index: false })
})
