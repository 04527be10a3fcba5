import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { TEST_SETTINGS } from '../support/test-settings.ts'

export default defineConfig({
  resolve: { alias: { '#crypto': fileURLToPath(new URL('../../src/crypto/node.ts', import.meta.url)) } },
  test: {
    include: ['test/clients/*.test.ts'],
    maxWorkers: 2,
    globalSetup: 'test/clients/runtimes.mjs',
    ...TEST_SETTINGS,
  },
})
