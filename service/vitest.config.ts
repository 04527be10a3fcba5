import { defineConfig } from 'vitest/config'
import { reportRun } from '../test/support/run-reporter.ts'
import { MOST_WORKERS, TEST_SETTINGS } from '../test/support/test-settings.ts'

/** The service knows the package by its name only: as it is built. */
export default defineConfig({
  plugins: [reportRun()],
  test: {
    name: 'service',
    maxWorkers: MOST_WORKERS,
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/templates.ts',
    isolate: false,
    ...TEST_SETTINGS,
  },
})
