// The page about Kafka, on what brokers would have written.
import { readFileSync } from 'node:fs'
import { allow, expect, looksGood, signIn, test } from './console'
import { Daemon } from './daemon'
import { bytes } from '../../src/lib/format'

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
    const map = page.getByRole('region', { name: 'Map of topics' })
    const tile = map.getByRole('link', { name: /^clickstream .* stored, \d+ %$/ })
    await expect(tile).toBeVisible()
    // The areas are those of the stored bytes.
    const area = async (name: RegExp) => map.getByRole('link', { name }).evaluate((element) => element.clientWidth * element.clientHeight)
    expect(await area(/^clickstream/)).toBeGreaterThan(4 * (await area(/^old-events/)))
    expect(await area(/^clickstream/)).toBeLessThan(1.2 * (await area(/^orders/)))
    await looksGood(page, 'kafka-topics')
    await topics.getByRole('button', { name: 'Topic', exact: false }).first().click()
    await expect(topics.getByRole('row').nth(1)).toContainText('__consumer_offsets')
    await topics.getByLabel('Filter topics').fill('click')
    await expect(topics.getByRole('row')).toHaveCount(2)
    const [download] = await Promise.all([page.waitForEvent('download'), topics.getByRole('button', { name: 'Export CSV' }).click()])
    expect(download.suggestedFilename()).toContain('.csv')
    const [head = '', first = ''] = readFileSync(await download.path(), 'utf8').split('\r\n')
    expect(head).toContain('bytes_growth_per_day,bytes_growth_last_day,oldest,age_ratio')
    expect(first).toMatch(/^clickstream,1,3,.*Z,1$/)
    await topics.getByLabel('Filter topics').fill('nothing')
    await expect(topics).toContainText('No topic has “nothing” in its name.')

    const sections = page.getByRole('navigation', { name: 'Sections about Kafka' })
    await topics.getByLabel('Filter topics').fill('')
    // With the keyboard alone.
    await tile.focus()
    await page.keyboard.press('Enter')
    const topic = page.getByRole('region', { name: 'Topic clickstream' })
    await expect(topic).toContainText('factor 3')
    await expect(topic).toContainText('the same on all replicas')
    await expect(page.getByRole('region', { name: 'Size by day' })).toContainText('begins with the second day')
    await expect(page.getByRole('group', { name: 'Replicas' }).getByRole('row')).toHaveCount(4)
    await page.getByRole('link', { name: 'All topics' }).click()
    await expect(map).toBeVisible()

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

    await sections.getByRole('link', { name: 'What if' }).click()
    const whatIf = page.getByRole('region', { name: 'What if', exact: true }).first()
    await whatIf.getByRole('button', { name: 'Add' }).click()
    await expect(whatIf).toContainText('Which topic?')
    await whatIf.getByLabel('Topic', { exact: true }).fill('clickstream')
    await whatIf.getByRole('button', { name: 'Add' }).click()
    const deletion = whatIf.getByRole('row', { name: /Delete clickstream/ })
    await expect(deletion).toBeVisible({ timeout: 30_000 })
    // No other topic shares its chunks.
    const stored = await page.evaluate(async (token) => {
      const options = { headers: { Authorization: `Bearer ${token}` } }
      const { items } = await (await fetch('/api/v1/kafka/clusters', options)).json()
      const topics = await (await fetch(`/api/v1/kafka/clusters/${items[0].cluster}/topics?filter=clickstream`, options)).json()
      return topics.items[0].figures.bytes_stored as number
    }, daemon.token)
    expect(stored).toBeGreaterThan(0)
    await expect(deletion).toContainText(bytes(stored))
    await expect(whatIf.getByRole('status')).toContainText('All together return')
    await whatIf.getByLabel('Change', { exact: true }).selectOption('factor')
    await whatIf.getByLabel('Topic', { exact: true }).fill('clickstream')
    await whatIf.getByLabel('Replicas to keep').fill('1')
    await whatIf.getByRole('button', { name: 'Add' }).click()
    // Replicas are stored once.
    await expect(whatIf.getByRole('row', { name: /Keep 1 replica of clickstream/ })).toContainText('0 B')
    await whatIf.getByLabel('Change', { exact: true }).selectOption('retain')
    await whatIf.getByLabel('Topic', { exact: true }).fill('orders')
    await whatIf.getByLabel('Keep for, days').fill('400')
    await whatIf.getByRole('button', { name: 'Add' }).click()
    await expect(whatIf.getByRole('row', { name: /Keep orders for/ })).toBeVisible()
    await looksGood(page, 'kafka-what-if')
    await whatIf.getByRole('button', { name: /Remove: Keep 1 replica/ }).click()
    await expect(whatIf.getByRole('row')).toHaveCount(3)

    await sections.getByRole('link', { name: 'Clean-up' }).click()
    await expect(page.getByRole('row', { name: /broker-1\/old-events/ })).toContainText('stray')
    await looksGood(page, 'kafka-cleanup')

    await sections.getByRole('link', { name: 'Snapshots' }).click()
    await expect(page.getByText('There are no snapshots.')).toBeVisible()
    await daemon.api('POST', '/volumes/kafka/snapshots', { name: 'nightly' })
    await page.reload()
    const snapshot = page.getByRole('region', { name: 'Snapshots', exact: true })
    await snapshot.getByRole('button', { name: 'orders', exact: true }).click()
    const replicas = page.getByRole('region', { name: 'Replicas in the snapshot' })
    await expect(replicas.getByRole('row', { name: /broker-3\/orders-1/ })).toContainText('3500 – 4000')
    await expect(replicas).toContainText('cp -a /mnt/.snapshot/nightly/broker-1/orders-1 .')
    await looksGood(page, 'kafka-snapshot')

    brokers.stdin?.end()
    await sections.getByRole('link', { name: 'Brokers' }).click()
    await page.goto('about:blank')
    allow(watched, daemon)
  } finally {
    await daemon.stop()
  }
})

test('a topic has a graph of its days, and says what is unusual about it', async ({ page, watched }) => {
  const daemon = await Daemon.start({ s3: false, settings: ['--kafka-interval-seconds', '1'] })
  let again: Daemon | undefined
  try {
    await daemon.kafka('/kafka', 0)
    await expect.poll(async () => (await daemon.run(['kafka', 'topics'])).text, { timeout: 30_000 }).toContain('clickstream')
    await daemon.end()
    // As a daemon of the last month would have left it.
    const today = Math.floor(Date.now() / 86_400_000)
    const rows = Array.from({ length: 30 }, (_, index) => index).filter((index) => index !== 11)
      .map((index) => [(today - 30 + index) * 86_400 + 80_000, 1, (30 + index) * 300_000, (30 + index) * 100_000, 2_000_000, null])
    daemon.history('kafka-topics', [{ cluster: '5L6g3nShT-eMCtK--X86sw', topic: 'clickstream', rows }])
    again = await Daemon.start({ s3: false, settings: ['--kafka-interval-seconds', '1'], pool: daemon })
    await page.goto(again.url)
    await signIn(page, daemon.token)
    await page.goto(`${again.url}/kafka?show=topic&topic=clickstream`)
    const graph = page.getByRole('region', { name: 'Size by day' })
    await expect(graph).toContainText('30 days', { timeout: 30_000 })
    await expect(graph.locator('canvas')).toBeVisible()
    await expect(graph.getByRole('row', { name: /in files/ })).toContainText('MiB')
    const topic = page.getByRole('region', { name: 'Topic clickstream' })
    await expect(topic.locator('dt', { hasText: 'Growth per day' }).locator('xpath=following-sibling::dd[1]')).toHaveText('293 KiB a day')
    await looksGood(page, 'kafka-topic')
    await page.getByRole('navigation', { name: 'Sections about Kafka' }).getByRole('link', { name: 'Topics' }).click()
    const topics = page.getByRole('region', { name: 'Topics', exact: true })
    await expect(topics.getByRole('row', { name: /clickstream/ })).toContainText('293 KiB/d')
    // Sorted by growth, the only topic whose growth is known comes first.
    await topics.getByRole('button', { name: 'Growth' }).click()
    await expect(topics.getByRole('row').nth(1)).toContainText('clickstream')

    // Findings that need days and gigabytes are put into the answer.
    const older = { partition: 0, node: 3, oldest: new Date((today - 21) * 86_400_000).toISOString(), oldest_of_peers: new Date((today - 7) * 86_400_000).toISOString() }
    await page.route(/\/topics\?limit=500/, async (route) => {
      const response = await route.fetch()
      const found = await response.json()
      const unusual = { is_growing_fast: true, bytes_growth_last_day: 5e9, age_ratio: 3, older }
      await route.fulfill({ response, json: { ...found, items: found.items.map((one: { topic: string }) => (one.topic === 'orders' ? { ...one, ...unusual } : one)) } })
    })
    await page.reload()
    const orders = topics.getByRole('row', { name: /orders/ })
    await expect(orders).toContainText('grows fast')
    await expect(orders.getByTitle('4.66 GiB/d in the last day, usually –')).toBeVisible()
    await expect(orders.getByTitle(/^partition 0 on broker 3 has records of 21 d, others of 7 d$/)).toContainText('keeps old records')
    await expect(orders).toContainText('3.0 ×')
    await expect(page.getByRole('region', { name: 'Map of topics' }).getByRole('link', { name: /orders .*, grows fast$/ })).toBeVisible()
    await topics.getByRole('button', { name: 'Of peers' }).click()
    await expect(topics.getByRole('row').nth(1)).toContainText('orders')
    await looksGood(page, 'kafka-unusual')
    await page.goto('about:blank')
    allow(watched, again)
  } finally {
    await again?.stop()
    await daemon.stop()
  }
})
