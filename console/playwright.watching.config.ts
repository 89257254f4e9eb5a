// What watching costs: see tests/watching and scripts/bench-watching.
import { defineConfig } from '@playwright/test'
import common from './playwright.config'

export default defineConfig(common, {
  testDir: 'tests/watching',
  // It measures for as long as it takes.
  timeout: 0,
  use: { ...common.use, actionTimeout: 60_000, navigationTimeout: 60_000 },
})
