import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** What users install, packed and installed as they do. Slow, so not a part of `npm test`. */
export default defineConfig({
  logLevel: 'error',
  test: {
    name: 'package',
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['*.test.ts'],
    maxWorkers: 2,
    globalSetup: './install.ts',
    testTimeout: 300_000,
    // It imports JSON as Node 20 alone does not.
    server: { deps: { inline: [/@actions/] } },
  },
})
