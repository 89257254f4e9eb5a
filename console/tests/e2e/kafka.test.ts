// The page about Kafka, on what brokers would have written.
import { allow, expect, looksGood, signIn, test } from './console'
import { Daemon } from './daemon'

test('topics, brokers, the matrix, cost and clean-up of a cluster are shown', async ({ page, watched }) => {
  const daemon = await Daemon.start({ s3: false, settings: ['--kafka-interval-seconds', '1'] })
  try {
    await page.goto(daemon.url)
    await signIn(page, daemon.token)
    await page.getByRole('link', { name: 'Kafka', exact: true }).click()
    await expect(page.getByText('No log directory of Kafka was found.')).toBeVisible()
    await looksGood(page, 'kafka-none')

    const brokers = await daemon.kafka('/kafka', 3)
    const topics = page.getByRole('region', { name: 'Topics', exact: true }).first()
    await expect(topics.getByRole('link', { name: 'orders', exact: true })).toBeVisible({ timeout: 30_000 })
    await expect(topics.getByRole('row', { name: /clickstream/ })).toContainText('3.00 : 1')
    await expect(topics.getByRole('row', { name: /__consumer_offsets/ })).toContainText('compacted')
    await expect(topics.getByRole('row', { name: /old-events/ })).toContainText('stray')
    await expect(page.getByRole('region', { name: 'What the pool stores' })).toContainText('Only in snapshots')
    await looksGood(page, 'kafka-topics')
    await topics.getByRole('button', { name: 'Topic', exact: false }).first().click()
    await expect(topics.getByRole('row').nth(1)).toContainText('__consumer_offsets')
    await topics.getByLabel('Filter topics').fill('click')
    await expect(topics.getByRole('row')).toHaveCount(2)
    const [download] = await Promise.all([page.waitForEvent('download'), topics.getByRole('button', { name: 'Export CSV' }).click()])
    expect(download.suggestedFilename()).toContain('.csv')
    await topics.getByLabel('Filter topics').fill('nothing')
    await expect(topics).toContainText('No topic has “nothing” in its name.')

    const sections = page.getByRole('navigation', { name: 'Sections about Kafka' })
    await sections.getByRole('link', { name: 'Brokers' }).click()
    await expect(page.getByRole('row', { name: /broker 2/ })).toContainText('127.0.0.1')
    await expect(page.getByRole('row', { name: /broker 2/ })).toContainText('up')
    await looksGood(page, 'kafka-brokers')

    await sections.getByRole('link', { name: 'Replicas stored once' }).click()
    await page.getByLabel('Topic', { exact: true }).selectOption('orders')
    const matrix = page.getByRole('region', { name: 'Replicas stored once', exact: true }).first()
    await expect(matrix.getByRole('row', { name: /orders-0/ })).toContainText('100 %')
    await expect(matrix).toContainText('orders-1 on broker 3 shares 0')
    await expect(matrix).toContainText('rebuilt from another offset')
    await looksGood(page, 'kafka-sharing')

    await sections.getByRole('link', { name: 'Cost' }).click()
    await expect(page.getByRole('region', { name: 'Cost', exact: true }).first()).toContainText('clickstream')
    await looksGood(page, 'kafka-cost')

    await sections.getByRole('link', { name: 'Clean-up' }).click()
    await expect(page.getByRole('row', { name: /broker-1\/old-events/ })).toContainText('stray')
    await looksGood(page, 'kafka-cleanup')

    brokers.stdin?.end()
    await sections.getByRole('link', { name: 'Brokers' }).click()
    await page.goto('about:blank')
    allow(watched, daemon)
  } finally {
    await daemon.stop()
  }
})
