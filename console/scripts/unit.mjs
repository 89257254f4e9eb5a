// Bundles the unit tests, since Node.js 20 does not read TypeScript, and runs them.
import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { build } from 'vite'

const root = new URL('..', import.meta.url).pathname
const outDir = `${root}.cache/unit`
const input = Object.fromEntries(
  readdirSync(`${root}tests/unit`)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => [name.replace(/\.ts$/, ''), `${root}tests/unit/${name}`]),
)
rmSync(outDir, { recursive: true, force: true })
await build({
  root,
  configFile: false,
  publicDir: false,
  logLevel: 'warn',
  build: { ssr: true, outDir, rollupOptions: { input, output: { entryFileNames: '[name].mjs' } } },
})
const tests = Object.keys(input).map((name) => `${outDir}/${name}.mjs`)
process.exit(spawnSync(process.execPath, ['--test', ...tests], { stdio: 'inherit' }).status ?? 1)
