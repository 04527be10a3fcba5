import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** The programs that docs/observability.md shows, on the loggers and the metrics that they are for. */
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
