// A pool whose segments lie in a bucket: the page of the pool says what was asked of the bucket, and when it does not answer.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allow, expect, looksGood, signIn, test } from './console'
import { Daemon, built } from './daemon'
import { Database } from './database'

test('the page of a pool shows its bucket', async ({ page, watched }) => {
  test.setTimeout(120_000)
  const database = new Database()
  const server = await Daemon.start()
  let daemon: Daemon | undefined
  try {
    const made = await server.run(['bucket', 'create', 'segments'])
    expect(made.status, made.text).toBe(0)
    const { id, secret } = server.s3Key()
    const keys = join(mkdtempSync(join(tmpdir(), 'forebay-keys-')), 'keys')
    writeFileSync(keys, `${id}\n${secret}\n`)
    const pool = database.pool(built('forebay', 'FOREBAY_BINARY'), 'kafka', { place: 's3://segments/kafka', endpoint: server.s3, keys })
    daemon = await Daemon.start({ s3: false, database: pool, settings: ['--object-store-prices', '0.005 0.0004 0.023'] })
    await daemon.client('/kafka')
    allow(watched, daemon)
    await page.goto(daemon.url)
    await signIn(page, daemon.token)
    await page.getByRole('link', { name: 'Pool', exact: true }).click()
    const bucket = page.getByRole('region', { name: 'Bucket', exact: true })
    await expect(bucket).toContainText('s3://segments/kafka')
    await expect(bucket).toContainText('answers')
    await expect(bucket).toContainText(/in [1-9]\d* requests?/)
    await expect(bucket).toContainText('estimated from the tenth minute on')
    await looksGood(page, 'bucket')
    server.pause()
    await expect(bucket).toContainText(/has not answered for/, { timeout: 30_000 })
    server.resume()
    await expect(bucket).toContainText('answers', { timeout: 30_000 })
  } finally {
    server.resume()
    await daemon?.stop()
    await server.stop()
    database.stop()
  }
})

test('a pool in a directory has no panel of a bucket', async ({ admin: page }) => {
  await page.getByRole('link', { name: 'Pool', exact: true }).click()
  await expect(page.getByRole('region', { name: 'Sizes', exact: true })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Bucket', exact: true })).toHaveCount(0)
})
