import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { TEST_SETTINGS } from '../support/test-settings.ts'

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const PACKAGES = [
  '@aws-sdk/client-sqs',
  '@dbos-inc/dbos-sdk',
  '@nats-io/jetstream',
  '@nats-io/transport-node',
  '@restatedev/restate-sdk',
  '@restatedev/restate-sdk-clients',
  'bullmq',
  'graphile-worker',
  'ioredis',
  'pg',
  'pg-boss',
]

/** Runs the programs of examples/queues and examples/handoff on their queues. */
export default defineConfig({
  resolve: {
    alias: [
      { find: '#crypto', replacement: at('src/crypto/node.ts') },
      { find: 'hookgate/handoff', replacement: at('src/handoff/index.ts') },
      { find: 'hookgate/sender', replacement: at('src/sender/index.ts') },
      { find: 'hookgate/stores/postgres', replacement: at('src/stores/postgres/store.ts') },
      { find: 'hookgate/web', replacement: at('adapters/web.ts') },
      ...PACKAGES.map((name) => ({
        find: new RegExp(`^${name}$`),
        replacement: fileURLToPath(import.meta.resolve(name)),
      })),
    ],
  },
  test: {
    env: { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'emulated', AWS_SECRET_ACCESS_KEY: 'emulated' },
    include: ['test/queues/*.test.ts', 'test/queues/handoff/*.test.ts'],
    setupFiles: ['test/queues/handoff/with-resolvers.ts'],
    maxWorkers: 2,
    ...TEST_SETTINGS,
  },
})
