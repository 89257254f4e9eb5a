// A pool in a database: the page shows who serves it and who waits, and moves it to another node.
import { allow, expect, looksGood, signIn, test } from './console'
import { Daemon, built } from './daemon'
import { Database } from './database'

const settings = (name: string) => ['--node-name', name]

test('the nodes and pools of a database are shown, and the pool is moved to a node', async ({ page, watched }) => {
  test.setTimeout(180_000)
  const database = new Database()
  const pool = database.pool(built('forebay', 'FOREBAY_BINARY'), 'kafka')
  database.pool(built('forebay', 'FOREBAY_BINARY'), 'other')
  const a = await Daemon.start({ s3: false, settings: settings('a'), database: pool })
  let b: Daemon | undefined
  try {
    allow(watched, a)
    await page.goto(a.url)
    await signIn(page, a.token)
    await page.getByRole('link', { name: 'Cluster', exact: true }).click()
    const panel = page.getByRole('region', { name: 'Node', exact: true })
    await expect(panel).toContainText('Node a')
    await expect(panel).toContainText('No node had the pool before.')
    await expect(panel).toContainText('the database has no synchronous standby')
    const waiting = page.getByRole('region', { name: 'Waiting nodes', exact: true })
    await expect(waiting).toContainText('No node waits for the pool.')
    const pools = page.getByRole('region', { name: 'Pools', exact: true })
    await expect(pools).toContainText('this one')
    await expect(pools).toContainText('never opened')
    await panel.getByRole('button', { name: 'Move the pool' }).click()
    const dialog = page.getByRole('dialog', { name: 'Move the pool from node a' })
    await expect(dialog).toContainText('No node waits for the pool.')
    await expect(dialog.getByRole('button', { name: 'Move the pool' })).toBeDisabled()
    await dialog.getByRole('button', { name: 'Cancel' }).click()

    b = await Daemon.candidate({ s3: false, settings: [...settings('b'), '--node-priority', '2'], database: pool, api: new URL(a.url).host })
    await expect(waiting).toContainText('4.50 s of silence')
    await a.client('/kafka')
    await looksGood(page, 'cluster')
    await panel.getByRole('button', { name: 'Move the pool' }).click()
    await expect(dialog).toContainText(/Clients wait for about \d+ seconds and get no errors/)
    await expect(dialog).toContainText(/1 client with open files/)
    await dialog.getByLabel('To').selectOption('b')
    await looksGood(page, 'cluster-move')
    await dialog.getByRole('button', { name: 'Move the pool' }).click()
    await expect(page.getByText('Node b serves the pool.')).toBeVisible()
    await b.serves()
    await expect(panel).toContainText('Node b')
    await expect(panel).toContainText('Node a released the pool.')
    await expect(waiting).toContainText('No node waits for the pool.')
    await page.getByRole('link', { name: 'Events', exact: true }).click()
    await expect(page.getByText('node b took the pool from node a')).toBeVisible()
    await page.getByRole('link', { name: 'Overview', exact: true }).click()
    await expect(panel).toContainText('Lease renewed')
  } finally {
    await b?.stop()
    await a.stop()
    database.stop()
  }
})

test('a pool in a directory has no page of a cluster', async ({ admin: page }) => {
  await expect(page.getByRole('link', { name: 'Pool', exact: true })).toBeAttached()
  await expect(page.getByRole('link', { name: 'Cluster', exact: true })).toHaveCount(0)
  await page.goto('/cluster')
  await expect(page.getByText('The pool does not lie in a database')).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
})
