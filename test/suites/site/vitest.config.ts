import { defineConfig } from 'vitest/config'

/** Tests the built site, in its files and in Chromium. */
export default defineConfig({
  test: {
    include: ['test/site/*.test.ts'],
    globalSetup: 'test/site/build-site.ts',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
