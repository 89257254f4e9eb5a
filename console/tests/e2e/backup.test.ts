// The page of the pool makes backups, and says why one failed.
import { mkdirSync, mkdtempSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allow, expect, looksGood, signIn, test } from './console'
import { Daemon } from './daemon'

test('the pool is backed up, and a disk that is not mounted is named', async ({ page, watched }) => {
  const place = mkdtempSync(join(tmpdir(), 'forebay-backups-'))
  const directory = join(place, 'backups')
  const daemon = await Daemon.start({ s3: false, settings: ['--backup-directory', directory, '--backup-every-hours', '0'] })
  try {
    await page.goto(daemon.url)
    await signIn(page, daemon.token)
    await page.getByRole('link', { name: 'Pool', exact: true }).click()
    const backups = page.getByRole('region', { name: 'Backups' })
    await expect(backups).toContainText(directory)
    await expect(backups).toContainText('none')
    await backups.getByRole('button', { name: 'Back up now' }).click()
    await expect(backups).toContainText('verified')
    const jobs = page.getByRole('region', { name: 'Jobs' }).first()
    await expect(jobs.getByRole('row', { name: /backup/ })).toContainText('succeeded')
    await looksGood(page, 'backups')
    renameSync(directory, join(place, 'elsewhere'))
    mkdirSync(directory)
    await backups.getByRole('button', { name: 'Back up now' }).click()
    await expect(backups).toContainText('if its disk is not mounted, mount it')
    await page.goto('about:blank')
    allow(watched, daemon)
  } finally {
    await daemon.stop()
  }
})
