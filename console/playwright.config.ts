// Tests of the console with a real browser and a real daemon, which each worker starts for itself.
import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'

// The system's Chromium; without one, the one that `npx playwright install chromium` fetched.
const chromium = process.env['FOREBAY_CHROMIUM'] ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path))

export default defineConfig({
  testDir: 'tests/e2e',
  outputDir: 'test-results',
  // They wait more than they work.
  workers: 2,
  // A test that fails once and passes then is named as flaky at the end, so that it is mended, and does not stop everything else.
  retries: process.env['FOREBAY_CONSOLE_RETRIES'] ? Number(process.env['FOREBAY_CONSOLE_RETRIES']) : 0,
  fullyParallel: false,
  // Machines that run these may be slow and busy.
  timeout: 180_000,
  expect: { timeout: 45_000 },
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    viewport: { width: 1360, height: 860 },
    launchOptions: { executablePath: chromium, args: ['--no-sandbox', '--disable-gpu'] },
    trace: 'off',
  },
})
