// Fixtures for all tests: a daemon, and a page that is monitored for forbidden events.
import { type Page, expect, test as base } from '@playwright/test'
import { Daemon } from './daemon'

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
        if (!request.url().startsWith(daemon.url)) wrong.push(`request to ${request.url()}`)
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
