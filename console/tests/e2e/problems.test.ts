// Each of six typical problems is named with its cause and remedy on the Overview, by `forebay status`, by /health and
// as an event, within ten seconds. Prints how long each took.
import type { Locator, Page } from '@playwright/test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { allow, expect, looksGood, signIn, test } from './console'
import { Daemon } from './daemon'

/** What was promised. */
const NAMED_WITHIN_MS = 10_000
/** When a problem that is not named is given up. */
const GIVEN_UP_MS = 40_000
const LOOKED_EVERY_MS = 100

const PLACES = ['Overview', 'status', '/health', 'event'] as const
type Place = (typeof PLACES)[number]
const times: [problem: string, Partial<Record<Place, number>>][] = []

interface Problem {
  /** For the table, and for pictures. */
  name: string
  picture: string
  rule: string
  /** What the Overview says: the object, the cause and the remedy. */
  said: RegExp[]
}

/** Milliseconds from `begun` until a place names a problem. */
async function until(begun: number, isNamed: () => Promise<boolean>): Promise<number> {
  while (!(await isNamed().catch(() => false))) {
    if (performance.now() - begun > GIVEN_UP_MS) return Number.POSITIVE_INFINITY
    await new Promise((done) => setTimeout(done, LOOKED_EVERY_MS))
  }
  return Math.round(performance.now() - begun)
}

const says = async (place: Locator, parts: RegExp[]) => {
  const text = await place.innerText({ timeout: 1000 })
  return parts.every((part) => part.test(text))
}

/** Measures how soon each place names a problem. */
async function measure(page: Page, daemon: Daemon, begun: number, ...problems: Problem[]): Promise<void> {
  await Promise.all(problems.map((problem) => measureOne(problem, page, daemon, begun)))
  await picture(page, `problem-${problems[0]?.picture}`)
}

/** Checks the page's accessibility, and takes pictures of it and of what it says about health. */
async function picture(page: Page, name: string): Promise<void> {
  await looksGood(page, name)
  const gallery = process.env['FOREBAY_CONSOLE_GALLERY']
  if (!gallery) return
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1000, height: 860 })
  await page.getByRole('region', { name: 'Health' }).screenshot({ path: join(gallery, `${name}-panel.png`) })
  await page.setViewportSize({ width: 1360, height: 860 })
}

async function measureOne(problem: Problem, page: Page, daemon: Daemon, begun: number): Promise<void> {
  const health = page.getByRole('region', { name: 'Health' })
  const found = await Promise.all([
    until(begun, () => says(health, problem.said)),
    until(begun, async () => {
      const { text } = await daemon.run(['status'])
      return problem.said.every((part) => part.test(text)) && text.includes(problem.rule)
    }),
    until(begun, async () => {
      const answer = (await (await fetch(`${daemon.url}/api/v1/health`)).json()) as { reasons: { name: string; summary: string; remedy: string }[] }
      return answer.reasons.some((one) => one.name === problem.rule && one.summary.length > 10 && one.remedy.length > 10)
    }),
    until(begun, async () => {
      const { items } = await daemon.api<{ items: { kind: string; message: string; time: string }[] }>('GET', '/events?limit=1000')
      return items.some((one) => one.kind.startsWith('alert_') && one.message.includes(`(${problem.rule})`))
    }),
  ])
  note(problem.name, Object.fromEntries(PLACES.map((place, index) => [place, found[index]])))
}

function note(name: string, found: Partial<Record<Place, number>>): void {
  times.push([name, found])
  for (const place of PLACES) {
    if (found[place] !== undefined) expect.soft(found[place], `${name}: ${place}`).toBeLessThanOrEqual(NAMED_WITHIN_MS)
  }
}

test.afterAll(() => {
  const seconds = (ms: number | undefined) => (ms === undefined ? '–' : `${(ms / 1000).toFixed(1)} s`).padStart(9)
  const rows = times.map(([name, found]) => `${name.padEnd(34)}${PLACES.map((place) => seconds(found[place])).join('')}`)
  console.log([`${'problem'.padEnd(34)}${PLACES.map((place) => place.padStart(9)).join('')}`, ...rows].join('\n'))
})

async function open(page: Page, daemon: Daemon): Promise<Locator> {
  await page.goto(daemon.url)
  await signIn(page, daemon.token)
  const health = page.getByRole('region', { name: 'Health' })
  await expect(health).toContainText('Healthy')
  return health
}

test('a daemon that is killed, and the grace period after it', async ({ page, watched }) => {
  test.setTimeout(300_000)
  const daemon = await Daemon.start({ s3: false })
  let again: Daemon | undefined
  try {
    const health = await open(page, daemon)
    await daemon.client('/kafka')
    // The history is written every minute.
    await expect.poll(() => daemon.historyBytes(), { timeout: 120_000 }).toBeGreaterThan(0)

    const killed = performance.now()
    await daemon.kill()
    const [overview, status] = await Promise.all([
      until(killed, () => says(health, [/The daemon does not answer/, /systemctl start forebay/])),
      until(killed, async () => {
        const done = await daemon.run(['status'])
        return done.status === 2 && /no daemon listens/.test(done.text)
      }),
    ])
    note('daemon killed', { Overview: overview, status })
    await picture(page, 'problem-1-killed')

    const started = performance.now()
    again = await Daemon.start({ s3: false, pool: daemon, api: new URL(daemon.url).host })
    const unclean: Problem = { name: 'unclean stop, after the start', picture: '1-unclean', rule: 'ForebayUncleanStop', said: [/not stopped in order/, /journalctl/] }
    const grace: Problem = { name: 'grace period', picture: '2-grace', rule: 'ForebayGracePeriod', said: [/can open nothing new/, /has not come back: .*example-broker/, /ends in/, /Check the machines/] }
    await measure(page, again, started, unclean, grace)
    // The hour before is in the graphs, and so is the mark of the restart.
    await page.getByRole('link', { name: 'Performance', exact: true }).click()
    const graph = page.getByRole('region', { name: 'Throughput', exact: true })
    await expect(graph).toContainText('(the stop before was not clean)')
    await expect(graph.getByRole('row', { name: /write/ }).getByRole('cell').last()).toContainText(/[1-9].* [KM]iB\/s/)
    await looksGood(page, 'problem-1-graphs')
    await page.goto('about:blank')
    allow(watched, daemon)
  } finally {
    await again?.stop()
    await daemon.stop()
  }
})

test('a volume that is full', async ({ page, watched }) => {
  const daemon = await Daemon.start({ s3: false })
  try {
    await daemon.api('PUT', '/volumes/orders', { size: 2 ** 20 })
    await open(page, daemon)
    const begun = performance.now()
    await daemon.client('/orders').catch(() => {})
    const said = [/volume orders/, /no space left on device/, /127\.0\.0\.1/, /forebay volume resize orders/]
    await measure(page, daemon, begun, { name: 'volume full', picture: '3-full', rule: 'ForebayNoSpaceForClients', said })
    await page.goto('about:blank')
    allow(watched, daemon)
  } finally {
    await daemon.stop()
  }
})

test('a client that is refused', async ({ page, watched }) => {
  const daemon = await Daemon.start({ s3: false })
  try {
    await daemon.api('POST', '/export-policies', { name: 'brokers', rules: [] })
    await daemon.api('PATCH', '/volumes/kafka', { export: 'brokers' })
    await open(page, daemon)
    const begun = performance.now()
    await daemon.client('/kafka').catch(() => {})
    const said = [/client 127\.0\.0\.1/, /export policy brokers has no rule for it/, /forebay export rule add brokers 127\.0\.0\.1/]
    await measure(page, daemon, begun, { name: 'client refused', picture: '4-refused', rule: 'ForebayClientsRefused', said })
    await page.goto('about:blank')
    allow(watched, daemon)
  } finally {
    await daemon.stop()
  }
})

test('a scrub that has verified nothing of what is stored', async ({ page, watched }) => {
  const daemon = await Daemon.start({ s3: false })
  try {
    await daemon.api('POST', '/pool/scrub')
    await expect.poll(async () => (await daemon.api<{ running: boolean; finished: string | null }>('GET', '/pool/scrub')).finished).not.toBeNull()
    await open(page, daemon)
    await daemon.client('/kafka')
    await daemon.api('PUT', '/volumes/kafka/snapshots/now')
    // From here on the pool stores data that no scrub has verified.
    await expect.poll(async () => (await daemon.api<{ bytes_live: number }>('GET', '/pool')).bytes_live, { intervals: [100] }).toBeGreaterThan(0)
    const begun = performance.now()
    const said = [/pool/, /verified nothing/, /written after it began/, /forebay pool scrub start/]
    await measure(page, daemon, begun, { name: 'scrub that verified nothing', picture: '5-scrub', rule: 'ForebayScrubVerifiedNothing', said })
    await daemon.api('POST', '/pool/scrub')
    await expect(page.getByRole('region', { name: 'Health' })).not.toContainText('verified nothing')
    await page.goto('about:blank')
    allow(watched, daemon)
  } finally {
    await daemon.stop()
  }
})

test('fsyncs that are slow', async ({ page, watched }) => {
  const slow = Daemon.slowDisk()
  const daemon = await Daemon.start({ s3: false, variables: slow.variables })
  try {
    await open(page, daemon)
    for (let client = 0; client < 3; client += 1) await daemon.client('/kafka')
    const begun = performance.now()
    writeFileSync(slow.flag, '')
    const said = [/Fsyncs of brokers take/, /Syncs of the disk take .*: the disk is slow/, /see ForebaySyncsSlow/]
    await measure(page, daemon, begun, { name: 'slow COMMIT', picture: '6-slow', rule: 'ForebayCommitsSlow', said })
    await page.goto('about:blank')
    allow(watched, daemon)
  } finally {
    rmSync(slow.flag, { force: true })
    await daemon.stop()
    rmSync(join(slow.flag, '..'), { recursive: true, force: true })
  }
})
