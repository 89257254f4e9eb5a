// The first steps on an empty pool: three questions, the lines of each broker's files, and brokers that turn green.
import { allow, expect, looksGood, signIn, test } from './console'
import { Daemon } from './daemon'

test('brokers are set up, and each is seen to mount, lock and write', async ({ page, watched }) => {
  const daemon = await Daemon.start({ s3: false })
  try {
    await page.goto(daemon.url)
    await signIn(page, daemon.token)
    await page.getByRole('region', { name: 'First steps' }).getByRole('link', { name: 'Set up brokers' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Set up brokers' })).toBeVisible()
    await expect(page.getByRole('region', { name: 'Pool' })).toContainText('syncs/s')
    await page.getByRole('button', { name: 'Create policy and volumes' }).click()
    await expect(page.getByText('Enter the host name or address of each broker.')).toBeVisible()
    await looksGood(page, 'setup-questions')

    await page.getByLabel('Brokers', { exact: true }).fill('127.0.0.1, kafka-2, kafka-3')
    await page.getByLabel('Squash', { exact: true }).selectOption('none')
    await page.getByLabel('Layout', { exact: true }).selectOption('folders')
    await page.getByLabel('Size of each volume', { exact: true }).fill('10 GiB')
    await page.getByRole('button', { name: 'Create policy and volumes' }).click()
    const second = page.getByRole('article', { name: 'Broker 2' })
    await expect(second).toContainText(/:\/kafka {2}\/var\/lib\/kafka {2}nfs {2}vers=4.2,hard,nconnect=4/)
    await expect(second).toContainText('log.dirs=/var/lib/kafka/broker-2')
    await expect(second).toContainText('not seen yet')
    await expect(second.getByRole('button', { name: 'Copy' })).toHaveCount(2)
    const volume = await daemon.api<{ export: string; size: number; uid: number }>('GET', '/volumes/kafka')
    expect(volume).toMatchObject({ export: 'brokers', size: 10 * 2 ** 30, uid: 1000 })
    const policy = await daemon.api<{ rules: { clients: string }[] }>('GET', '/export-policies/brokers')
    expect(policy.rules.map((rule) => rule.clients)).toEqual(['127.0.0.1', 'kafka-2', 'kafka-3'])

    const brokers = await daemon.kafka('/kafka', 0)
    await expect(page.getByRole('region', { name: 'Brokers' })).toContainText('3 of 3 write')
    await expect(second).toContainText('mounted, locked, writes')
    await looksGood(page, 'setup-brokers')
    // The address has the brokers.
    await page.reload()
    await expect(page.getByRole('article', { name: 'Broker 3' })).toContainText('mounted')
    await expect(page.getByLabel('Squash', { exact: true })).toHaveValue('none')
    await page.goto(daemon.url)
    await expect(page.getByRole('region', { name: 'Health' })).toBeVisible()
    await expect(page.getByRole('region', { name: 'First steps' })).toHaveCount(0)
    brokers.stdin?.end()
  } finally {
    allow(watched, daemon)
    await daemon.stop()
  }
})
