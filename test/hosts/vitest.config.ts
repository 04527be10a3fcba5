import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { TEST_SETTINGS } from '../support/test-settings.ts'

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Runs the programs of docs/hosts.md on frameworks and platforms without an adapter of their own. */
export default defineConfig({
  resolve: {
    alias: [
      { find: '#crypto', replacement: at('src/crypto/node.ts') },
      { find: /^hookgate$/, replacement: at('src/index.ts') },
      { find: 'hookgate/stores/memory', replacement: at('stores/memory.ts') },
      { find: 'hookgate/schemes/stripe', replacement: at('schemes/stripe.ts') },
      { find: 'hookgate/adapter', replacement: at('adapters/kit/index.ts') },
      { find: /^hookgate\/(.*)$/, replacement: at('adapters/$1.ts') },
    ],
  },
  test: { include: ['test/hosts/*.test.ts'], maxWorkers: 2, ...TEST_SETTINGS },
})
