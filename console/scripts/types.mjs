// Writes src/api/schema.ts from the daemon's OpenAPI document, or checks that it is current.
import { readFileSync, writeFileSync } from 'node:fs'
import openapi, { astToString } from 'openapi-typescript'

const DOCUMENT = new URL('../../docs/reference/openapi.json', import.meta.url)
const SCHEMA = new URL('../src/api/schema.ts', import.meta.url)
const HEADER = `// Made from docs/reference/openapi.json by \`npm run types\`; not to be edited.\n\n`

const made = HEADER + astToString(await openapi(JSON.parse(readFileSync(DOCUMENT, 'utf8'))))
if (process.argv[2] === 'write') {
  writeFileSync(SCHEMA, made)
} else if (readFileSync(SCHEMA, 'utf8') !== made) {
  console.error('src/api/schema.ts is not what docs/reference/openapi.json says; run `npm run types`')
  process.exit(1)
}
