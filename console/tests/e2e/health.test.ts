// Problems are shown on the Overview and the Alerts page, and nothing is green unless it is known to be healthy.
import type { Page } from '@playwright/test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allow, expect, looksGood, signIn, test } from './console'
import { Daemon } from './daemon'

/** The number of visible elements whose text or background is green. */
const green = (page: Page) =>
  page.evaluate(() => {
    const isGreen = (color: string) => {
      const [red = 0, green = 0, blue = 0, alpha = 1] = (/rgba?\(([^)]*)\)/.exec(color)?.[1] ?? '').split(/[ ,/]+/).map(Number)
      return alpha > 0 && green > red * 1.3 && green > blue * 1.3
    }
    const isGrey = (element: Element) => element.closest('.stale') !== null
    return [...document.querySelectorAll('main *')].filter((element) => {
      const style = getComputedStyle(element)
      return !isGrey(element) && element.checkVisibility() && (isGreen(style.color) || isGreen(style.backgroundColor))
    }).length
  })

const refuse = async (daemon: Daemon) => {
  await daemon.api('POST', '/export-policies', { name: 'brokers', rules: [] })
  await daemon.api('PATCH', '/volumes/kafka', { export: 'brokers' })
}

test('a daemon that is killed is never healthy, and everything that is old is grey', async ({ page, watched }) => {
  const daemon = await Daemon.start({ s3: false })
  let again: Daemon | undefined
  try {
    await page.goto(daemon.url)
    await signIn(page, daemon.token)
    const health = page.getByRole('region', { name: 'Health' })
    await expect(health).toContainText('Healthy')
    expect(await green(page)).toBeGreaterThan(0)
    const client = await daemon.client('/kafka')
    await expect(page.getByRole('region', { name: 'Busiest now' })).toContainText('kafka')
    await looksGood(page, 'health-well')
    await daemon.kill()
    await expect(health).toContainText('The daemon does not answer')
    await expect(health).toContainText('systemctl start forebay')
    await expect(page.getByText('Healthy')).toHaveCount(0)
    expect(await green(page)).toBe(0)
    await expect(page.getByRole('region', { name: 'Throughput' }).locator('xpath=ancestor-or-self::*[contains(@class,"stale")]')).not.toHaveCount(0)
    await looksGood(page, 'health-dead')
    await page.getByRole('link', { name: 'Volumes', exact: true }).click()
    await expect(page.getByText('The daemon does not answer.')).toBeVisible()
    expect(await green(page)).toBe(0)
    await page.goBack()
    again = await Daemon.start({ s3: false, pool: daemon, api: new URL(daemon.url).host })
    await expect(health).toContainText('not stopped in order')
    await expect(health).toContainText('has not come back')
    await expect(page.getByRole('region', { name: 'Recent changes' })).toContainText('The last stop was not clean.')
    await looksGood(page, 'health-crashed')
    // The graphs show the time before the crash, and the start after it.
    await page.getByRole('link', { name: 'Performance', exact: true }).click()
    const throughput = page.getByRole('region', { name: 'Throughput', exact: true })
    await expect(throughput).toContainText('(the stop before was not clean)')
    await expect(throughput.locator('canvas')).toBeVisible()
    await expect(throughput.getByRole('row', { name: /write/ })).not.toContainText('–')
    await looksGood(page, 'performance-crashed')
    client.stdin?.end()
    // The page asks until it is gone.
    await page.goto('about:blank')
    allow(watched, daemon)
  } finally {
    await again?.stop()
    await daemon.stop()
  }
})

test('alerts are on the overview, on their page and beside the menu, with causes and remedies', async ({ page, watched }) => {
  const daemon = await Daemon.start({ s3: false })
  try {
    await refuse(daemon)
    await daemon.client('/kafka').catch(() => {})
    await page.goto(`${daemon.url}/alerts`)
    await signIn(page, daemon.token)
    const health = page.getByRole('region', { name: 'Health' })
    await expect(health).toContainText('client 127.0.0.1')
    await expect(health).toContainText('export policy brokers has no rule for it')
    await expect(health.locator('code', { hasText: 'forebay export rule add brokers 127.0.0.1' })).toBeVisible()
    await expect(page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: /Alerts/ })).toContainText('1')
    await expect(page.getByText('No alert has been resolved')).toBeVisible()
    expect(await green(page)).toBe(0)
    await looksGood(page, 'alerts')
    await page.getByRole('link', { name: 'Overview', exact: true }).click()
    await expect(health).toContainText('1 warning')
    await page.keyboard.press('g')
    await page.keyboard.press('w')
    await expect(page.getByRole('heading', { level: 1, name: 'Alerts' })).toBeVisible()
    // The page asks until it is gone.
    await page.goto('about:blank')
    allow(watched, daemon)
  } finally {
    await daemon.stop()
  }
})

test('an alert is acknowledged, silenced and delivered', async ({ page, watched }) => {
  const folder = mkdtempSync(join(tmpdir(), 'forebay-targets-'))
  const file = join(folder, 'targets.toml')
  writeFileSync(file, '[[target]]\nname = "page"\ntype = "command"\nprogram = "/bin/true"\n[[target]]\nname = "chat"\ntype = "slack"\nurl = "http://127.0.0.1:1/secret"\n', { mode: 0o600 })
  const daemon = await Daemon.start({ s3: false, settings: ['--alerts-targets', file] })
  try {
    await refuse(daemon)
    await daemon.client('/kafka').catch(() => {})
    await page.goto(`${daemon.url}/alerts`)
    await signIn(page, daemon.token)
    const health = page.getByRole('region', { name: 'Health' })
    const dialog = page.getByRole('dialog')
    await health.getByRole('button', { name: /^Acknowledge/ }).click()
    await dialog.getByLabel('Comment').fill('ticket 12')
    await dialog.getByRole('button', { name: 'Acknowledge' }).click()
    await expect(health).toContainText('Acknowledged by admin')
    await expect(health).toContainText('ticket 12')
    await health.getByRole('button', { name: /^Withdraw/ }).click()
    await expect(health.getByText('ticket 12')).toHaveCount(0)
    await health.getByRole('button', { name: /^Silence/ }).click()
    await dialog.getByLabel('How long').selectOption('1 day')
    await dialog.getByRole('button', { name: 'Silence' }).click()
    await expect(health).toContainText('Silent until')
    await expect(health).toContainText('Healthy')
    const silences = page.getByRole('region', { name: 'Silences' }).first()
    await expect(silences).toContainText('ForebayClientsRefused')
    await expect(page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Alerts', exact: true })).toBeVisible()
    const targets = page.getByRole('region', { name: 'Alert targets' }).first()
    await targets.getByRole('button', { name: 'Test page' }).click()
    await expect(page.getByText('page accepted the test.')).toBeVisible()
    await targets.getByRole('button', { name: 'Test chat' }).click()
    await expect(page.getByText(/chat did not accept the test/)).toBeVisible()
    await expect(targets.getByText('secret')).toHaveCount(0)
    await looksGood(page, 'alerts-silenced')
    await silences.getByRole('button', { name: /^End/ }).click()
    await expect(page.getByText('No alert is silenced')).toBeVisible()
    await expect(health).toContainText('1 warning')
    // The page asks until it is gone.
    await page.goto('about:blank')
    allow(watched, daemon)
  } finally {
    await daemon.stop()
    rmSync(folder, { recursive: true })
  }
})

test('a full volume is named with the client that is hurt and the command', async ({ page, watched }) => {
  const daemon = await Daemon.start({ s3: false })
  try {
    await daemon.api('PUT', '/volumes/orders', { size: 2 ** 20 })
    await daemon.client('/orders').catch(() => {})
    await page.goto(daemon.url)
    await signIn(page, daemon.token)
    const health = page.getByRole('region', { name: 'Health' })
    await expect(health).toContainText('volume orders')
    await expect(health).toContainText('no space left on device')
    await expect(health).toContainText('from 127.0.0.1')
    await expect(health.locator('code', { hasText: 'forebay volume resize orders' }).first()).toBeVisible()
    await expect(page.getByRole('region', { name: 'Volumes that fill up' }).first()).toContainText('orders')
    await looksGood(page, 'health-full')
    allow(watched, daemon)
  } finally {
    await daemon.stop()
  }
})

test('a daemon that hangs is not healthy either', async ({ page, watched }) => {
  const daemon = await Daemon.start({ s3: false })
  try {
    await page.goto(daemon.url)
    await signIn(page, daemon.token)
    const health = page.getByRole('region', { name: 'Health' })
    await expect(health).toContainText('Healthy')
    daemon.pause()
    await expect(health).toContainText('The daemon does not answer')
    expect(await green(page)).toBe(0)
    daemon.resume()
    await expect(health).toContainText('Healthy')
    // The page asks until it is gone.
    await page.goto('about:blank')
    allow(watched, daemon)
  } finally {
    daemon.resume()
    await daemon.stop()
  }
})
