// Shared by the pages of S3.
import { ApiError } from '../api/client'
import type { ObjectItem, S3Key, VersionItem } from '../api/types'

/** Whether a request failed because the daemon does not serve S3. */
export const isOff = (error: unknown) => error instanceof ApiError && error.code === 's3_is_off'

/** Whether an object or a document does not exist. */
export const isMissing = (error: unknown) => error instanceof ApiError && error.status === 404

/** A page of keys, as the browser of objects shows it. */
export interface Listing {
  items: (ObjectItem | VersionItem)[]
  prefixes: string[]
  next?: string | null
  next_version?: string | null
}

/** The part of the objects of a bucket that a page shows. */
export interface Place {
  prefix: string
  after: string | null
  afterVersion: string | null
  versions: boolean
}

const PAGE_LENGTH = 100

export function placeOf(query: URLSearchParams): Place {
  return { prefix: query.get('prefix') ?? '', after: query.get('after'), afterVersion: query.get('after_version'), versions: query.has('versions') }
}

/** The query of the console's page for a place. */
export function queryOf(place: Place): string {
  const query = new URLSearchParams({ show: 'objects' })
  if (place.prefix) query.set('prefix', place.prefix)
  if (place.versions) query.set('versions', '')
  return `?${withStart(query, place)}`
}

/** The request that lists a place, below the bucket's path. */
export function requestOf(place: Place): string {
  const query = new URLSearchParams({ delimiter: '/', limit: String(PAGE_LENGTH), ...(place.prefix ? { prefix: place.prefix } : {}) })
  return `/${place.versions ? 'versions' : 'objects'}?${withStart(query, place)}`
}

function withStart(query: URLSearchParams, place: Place): URLSearchParams {
  if (place.after !== null) query.set('after', place.after)
  if (place.after !== null && place.afterVersion !== null && place.versions) query.set('after_version', place.afterVersion)
  return query
}

/** The levels above a prefix and itself, each with its name: `logs/`, then `2026/`. */
export function levelsOf(prefix: string): { name: string; prefix: string }[] {
  const levels: { name: string; prefix: string }[] = []
  let start = 0
  while (start < prefix.length) {
    const slash = prefix.indexOf('/', start)
    const end = slash < 0 ? prefix.length : slash + 1
    levels.push({ name: prefix.slice(start, end), prefix: prefix.slice(0, end) })
    start = end
  }
  return levels
}

/** The name of a key below a prefix. The last level of the prefix may be only the beginning of a name. */
export function nameBelow(prefix: string, key: string): string {
  return key.slice(prefix.lastIndexOf('/') + 1) || key
}

/** Whether requests with a key are accepted, and why not. */
export function stateOf(key: S3Key, now = Date.now()): { text: string; tone: 'good' | 'warn' | 'bad' } {
  if (!key.usable) return { text: 'unusable', tone: 'bad' }
  if (key.disabled) return { text: 'disabled', tone: 'warn' }
  if (key.expires && Date.parse(key.expires) <= now) return { text: 'expired', tone: 'warn' }
  return { text: 'active', tone: 'good' }
}

/** The lines for `~/.aws/credentials`. */
export const credentialsOf = (user: string, id: string, secret: string) => `[${user}]\naws_access_key_id = ${id}\naws_secret_access_key = ${secret}\n`

const statement = (action: string[], bucket: string) => ({
  Effect: 'Allow',
  Action: action,
  Resource: [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`],
})

/** Documents to begin with. */
export const EXAMPLES = {
  policy: (bucket: string, principal: string) => ({
    Version: '2012-10-17',
    Statement: [{ Sid: 'read', Principal: { AWS: [principal] }, ...statement(['s3:GetObject', 's3:ListBucket'], bucket) }],
  }),
  groupPolicy: () => ({ Version: '2012-10-17', Statement: [statement(['s3:GetObject', 's3:ListBucket'], 'BUCKET')] }),
  lifecycle: () => ({ rules: [{ id: 'temporary', prefix: 'tmp/', expire_days: 7, abort_uploads_days: 2 }] }),
  cors: () => ({ rules: [{ allowed_origins: ['https://example.com'], allowed_methods: ['GET', 'HEAD'], max_age_seconds: 3600 }] }),
}
