import { defineConfig } from 'vitest/config'
import { TEST_SETTINGS } from '../support/test-settings.ts'

/** Runs the programs of docs/hosts.md on frameworks and platforms without an adapter of their own, with the package as it is packed. */
export default defineConfig({
  test: { include: ['test/hosts/*.test.ts'], maxWorkers: 2, ...TEST_SETTINGS },
})
