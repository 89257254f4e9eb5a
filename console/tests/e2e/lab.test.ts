// Reports of the lab, and the mount command of a volume.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from './console'
import { examples } from './results'

test('without reports the page explains how to create some', async ({ admin: page }) => {
  await page.getByRole('link', { name: 'Lab', exact: true }).click()
  await expect(page.getByText('No reports yet.')).toBeVisible()
  await expect(page.locator('code', { hasText: 'forebay lab run' })).toBeVisible()
})

test('reports of the lab are listed, filtered and shown', async ({ admin: page, daemon }) => {
  examples(daemon)
  await page.goto('/lab')
  const row = page.getByRole('row', { name: /silly-rename/ })
  await expect(row).toContainText('knfsd-v3: fail')
  await expect(row).toContainText('forebay: pass')
  await expect(page.getByRole('row', { name: /All experiments/ })).toContainText('2 of 2 runs passed')
  await expect(page.getByRole('row', { name: /posix-forebay/ })).toContainText('damaged')
  await page.getByLabel('Verdict').selectOption('fail')
  await expect(page.getByRole('row', { name: /mount/ })).toHaveCount(0)
  await expect(row).toBeVisible()
  await page.getByLabel('Verdict').selectOption('all')
  await page.keyboard.press('/')
  await page.keyboard.type('cut off')
  await expect(page.getByRole('link', { name: 'posix-forebay' })).toBeVisible()
  await expect(row).toHaveCount(0)
  await page.keyboard.press('Escape')

  await page.getByRole('link', { name: 'silly-rename' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'silly-rename' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Runs' })).toContainText('All four brokers shut down')
  const report = page.frameLocator('iframe')
  await expect(report.getByText('No broker process ended').first()).toBeAttached()
  await expect(report.locator('.card').first()).toBeVisible()
  // The report uses its own styles, and its origin is isolated from the console.
  expect(await report.locator('main').evaluate((main) => getComputedStyle(main).maxWidth)).not.toBe('none')
  expect(await report.locator('body').evaluate(() => self.origin)).toBe('null')
  await page.goto('/lab/0123456789abcdef')
  await expect(page.getByText('There is no such report')).toBeVisible()
  await page.goto('/lab')
  await page.getByRole('link', { name: 'posix-forebay' }).click()
  await expect(page.getByRole('alert')).toContainText('cut off')
})

test('a page that would run a script or send something does nothing', async ({ admin: page, daemon }) => {
  daemon.result('hostile', { format: 1, experiment: 'hostile', storage: 'forebay', profile: 'laptop', verdict: 'pass', why: 'So.', started_at: '2026-11-21T00:00:00Z', duration_ms: 1, versions: {}, checks: [] })
  const evil = `<!doctype html><h1>quiet</h1><script>document.querySelector('h1').textContent = 'loud'; fetch('/api/v1/pool')</script>
    <img src="/api/v1/pool" onerror="document.title='loud'"><form action="/api/v1/pool"><button>send</button></form><a href="/" target="_top">up</a>`
  writeFileSync(join(daemon.results, 'hostile/report.html'), evil)
  const found = async () => {
    const list = await daemon.api<{ items: { id: string; experiment: string }[] }>('GET', '/lab/reports')
    return list.items.find((one) => one.experiment === 'hostile')?.id
  }
  await expect.poll(found).toBeDefined()
  const { path } = await daemon.api<{ path: string }>('POST', `/lab/reports/${await found()}/page`)
  const answer = await fetch(daemon.url + path)
  expect(answer.headers.get('content-security-policy')).toContain("sandbox; default-src 'none'")
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  const asked: string[] = []
  // A page without the check for violations of the content security policy: here the policy must stop requests.
  const other = await page.context().newPage()
  other.on('response', (response) => asked.push(new URL(response.url()).pathname))
  await other.goto(daemon.url + path)
  await expect(other.getByRole('heading', { name: 'quiet' })).toBeVisible()
  await other.getByRole('button', { name: 'send' }).click()
  await other.waitForLoadState('networkidle')
  await expect(other.getByRole('heading', { name: 'quiet' })).toBeVisible()
  expect(asked).toEqual([path])
  await other.close()
  rmSync(join(daemon.results, 'hostile'), { recursive: true })
})

test('a volume says how it is mounted, with the port on which NFS is', async ({ admin: page, daemon }) => {
  const port = daemon.nfs.split(':')[1]
  await page.goto('/volumes/kafka')
  await expect(page.locator('code', { hasText: 'mount -t nfs' })).toHaveText(`mount -t nfs -o vers=4.2,hard,nconnect=4,port=${port} 127.0.0.1:/kafka /mnt`)
})
