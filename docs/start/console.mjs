// A volume, from its creation to its end, in the web console. Usage: TOKEN=fb_... node console.mjs [VOLUME]
//
// As root on the daemon's machine, from a checkout in which `scripts/console build` has run: it drives Chromium as somebody would who clicks
// and types. README.md says what each step does. API is where the console is, http://127.0.0.1:8049 if not set.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

const { chromium, expect } = createRequire(new URL('../../console/package.json', import.meta.url))('@playwright/test')

const volume = process.argv[2] ?? 'start-console'
const url = process.env.API ?? 'http://127.0.0.1:8049'
const token = process.env.TOKEN
const server = process.env.NFS_SERVER ?? 'localhost'
const port = process.env.NFS_PORT ?? '2049'
const file = `/mnt/${volume}/orders`
const patience = { timeout: 60_000 }

if (!token) throw new Error("TOKEN is not set; on the daemon's machine: TOKEN=$(forebay token create)")

const step = (text) => console.log(`\n--- ${text}`)

/** A Linux guest that has the volume mounted, with a shell that takes one command after the other. It ends when this process does. */
class Guest {
  constructor() {
    this.child = spawn('forebay', ['lab', 'guest', '--port', port, '--mount', `${server}:/${volume}`], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.child.stdin.on('error', () => {})
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]()
    this.count = 0
  }

  /** What a command prints; fails if it does. */
  async run(command) {
    const mark = `done-${++this.count}`
    this.child.stdin.write(`{ ${command}\n} </dev/null; echo; echo "${mark} $?"\n`)
    const printed = []
    for (;;) {
      const { value, done } = await this.lines.next()
      if (done) throw new Error(`the guest ended while it did: ${command}`)
      if (value.startsWith(`${mark} `)) {
        if (value !== `${mark} 0`) throw new Error(`in the guest: ${command}: status ${value.slice(mark.length + 1)}: ${printed.join('\n')}`)
        return printed.join('\n').trim()
      }
      printed.push(value)
    }
  }

  /** What a file holds must be this. */
  async expect(text) {
    expect(await this.run(`cat ${file}`)).toBe(text)
    console.log(`${file} holds: ${text}`)
  }

  async end() {
    const ended = new Promise((resolve) => this.child.once('exit', resolve))
    this.child.stdin.end()
    expect(await ended).toBe(0)
  }
}

/** The system's Chromium; without one, the one that `npx playwright install chromium` fetched. */
function browserPath() {
  return process.env.FOREBAY_CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path))
}

async function tour(page) {
  const dialog = page.getByRole('dialog')
  const button = (name) => page.getByRole('button', { name, exact: true })

  step('sign in, and create a volume')
  await page.goto(url)
  await page.getByLabel('Token').fill(token)
  await button('Sign in').click()
  await page.getByRole('link', { name: 'Volumes', exact: true }).click()
  await button('Create volume').click()
  await dialog.getByLabel('Name', { exact: true }).fill(volume)
  await dialog.getByLabel('Size', { exact: true }).fill('10 GiB')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByRole('heading', { level: 1, name: volume })).toBeVisible(patience)

  step('mount it in a Linux guest, and write')
  const guest = new Guest()
  await guest.run(`echo 'the first order' > ${file} && sync ${file}`)
  await guest.expect('the first order')
  await guest.run(`dd if=/dev/urandom of=/mnt/${volume}/load bs=1M count=32 conv=fsync`)

  step('watch it: the graph of its throughput')
  const graph = page.getByRole('region', { name: 'Throughput' })
  await expect(graph.locator('canvas')).toBeVisible(patience)
  const highest = graph.getByRole('row', { name: /write/ }).getByRole('cell').nth(1)
  await expect(highest).toHaveText(/[1-9].*[KM]iB\/s/, patience)
  console.log(`written, at most: ${await highest.textContent()}`)

  step('take a snapshot, and change the file')
  await button('Take snapshot').click()
  await dialog.getByLabel('Name', { exact: true }).fill('before')
  await dialog.getByRole('button', { name: 'Take snapshot' }).click()
  await expect(button('Roll back to before')).toBeVisible(patience)
  await guest.run(`echo 'a mistake' > ${file} && sync ${file}`)
  await guest.expect('a mistake')

  step('roll back: the client sees what was there before')
  await button('Roll back to before').click()
  await dialog.getByRole('button', { name: 'Roll back' }).click()
  await expect(dialog).toHaveCount(0, patience)
  await guest.expect('the first order')

  step('delete the volume')
  await guest.end()
  await button('Delete').click()
  await dialog.getByLabel(/Type/).fill(volume)
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Volumes' })).toBeVisible(patience)
  await expect(page.getByRole('link', { name: volume })).toHaveCount(0)
  step('all of it worked')
}

/** Whatever fails: nothing stays behind. */
async function cleanUp() {
  await fetch(`${url}/api/v1/volumes/${volume}?force=true`, { method: 'DELETE', headers: { Authorization: `Bearer ${token}` } })
}

const browser = await chromium.launch({ executablePath: browserPath(), args: ['--no-sandbox', '--disable-gpu'] })
try {
  const page = await browser.newPage({ viewport: { width: 1360, height: 860 } })
  page.setDefaultTimeout(patience.timeout)
  await tour(page)
} catch (error) {
  await cleanUp()
  console.error(`console.mjs: ${error.message}`)
  process.exitCode = 1
} finally {
  await browser.close()
}
// A guest that is still there ends with this process.
process.exit()
