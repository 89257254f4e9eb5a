// Every page is accessible in both themes and fits a narrow screen. Also writes the pictures for the documentation.
import AxeBuilder from '@axe-core/playwright'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from './console'
import type { Daemon } from './daemon'
import { examples } from './results'
import { examples as examplesOfS3 } from './s3'

const PAGES_OF_S3 = ['/buckets', '/buckets/backup', '/buckets/backup?show=objects', '/buckets/backup?show=objects&versions=', '/buckets/backup?show=policy', '/buckets/backup?show=cors', '/s3-users', '/s3-users/alice', '/s3-groups/readers']
const PAGES = ['/', '/alerts', '/volumes', '/volumes/kafka', '/snapshots', '/clients', '/performance?range=15m', '/events', '/exports', '/exports/default', '/pool', '/lab', '/users', '/settings', '/sizing', '/setup', '/kafka', ...PAGES_OF_S3]
const PICTURES: Record<string, string> = { '/': 'overview', '/volumes': 'volumes', '/performance?range=15m': 'performance', '/volumes/kafka': 'volume', '/lab': 'lab', '/buckets/backup?show=objects&versions=': 'objects', '/buckets/backup?show=policy': 'policy' }
/** If set, the tests write docs/images/console-*.png. */
const wantsPictures = process.env['FOREBAY_CONSOLE_PICTURES'] !== undefined
/** If set to a folder, the tests write a picture of every page there, wide and narrow, in both themes. */
const gallery = process.env['FOREBAY_CONSOLE_GALLERY']
const images = join(import.meta.dirname, '../../../docs/images')

async function settle(page: import('@playwright/test').Page) {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await page.mouse.move(0, 0)
}

/** The number of recent points in the graphs. */
async function measured(daemon: Daemon): Promise<number> {
  const history = await daemon.api<{ series: { mean: (number | null)[] }[] }>('GET', '/metrics/history?series=throughput/write')
  return history.series[0]?.mean.filter((value) => value !== null).length ?? 0
}

for (const theme of ['light', 'dark'] as const) {
  test(`every page is accessible and fits a narrow screen, ${theme}`, async ({ admin: page, daemon }) => {
    test.setTimeout(600_000)
    await daemon.api('PUT', '/volumes/payments', { size: 10 * 2 ** 30, snapshots: { daily: 7 }, compression: 'zstd', max_bytes_per_second: 200 * 2 ** 20 })
    await daemon.api('PUT', '/volumes/kafka/snapshots/before-upgrade')
    examples(daemon)
    await examplesOfS3(daemon)
    const reports = await daemon.api<{ items: { id: string; experiment: string | null }[] }>('GET', '/lab/reports')
    const report = `/lab/${reports.items.find((one) => one.experiment === 'silly-rename')?.id}`
    const child = await daemon.client('/kafka')
    await page.emulateMedia({ colorScheme: theme })
    const clients = await daemon.api<{ items: { client: string }[] }>('GET', '/nfs/clients')
    if (wantsPictures) await expect.poll(() => measured(daemon), { timeout: 300_000 }).toBeGreaterThan(11)
    for (const path of [...PAGES, report, `/clients/${clients.items[0]?.client}`]) {
      await page.setViewportSize({ width: 1360, height: 860 })
      await page.goto(path)
      await settle(page)
      // The frame of a report runs no scripts, so no script can examine its content.
      const found = await new AxeBuilder({ page }).setLegacyMode(path === report).analyze()
      expect.soft(found.violations.map((one) => `${path}: ${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`)).toEqual([])
      const file = path.replace(/\?range.*/, '').replaceAll(/[/?&=]/g, '-').replace(/^-$/, '-overview').replace(/-[0-9a-f]{16}/, '-one')
      if (gallery) await page.screenshot({ path: join(gallery, `${theme}${file}-wide.png`), fullPage: true })
      const picture = PICTURES[path]
      if (wantsPictures && picture && (theme === 'light' || picture === 'overview')) {
        mkdirSync(images, { recursive: true })
        await page.screenshot({ path: join(images, `console-${picture}${theme === 'dark' ? '-dark' : ''}.png`) })
      }
      await page.setViewportSize({ width: 380, height: 800 })
      await settle(page)
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      expect(width, path).toBeLessThanOrEqual(380)
      const narrow = await new AxeBuilder({ page }).setLegacyMode(path === report).analyze()
      expect.soft(narrow.violations.map((one) => `${path}, narrow: ${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`)).toEqual([])
      // The actions of every row can be reached without scrolling sideways.
      const cutOff = await page.evaluate(() => [...document.querySelectorAll('td.actions button')].filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > innerWidth).length)
      expect(cutOff, path).toBe(0)
      if (gallery) await page.screenshot({ path: join(gallery, `${theme}${file}-narrow.png`), fullPage: true })
    }
    child.stdin?.end()
  })
}

test('the sign-in page is accessible', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByLabel('Token')).toBeVisible()
  const found = await new AxeBuilder({ page }).analyze()
  expect(found.violations).toEqual([])
})

test('files have the right headers for caching, compression and security', async ({ page, daemon }) => {
  const index = await fetch(`${daemon.url}/volumes/a.b`)
  expect(index.status).toBe(200)
  expect(index.headers.get('content-security-policy')).toContain("default-src 'self'")
  expect(index.headers.get('cache-control')).toBe('no-cache')
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(await index.text())?.[1]
  const asset = await fetch(`${daemon.url}${script}`)
  expect(asset.headers.get('cache-control')).toContain('immutable')
  expect(asset.headers.get('content-encoding')).toBe('gzip')
  expect((await fetch(`${daemon.url}/assets/gone.js`)).status).toBe(404)
  expect((await fetch(`${daemon.url}/api/v1/gone`)).status).toBe(404)
  await page.goto('/no/such/page')
})
