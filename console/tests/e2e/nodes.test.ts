// A pool that several nodes can serve: the overview shows its node, and a move of the pool leads to the next one.
import { allow, expect, fact, looksGood, signIn, test } from './console'
import { Daemon } from './daemon'

/** Settings of a node. The fence does nothing, since tests kill the daemons. */
const node = (name: string) => ['--node-standby', 'on', '--node-any-file-system', 'on', '--node-fence', '/bin/true', '--node-name', name]

/** A node that serves, and one that can take its pool and then answers at the same address. */
async function pair(): Promise<[Daemon, Daemon]> {
  const a = await Daemon.start({ s3: false, settings: node('a') })
  const b = await Daemon.standby({ s3: false, settings: node('b'), pool: a, api: new URL(a.url).host })
  return [a, b]
}

test('a pool that is moved is awaited on every page, and the next node is shown', async ({ page, watched }) => {
  const [a, b] = await pair()
  try {
    await page.goto(a.url)
    await signIn(page, a.token)
    const panel = page.getByRole('region', { name: 'Node', exact: true })
    await expect(panel).toContainText('Node a')
    await expect(panel).toContainText('serving')
    await expect(panel).toContainText('No node had the pool before.')
    await expect(fact(page, 'Address')).toHaveText(a.nfs)
    await panel.getByRole('button', { name: 'Move the pool' }).click()
    const dialog = page.getByRole('dialog', { name: 'Move the pool from node a' })
    await expect(dialog).toContainText('If no standby is waiting, the pool is offline')
    await dialog.getByRole('button', { name: 'Move the pool' }).click()
    await expect(page.getByText('Node b serves the pool.')).toBeVisible()
    await b.serves()
    await expect(panel).toContainText('Node b')
    await expect(panel).toContainText('Node a released the pool.')
    await expect(panel).toContainText(/total [0-9.]+ m?s/)
    await expect(page.getByRole('region', { name: 'Move of the pool' })).toHaveCount(0)
    await expect(page.getByRole('alert')).toHaveCount(0)
    await expect(page.getByRole('region', { name: 'Latest events' })).toContainText('node b took the pool from node a')
    allow(watched, a)
  } finally {
    await b.stop()
    await a.stop()
  }
})

test('a move without a standby is awaited, and the page says what to do', async ({ page, watched }) => {
  const a = await Daemon.start({ s3: false, settings: node('a') })
  let b: Daemon | undefined
  try {
    await page.goto(a.url)
    await signIn(page, a.token)
    await page.getByRole('button', { name: 'Move the pool' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Move the pool' }).click()
    const waiting = page.getByRole('region', { name: 'Move of the pool' })
    await expect(waiting).toContainText('Node a has stopped. Waiting for another node…')
    await expect(waiting).toContainText('If no standby is waiting, start one.')
    // It is no surprise that no daemon answers.
    await expect(page.getByRole('alert')).toHaveCount(0)
    await expect(page.getByRole('region', { name: 'Node', exact: true })).toContainText('stopping')
    await looksGood(page, 'node-waits')
    await page.getByRole('link', { name: 'Pool', exact: true }).click()
    await expect(waiting).toBeVisible()
    b = await Daemon.start({ s3: false, settings: node('b'), pool: a, api: new URL(a.url).host })
    await expect(page.getByText('Node b serves the pool.')).toBeVisible()
    await expect(waiting).toHaveCount(0)
    await expect(page.getByRole('region', { name: 'Sizes' })).toBeVisible()
    allow(watched, a)
  } finally {
    await b?.stop()
    await a.stop()
  }
})

test('a takeover is shown with its phases, and only an admin is offered to move the pool', async ({ page, watched }) => {
  const [a, b] = await pair()
  try {
    await a.kill()
    await b.serves()
    await page.goto(b.url)
    await signIn(page, b.token)
    const panel = page.getByRole('region', { name: 'Node', exact: true })
    await expect(panel).toContainText('Node a was silent and was fenced.')
    for (const phase of ['silent', 'fencing', 'opening', 'addresses', 'total']) await expect(panel).toContainText(new RegExp(`${phase} [0-9.]+ m?s`))
    await looksGood(page, 'node')
    const metrics = await (await fetch(`${b.url}/metrics`, { headers: { Authorization: `Bearer ${b.token}` } })).text()
    expect(metrics).toContain('forebay_node_info{node="b"} 1')
    expect(metrics).toMatch(/forebay_node_taken_timestamp_seconds\{takeover="fenced"\} \d+/)
    expect(metrics).toMatch(/forebay_node_takeover_seconds\{phase="silent"\} [3-9]/)
    await b.api('PUT', '/users/operating', { role: 'operator' })
    const made = await b.api<{ secret: string }>('POST', '/tokens', { user: 'operating' })
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, made.secret)
    await expect(panel).toContainText('Node b')
    await expect(panel.getByRole('button')).toHaveCount(0)
    allow(watched, b)
  } finally {
    await b.stop()
    await a.stop()
  }
})

test('a node that serves its pool alone has no panel', async ({ admin: page }) => {
  const answer = page.waitForResponse('**/api/v1/node')
  await page.reload()
  expect((await answer).status()).toBe(404)
  await expect(page.getByRole('region', { name: 'Capacity' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Node', exact: true })).toHaveCount(0)
  await expect(page.getByRole('alert')).toHaveCount(0)
})
