// Converts between a bucket of the API and the fields of a form.
import type { Bucket, BucketEdit, NewBucket, PublicAccessBlock } from '../api/types'
import { bytes, rate } from './format'
import { optionalBytes, writeBytes } from './quantity'
import * as rules from './rules'

/** All fields as inputs need them. */
export interface BucketFields {
  name: string
  size: string
  limit: string
  versioning: string
  compression: string
  locked: boolean
  blocked: Required<PublicAccessBlock>
}

/** What the public access block of a bucket refuses, as check boxes. */
export const BLOCKS: { key: keyof PublicAccessBlock; label: string }[] = [
  { key: 'block_public_policy', label: 'Refuse public policies' },
  { key: 'restrict_public_buckets', label: 'Refuse requests without a signature, even if a policy allows them' },
  { key: 'block_public_acls', label: 'Refuse public ACLs' },
  { key: 'ignore_public_acls', label: 'Ignore public ACLs' },
]

/** The values of versioning that a bucket can change to. Once it has versions, versioning can only be suspended. */
export function versioningOf(bucket: Bucket | null, isLocked: boolean): (readonly [string, string])[] {
  const enabled = ['enabled', 'enabled: every version is kept'] as const
  if (isLocked) return [enabled]
  if (bucket === null || bucket.versioning === 'unversioned') return [['unversioned', 'off: a new object replaces the old one'], enabled]
  return [enabled, ['suspended', 'suspended: older versions are kept, new objects replace each other']]
}

export function fieldsOf(bucket: Bucket | null): BucketFields {
  const blocked = bucket?.public_access_block
  return {
    name: bucket?.name ?? '',
    size: writeBytes(bucket?.size),
    limit: writeBytes(bucket?.max_bytes_per_second),
    versioning: bucket?.versioning ?? 'unversioned',
    compression: bucket?.compression ?? 'lz4',
    locked: bucket?.object_lock ?? false,
    blocked: {
      block_public_policy: blocked?.block_public_policy ?? false,
      restrict_public_buckets: blocked?.restrict_public_buckets ?? false,
      block_public_acls: blocked?.block_public_acls ?? false,
      ignore_public_acls: blocked?.ignore_public_acls ?? false,
    },
  }
}

/** Returns what is wrong with each field, or null. */
export const problemsOf = (fields: BucketFields, isNew: boolean) => ({
  name: isNew ? rules.bucketName(fields.name) : null,
  size: rules.size(fields.size),
  limit: rules.limit(fields.limit),
})

export function newBucket(fields: BucketFields): NewBucket {
  return {
    name: fields.name,
    size: optionalBytes(fields.size) ?? null,
    max_bytes_per_second: optionalBytes(fields.limit) ?? null,
    versioning: fields.locked ? 'enabled' : versioningIn(fields),
    object_lock: fields.locked,
    compression: compressionIn(fields),
  }
}

/** Returns only the fields that were edited, because another user may have changed the others in the meantime. */
export function changes(fields: BucketFields, was: BucketFields): BucketEdit {
  const edit: BucketEdit = {}
  if (fields.size !== was.size) edit.size = optionalBytes(fields.size) ?? null
  if (fields.limit !== was.limit) edit.max_bytes_per_second = optionalBytes(fields.limit) ?? null
  if (fields.versioning !== was.versioning) edit.versioning = versioningIn(fields)
  if (fields.compression !== was.compression) edit.compression = compressionIn(fields)
  if (BLOCKS.some(({ key }) => fields.blocked[key] !== was.blocked[key])) {
    edit.public_access_block = Object.values(fields.blocked).some(Boolean) ? { ...fields.blocked } : null
  }
  return edit
}

/** Returns the settings that the page of a bucket shows as plain text, each with its label. */
export function settingsOf(bucket: Bucket): [label: string, text: string][] {
  const blocked = BLOCKS.filter(({ key }) => bucket.public_access_block?.[key]).map(({ label }) => label.toLowerCase())
  const tags = Object.entries(bucket.tags ?? {}).map(([name, value]) => `${name}=${value}`)
  const kept = bucket.default_retention
  const time = kept?.days ? `${kept.days} days` : kept?.years ? `${kept.years} years` : ''
  return [
    ['Versioning', bucket.versioning === 'unversioned' ? 'off' : bucket.versioning],
    ['Object lock', bucket.object_lock ? `on${kept ? `; new objects are locked for ${time} (${kept.mode})` : ''}` : 'off'],
    ['Size limit', bucket.size ? bytes(bucket.size) : 'none'],
    ['Throughput limit', bucket.max_bytes_per_second ? rate(bucket.max_bytes_per_second) : 'none'],
    ['Compression', bucket.compression],
    ['Public access', `${bucket.public ? 'the policy grants access to everyone' : 'none'}${blocked.length > 0 ? `; ${blocked.join(', ')}` : ''}`],
    ['Owner', bucket.owner],
    ...(tags.length > 0 ? [['Tags', tags.join(', ')] as [string, string]] : []),
  ]
}

// The form offers no other values.
const versioningIn = (fields: BucketFields) => fields.versioning as Bucket['versioning']
const compressionIn = (fields: BucketFields) => fields.compression as Bucket['compression']
