import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Tests the package as users get it: packed and installed. Slow, so not part of `npm test`. */
export default defineConfig({
  logLevel: 'error',
  test: {
    name: 'package',
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['*.test.ts'],
    maxWorkers: 2,
    globalSetup: './install.ts',
    testTimeout: 300_000,
    // @actions imports JSON in a way that Node 20 rejects.
    server: { deps: { inline: [/@actions/] } },
  },
})
