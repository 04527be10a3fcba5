import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const PACKAGES = ['bullmq', 'graphile-worker', 'ioredis', 'pg', 'pg-boss']

/** The programs of examples/queues, on the queues that they are for. */
export default defineConfig({
  resolve: {
    alias: [
      { find: '#crypto', replacement: at('src/crypto/node.ts') },
      { find: 'hookgate/sender', replacement: at('sender/index.ts') },
      ...PACKAGES.map((name) => ({
        find: new RegExp(`^${name}$`),
        replacement: fileURLToPath(import.meta.resolve(name)),
      })),
    ],
  },
  test: { include: ['test/queues/*.test.ts'], maxWorkers: 2, testTimeout: 60_000, hookTimeout: 60_000 },
})
