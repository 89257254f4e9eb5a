// A client of S3 that signs its requests, and example content for the pages of S3.
import { createHash, createHmac } from 'node:crypto'
import type { Daemon } from './daemon'

export interface AccessKey {
  id: string
  secret: string
}

const REGION = 'us-east-1'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const encoded = (text: string) => encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)

/** Sends a request with Signature Version 4, and returns its status. */
export async function send(url: string, key: AccessKey, method: string, bucket: string, object: string, body = ''): Promise<number> {
  const time = `${new Date().toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
  const scope = `${time.slice(0, 8)}/${REGION}/s3/aws4_request`
  const path = `/${bucket}/${object.split('/').map(encoded).join('/')}`
  const headers: Record<string, string> = { host: new URL(url).host, 'x-amz-content-sha256': sha256(body), 'x-amz-date': time }
  const names = Object.keys(headers).join(';')
  const canonical = [method, path, '', ...Object.entries(headers).map(([name, value]) => `${name}:${value}`), '', names, sha256(body)].join('\n')
  const signing = [time.slice(0, 8), REGION, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${key.secret}`)
  const signature = hmac(signing, ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')).toString('hex')
  const { host: _, ...sent } = headers
  const authorization = `AWS4-HMAC-SHA256 Credential=${key.id}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  const response = await fetch(url + path, { method, headers: { ...sent, authorization }, ...(method === 'PUT' ? { body } : {}) })
  await response.arrayBuffer()
  return response.status
}

/** Stores an object as the first user of S3. Fails unless that succeeds. */
export async function store(daemon: Daemon, bucket: string, object: string, body: string): Promise<void> {
  const status = await send(daemon.s3, daemon.s3Key(), 'PUT', bucket, object, body)
  if (status !== 200) throw new Error(`PUT ${bucket}/${object}: ${status}`)
}

/** Deletes an object as the first user of S3. Fails unless that succeeds. */
export async function drop(daemon: Daemon, bucket: string, object: string): Promise<void> {
  const status = await send(daemon.s3, daemon.s3Key(), 'DELETE', bucket, object)
  if (status !== 204) throw new Error(`DELETE ${bucket}/${object}: ${status}`)
}

/** A policy that lets the members of a group read a bucket. */
export const reading = (bucket: string) => ({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: ['s3:GetObject', 's3:ListBucket'], Resource: [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`] }],
})

/** Makes buckets, users and groups such as a user of the console would have. Does nothing if they exist. */
export async function examples(daemon: Daemon): Promise<void> {
  const there = await daemon.api<{ items: { name: string }[] }>('GET', '/buckets')
  if (there.items.some((one) => one.name === 'backup')) return
  await daemon.api('POST', '/buckets', { name: 'backup', versioning: 'enabled', size: 10 * 2 ** 30, max_bytes_per_second: 200 * 2 ** 20, tags: { team: 'kafka' } })
  await daemon.api('POST', '/buckets', { name: 'kafka-tiered' })
  await daemon.api('POST', '/buckets', { name: 'legal-archive', object_lock: true })
  for (const object of ['README.txt', 'logs/2026/11/24.log', 'logs/2026/11/25.log', 'logs/current.log', 'reports/quarter-3.pdf']) {
    await store(daemon, 'backup', object, `the content of ${object}\n`.repeat(4000))
  }
  await store(daemon, 'backup', 'README.txt', 'a newer version\n')
  await drop(daemon, 'backup', 'reports/quarter-3.pdf')
  await store(daemon, 'kafka-tiered', 'topic-0/00000000000000000000.log', 'records'.repeat(50_000))
  for (const name of ['alice', 'bob']) await daemon.api('POST', '/s3/users', { name })
  await daemon.api('POST', '/s3/users/alice/keys', { expires_in: 90 * 86_400 })
  await daemon.api('PATCH', '/s3/users/bob', { disabled: true })
  await daemon.api('POST', '/s3/groups', { name: 'readers' })
  await daemon.api('PUT', '/s3/groups/readers/policies/read', reading('backup'))
  await daemon.api('PUT', '/s3/groups/readers/members/alice')
  const [statement] = reading('backup').Statement
  const Principal = { AWS: ['arn:aws:iam::000000000000:user/alice'] }
  await daemon.api('PUT', '/buckets/backup/policy', { Version: '2012-10-17', Statement: [{ Sid: 'read', Principal, ...statement }] })
  await daemon.api('PUT', '/buckets/backup/lifecycle', { rules: [{ id: 'temporary', prefix: 'tmp/', expire_days: 7, abort_uploads_days: 2 }] })
}
