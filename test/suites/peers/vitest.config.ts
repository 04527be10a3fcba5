import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { TEST_SETTINGS } from '../support/test-settings.ts'

/** Asks the senders' own SDKs about test/vectors/schemes. */
export default defineConfig({
  resolve: { alias: { '#crypto': fileURLToPath(new URL('../../src/crypto/node.ts', import.meta.url)) } },
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    name: 'peers',
    include: ['test/peers/*.test.ts'],
    maxWorkers: 2,
    ...TEST_SETTINGS, // some of the SDKs take seconds to load
  },
})
