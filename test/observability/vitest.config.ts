import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Runs the programs of docs/observability.md on their loggers and metrics libraries. */
export default defineConfig({
  resolve: {
    alias: [
      { find: '#crypto', replacement: at('src/crypto/node.ts') },
      { find: /^hookgate$/, replacement: at('src/index.ts') },
      { find: /^hookgate\/otel$/, replacement: at('src/otel/index.ts') },
    ],
  },
  test: {
    include: ['test/observability/*.test.ts'],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
