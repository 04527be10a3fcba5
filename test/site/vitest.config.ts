import { defineConfig } from 'vitest/config'

/** The site as it is built, in files and in Chromium. */
export default defineConfig({
  test: {
    include: ['test/site/*.test.ts'],
    globalSetup: 'test/site/build-site.ts',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
