import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vitest/config'
import { TEST_SETTINGS } from '../support/test-settings.ts'

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const crypto = { '#crypto': at('src/crypto/node.ts') }

/** Makes every import of a suite's dependencies load the version that is installed in its folder. */
function installedIn(folder: string): Plugin {
  const manifest: { readonly dependencies: { readonly [name: string]: string } } = JSON.parse(
    readFileSync(`${folder}package.json`, 'utf8'),
  )
  const names = Object.keys(manifest.dependencies)
  return {
    name: 'installed-in',
    enforce: 'pre',
    async resolveId(specifier) {
      if (!names.some((name) => specifier === name || specifier.startsWith(`${name}/`))) return undefined
      const found = await this.resolve(specifier, `${folder}package.json`, { skipSelf: true })
      // Node's own lookup would continue to the folders above and find another version.
      if (!found?.id.startsWith(folder)) throw new Error(`no ${specifier} in ${folder}: npm ci`)
      return found
    },
  }
}

/** Each suite has a script, `npm run test:<name>`, which installs what it needs. */
export default defineConfig({
  root: at(''),
  test: {
    maxWorkers: 2,
    projects: [
      {
        // Clients of the stores that are heavy, or part of a runtime.
        resolve: { alias: crypto },
        test: {
          name: 'clients',
          include: ['test/suites/clients/*.test.ts'],
          globalSetup: 'test/suites/clients/runtimes.mjs',
          ...TEST_SETTINGS,
        },
      },
      {
        // The adapters' own tests, with each framework at the oldest supported version.
        plugins: [installedIn(at('test/suites/frameworks/'))],
        test: {
          name: 'frameworks',
          include: ['test/adapters/**/*.test.ts', 'test/otel/dashboard.test.ts'],
          exclude: [
            // Children, or no framework at all: the console's lines.
            'test/adapters/first-line/**',
            'test/adapters/explained.test.ts',
            // Gigabytes and floods, which try our own code and take minutes: the main run has them.
            'test/adapters/{bodies-fuzz,http2-memory,idle-senders,survivors,waiting-memory}.slow.test.ts',
            // hono/proxy came with Hono 4.7, and cloneRawRequest with 4.10.
            'test/adapters/hono-forward.test.ts',
            // @hono/node-server 1.14 sends answers without a body in chunks, with its own content type.
            'test/adapters/handshakes.test.ts',
            'test/adapters/schemes.test.ts',
          ],
          ...TEST_SETTINGS,
        },
      },
      {
        // The programs of docs/frameworks on frameworks and platforms without an adapter of their own, with the package as it is packed.
        test: { name: 'hosts', include: ['test/suites/hosts/*.test.ts'], ...TEST_SETTINGS },
      },
      {
        // The package as users get it: packed and installed.
        logLevel: 'error',
        test: {
          name: 'package',
          include: ['test/suites/package/*.test.ts'],
          globalSetup: 'test/suites/package/install.ts',
          testTimeout: 300_000,
          // @actions imports JSON in a way that Node 20 rejects.
          server: { deps: { inline: [/@actions/] } },
        },
      },
      {
        // The senders' own SDKs, asked about test/vectors/schemes. Some take seconds to load.
        resolve: { alias: crypto },
        test: { name: 'peers', include: ['test/suites/peers/*.test.ts'], ...TEST_SETTINGS },
      },
      {
        // The programs of examples/queues and examples/handoff on their queues.
        resolve: {
          alias: {
            ...crypto,
            'hookgate/handoff': at('src/handoff/index.ts'),
            'hookgate/sender': at('src/sender/index.ts'),
            'hookgate/stores/postgres': at('src/stores/postgres/store.ts'),
            'hookgate/web': at('adapters/web.ts'),
          },
        },
        plugins: [installedIn(at('test/suites/queues/'))],
        test: {
          name: 'queues',
          include: ['test/suites/queues/**/*.test.ts'],
          env: { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'emulated', AWS_SECRET_ACCESS_KEY: 'emulated' },
          setupFiles: ['test/suites/queues/handoff/with-resolvers.ts'],
          ...TEST_SETTINGS,
        },
      },
      {
        // The built site, in its files and in Chromium.
        test: {
          name: 'site',
          include: ['test/suites/site/*.test.ts'],
          globalSetup: 'test/suites/site/build-site.ts',
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
