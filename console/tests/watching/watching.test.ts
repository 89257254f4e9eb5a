// What monitoring costs: NFS throughput without it (A) and with it (B), alternately: A B, B A, A B and so on.
//
// B is a collector that reads /metrics every second, and a browser with the Overview and Performance pages open. Daemon and load run
// on separate processors, because in reality a viewer's browser runs on another machine. The result is the quotient B / A of each pair.
// The speed of a shared machine changes from one half minute to the next, so the windows of a pair are short and close together.
// The test also measures the processor time of an otherwise idle daemon, with and without monitoring. On a shared machine this figure is
// reliable where throughput scatters. Throughput that processor time limits cannot lose a larger part.
// Run by scripts/bench-watching.
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import { type Browser, type BrowserContext, expect, test } from '@playwright/test'
import { signIn } from '../e2e/console'
import { Daemon, type LoadDone } from '../e2e/daemon'
import { estimate, median } from './statistics'

const given = (name: string) => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set: run scripts/bench-watching`)
  return value
}

/** The fraction of the throughput that must remain. */
const SHARE_MIN = 0.98
const SCRAPE_MS = 1000
const MIB = 2 ** 20
// About a second each. Nothing repeats and nothing can be compressed.
const WRITES = ['append', '--streams', '16', '--bytes', `${32 * MIB}`, '--commit-bytes', `${256 * 1024}`, '--write-bytes', `${128 * 1024}`]
const FILES = ['--streams', '8', '--bytes', `${32 * MIB}`]
const READS = ['read', ...FILES, '--read-bytes', `${256 * 1024}`]
/** The minimum length of a window: the console polls every five seconds. */
const WINDOW_MS = 5500

/** How long the idle daemon is measured. */
const IDLE_MS = 30_000

/** The seed of the files that are read. */
const READ_SEED = 1

/** Written data never has the same seed twice. */
class Seeds {
  private last = READ_SEED

  next(): number {
    this.last += 1
    return this.last
  }
}

interface Window {
  write: number
  read: number
  server_cpu_s: number
  scrapes: number
  requests: number
}

const rate = (done: LoadDone[]) => sum(done, (one) => one.bytes) / sum(done, (one) => one.elapsed_us)
const sum = (done: LoadDone[], value: (one: LoadDone) => number) => done.reduce((total, one) => total + value(one), 0)

/** The daemon's processor time per GB, in seconds. */
const cost = (done: LoadDone[]) => (sum(done, (one) => one.server_cpu_s) / sum(done, (one) => one.bytes)) * 1e9

/** The monitoring load. It can pause: the browser then has no network, and the collector rests. */
class Watcher {
  private collecting = Promise.resolve()
  private watching = false
  scrapes = 0
  requests = 0

  private constructor(
    private readonly daemon: Daemon,
    private readonly context: BrowserContext,
  ) {}

  /** Creates a paused one. */
  static async start(daemon: Daemon, browser: Browser): Promise<Watcher> {
    const context = await browser.newContext({ baseURL: daemon.url, viewport: { width: 1360, height: 860 } })
    const watcher = new Watcher(daemon, context)
    context.on('response', (response) => {
      if (response.ok() && response.url().includes('/api/v1/')) watcher.requests += 1
    })
    for (const path of ['/', '/performance?range=15m']) {
      const page = await context.newPage()
      await page.goto(path)
      await signIn(page, daemon.token)
      await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
    }
    await context.setOffline(true)
    return watcher
  }

  /** Monitors while the work runs. Adds the number of requests to the outcome of the work. */
  async during<T>(work: () => Promise<T>): Promise<T & { scrapes: number; requests: number }> {
    const before = { scrapes: this.scrapes, requests: this.requests }
    this.watching = true
    this.collecting = this.collect()
    await this.context.setOffline(false)
    try {
      const done = await work()
      return { ...done, scrapes: this.scrapes - before.scrapes, requests: this.requests - before.requests }
    } finally {
      this.watching = false
      await this.context.setOffline(true)
      await this.collecting
    }
  }

  private async collect(): Promise<void> {
    const headers = { Authorization: `Bearer ${this.daemon.token}` }
    for (let due = Date.now(); this.watching; due += SCRAPE_MS) {
      const answer = await fetch(`${this.daemon.url}/metrics`, { headers })
      const text = await answer.text()
      if (!answer.ok || !text.includes('forebay_build_info')) throw new Error(`/metrics: ${answer.status}`)
      this.scrapes += 1
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due + SCRAPE_MS - Date.now())))
    }
  }

  async stop(): Promise<void> {
    await this.context.close()
  }
}

/** Waits until the daemon has finished the work that the last load left. Otherwise the next window would pay for it. */
async function settle(daemon: Daemon): Promise<void> {
  await expect
    .poll(
      async () => {
        const before = daemon.cpuSeconds()
        await new Promise((resolve) => setTimeout(resolve, 500))
        return daemon.cpuSeconds() - before
      },
      { timeout: 60_000, intervals: [0] },
    )
    .toBeLessThan(0.025)
}

/** Alternates writes and reads, so that a disturbance within a window affects both. */
async function measure(daemon: Daemon, seeds: Seeds): Promise<Omit<Window, 'scrapes' | 'requests'>> {
  await settle(daemon)
  const until = Date.now() + WINDOW_MS
  const writes: LoadDone[] = []
  const reads: LoadDone[] = []
  while (Date.now() < until) {
    writes.push(await daemon.load(WRITES, seeds.next()))
    reads.push(await daemon.load(READS, READ_SEED))
  }
  return { write: rate(writes), read: rate(reads), server_cpu_s: cost(writes) + cost(reads) }
}

async function watched(daemon: Daemon, watcher: Watcher, seeds: Seeds): Promise<Window> {
  const window = await watcher.during(() => measure(daemon, seeds))
  // Otherwise nothing was monitored.
  expect(window.scrapes).toBeGreaterThan(1)
  expect(window.requests).toBeGreaterThan(1)
  return window
}

/** The fraction of one processor that the idle daemon uses, with or without monitoring. */
async function idle(daemon: Daemon): Promise<number> {
  const [begun, before] = [performance.now(), daemon.cpuSeconds()]
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
  return (daemon.cpuSeconds() - before) / ((performance.now() - begun) / 1000)
}

/** `inside`: at least this fraction remains, with 95 % confidence. `outside`: it does not, with 95 % confidence. */
function verdict(low: number, high: number): 'inside' | 'outside' | 'not decided' {
  if (low >= SHARE_MIN) return 'inside'
  return high < SHARE_MIN ? 'outside' : 'not decided'
}

test('throughput with metrics collected and the console open is not shown to be more than 2 % below that without', async ({ browser }) => {
  const processors = given('FOREBAY_WATCHING_PROCESSORS')
  const pairs = Number(given('FOREBAY_WATCHING_PAIRS'))
  const out = given('FOREBAY_WATCHING_OUT')
  const daemon = await Daemon.start({ prefix: ['taskset', '-c', processors] })
  const windows: { quiet: Window; watched: Window }[] = []
  const seeds = new Seeds()
  const idly = { quiet: 0, watched: 0 }
  try {
    const index = await fetch(daemon.url)
    if (!(await index.text()).includes('/assets/')) throw new Error('the binary is built without the console')
    await daemon.load(['prepare-read', ...FILES], READ_SEED)
    // Ignores the first run, which is slower.
    const first = await measure(daemon, seeds)
    console.log(`warmed up: write ${first.write.toFixed(0)} MB/s, read ${first.read.toFixed(0)} MB/s`)
    idly.quiet = await idle(daemon)
    const watcher = await Watcher.start(daemon, browser)
    idly.watched = (await watcher.during(async () => ({ part: await idle(daemon) }))).part
    // Excludes the background work that the load left.
    idly.quiet = Math.min(idly.quiet, await idle(daemon))
    for (let pair = 0; pair < pairs; pair += 1) {
      const quietly = async () => ({ ...(await measure(daemon, seeds)), scrapes: 0, requests: 0 })
      const before = pair % 2 === 0 ? await quietly() : undefined
      const seen = await watched(daemon, watcher, seeds)
      const quiet = before ?? (await quietly())
      windows.push({ quiet, watched: seen })
      const mb = (value: number) => value.toFixed(0).padStart(5)
      console.log(
        `pair ${`${pair + 1}`.padStart(2)}: write ${mb(quiet.write)} → ${mb(seen.write)} MB/s, read ${mb(quiet.read)} → ${mb(seen.read)} MB/s, ${seen.scrapes} scrapes, ${seen.requests} requests of the console`,
      )
    }
    await watcher.stop()
  } finally {
    await daemon.stop()
  }
  const rows = (['write', 'read', 'server_cpu_s'] as const).map((name) => {
    const ratios = windows.map((pair) => pair.watched[name] / pair.quiet[name])
    const { middle: ratio, low, high } = estimate(ratios)
    const middle = (of: 'quiet' | 'watched') => median(windows.map((pair) => pair[of][name]))
    return { name, quiet: middle('quiet'), watched: middle('watched'), ratio, low, high, ratios }
  })
  const row = (cells: string[]) => console.log(cells.map((cell, index) => (index === 0 ? cell.padEnd(26) : cell.padStart(15))).join(''))
  row(['', 'nobody watches', 'watched', 'ratio', '95 % interval', ''])
  const titles = { write: 'write, MB/s', read: 'read, MB/s', server_cpu_s: "processor, s per GB of each" }
  for (const one of rows) {
    const judged = one.name === 'server_cpu_s' ? '' : verdict(one.low, one.high)
    row([titles[one.name], one.quiet.toFixed(1), one.watched.toFixed(1), one.ratio.toFixed(3), `${one.low.toFixed(3)}–${one.high.toFixed(3)}`, judged])
  }
  const percent = (part: number) => `${(part * 100).toFixed(2)} %`
  console.log(`idle, the daemon takes ${percent(idly.quiet)} of a processor, and ${percent(idly.watched)} while it is watched`)
  const conditions = { processors_of_daemon_and_load: processors, processors_of_viewer: availableParallelism(), scrape_ms: SCRAPE_MS, pairs }
  mkdirSync(dirname(out), { recursive: true })
  writeFileSync(out, `${JSON.stringify({ conditions, idle: idly, rows, windows }, null, 2)}\n`)
  console.log(`every window is in ${out}`)
  expect(idly.watched - idly.quiet, 'the part of a processor that watching takes').toBeLessThan(1 - SHARE_MIN)
  for (const one of rows) {
    if (one.name !== 'server_cpu_s') expect(verdict(one.low, one.high), `${one.name}: the whole interval is below ${SHARE_MIN}`).not.toBe('outside')
  }
})
