// After a build: compresses what gets smaller, and fails if a first visit would load more than it may.
// Usage: node scripts/size.mjs [FOLDER]
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

const BYTES_MAX = 200 * 1024
const dist = process.argv[2] ?? new URL('../dist', import.meta.url).pathname

function* files(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) yield* files(path)
    else if (!name.endsWith('.gz')) yield path
  }
}

let loaded = 0
for (const path of files(dist)) {
  const plain = readFileSync(path)
  const gzip = gzipSync(plain, { level: 9 })
  if (gzip.length < plain.length * 0.9) writeFileSync(`${path}.gz`, gzip)
  if (/\.(js|css)$/.test(path)) loaded += Math.min(gzip.length, plain.length)
}
console.log(`JavaScript and CSS: ${(loaded / 1024).toFixed(1)} KiB compressed, of ${BYTES_MAX / 1024} KiB at most`)
if (loaded > BYTES_MAX) {
  console.error('size: too large; load less, or split it')
  // It must not be taken for a build that is good.
  rmSync(join(dist, 'index.html'), { force: true })
  process.exit(1)
}
