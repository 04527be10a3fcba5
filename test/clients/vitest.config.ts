import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { alias: { '#crypto': fileURLToPath(new URL('../../src/crypto/node.ts', import.meta.url)) } },
  test: {
    include: ['test/clients/*.test.ts'],
    maxWorkers: 2,
    globalSetup: 'test/clients/runtimes.mjs',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
