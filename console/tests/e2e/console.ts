// Fixtures for all tests: a daemon, and a page that is monitored for forbidden events.
import AxeBuilder from '@axe-core/playwright'
import { type Page, expect, test as base } from '@playwright/test'
import { join } from 'node:path'
import { Daemon } from './daemon'

/** The folder for pictures of pages, if somebody wants to look at them. */
const gallery = process.env['FOREBAY_CONSOLE_GALLERY']

/** The URLs of daemons that tests of this worker have started themselves. */
const allowed = new Set<string>()

export const test = base.extend<{ watched: string[]; admin: Page }, { daemon: Daemon }>({
  daemon: [
    async ({}, use) => {
      const daemon = await Daemon.start()
      await use(daemon)
      await daemon.stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  baseURL: async ({ daemon }, use) => use(daemon.url),
  // In every test, no request goes to another server, no script fails, and the content security policy blocks nothing.
  watched: [
    async ({ page, daemon }, use) => {
      const wrong: string[] = []
      page.on('request', (request) => {
        const known = [daemon.url, ...allowed]
        if (!known.some((url) => request.url().startsWith(url))) wrong.push(`request to ${request.url()}`)
      })
      page.on('pageerror', (error) => wrong.push(`script: ${error.message}`))
      page.on('console', (message) => {
        if (/content security policy/i.test(message.text())) wrong.push(message.text())
      })
      await use(wrong)
      expect(wrong).toEqual([])
    },
    { auto: true },
  ],
  /** A page with the pool's admin signed in. */
  admin: async ({ page, daemon }, use) => {
    await page.goto('/')
    await signIn(page, daemon.token)
    await use(page)
  },
})

export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeAttached()
}

/** The value of a term in a list of facts. */
export const fact = (page: Page, term: string) => page.locator('dt', { hasText: new RegExp(`^${term}$`) }).first().locator('xpath=following-sibling::dd[1]')

export { expect }

/** Checks the accessibility of a page in both themes, wide and narrow. */
export async function looksGood(page: Page, name: string): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    for (const [size, width] of [['wide', 1360], ['narrow', 380]] as const) {
      await page.setViewportSize({ width, height: 860 })
      await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
      const found = await new AxeBuilder({ page }).analyze()
      expect(found.violations.map((one) => `${one.id}: ${one.nodes.map((bad) => bad.html).join(' ')}`)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
      if (gallery) await page.screenshot({ path: join(gallery, `${theme}-${name}-${size}.png`), fullPage: true })
    }
  }
  await page.setViewportSize({ width: 1360, height: 860 })
}

/** Allows requests to a test's own daemon from now on, and those that were made. */
export function allow(watched: string[], daemon: Daemon): void {
  // Also those that are yet to come: pages poll.
  allowed.add(daemon.url)
  watched.splice(0, watched.length, ...watched.filter((wrong) => !wrong.startsWith(`request to ${daemon.url}`)))
}
