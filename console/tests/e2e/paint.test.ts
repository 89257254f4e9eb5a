// Time to the first paint: cold loads, each in a browser context with an empty cache.
import { type Browser, type BrowserContextOptions, expect } from '@playwright/test'
import { test } from './console'

const LOADS = 5
const PAINT_MS_MAX = 1000

interface Seen {
  paint: number
  /** When the page's heading appeared. */
  heading: number
}

async function load(browser: Browser, options: BrowserContextOptions, heading: string): Promise<Seen> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  await page.addInitScript((text) => {
    new MutationObserver((_, observer) => {
      if (![...document.querySelectorAll('h1')].some((one) => one.textContent.includes(text))) return
      performance.mark('heading')
      observer.disconnect()
    }).observe(document, { childList: true, subtree: true, characterData: true })
  }, heading)
  await page.goto('/')
  const at = (name: string) => page.evaluate((name) => performance.getEntriesByName(name)[0]?.startTime ?? Number.NaN, name)
  await expect.poll(() => at('heading')).not.toBeNaN()
  await expect.poll(() => at('first-contentful-paint')).not.toBeNaN()
  const seen = { paint: await at('first-contentful-paint'), heading: await at('heading') }
  await context.close()
  return seen
}

const median = (values: number[]) => values.sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN

async function measure(name: string, browser: Browser, options: BrowserContextOptions, heading: string): Promise<void> {
  const seen: Seen[] = []
  for (let index = 0; index < LOADS; index += 1) seen.push(await load(browser, options, heading))
  const [paint, page] = [median(seen.map((one) => one.paint)), median(seen.map((one) => one.heading))]
  console.log(`${name}: first contentful paint ${paint.toFixed(0)} ms, heading ${page.toFixed(0)} ms, medians of ${LOADS} cold loads`)
  expect(paint, `first contentful paint of ${name}: ${seen.map((one) => one.paint.toFixed(0)).join(', ')} ms`).toBeLessThan(PAINT_MS_MAX)
}

test('the sign-in page is painted within a second', async ({ browser, daemon }) => {
  await measure('the sign-in page', browser, { baseURL: daemon.url }, 'Sign in')
})

test('the overview is painted within a second for a signed-in user', async ({ browser, daemon }) => {
  const localStorage = [{ name: 'forebay.token', value: daemon.token }]
  const storageState = { cookies: [], origins: [{ origin: daemon.url, localStorage }] }
  await measure('the overview', browser, { baseURL: daemon.url, storageState }, 'Overview')
})
