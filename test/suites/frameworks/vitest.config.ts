import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vitest/config'
import { TEST_SETTINGS } from '../support/test-settings.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const manifest: { readonly dependencies: { readonly [name: string]: string } } = JSON.parse(
  readFileSync(`${here}package.json`, 'utf8'),
)

/** Makes every import of a framework load the version that is installed beside this file. */
const oldestFrameworks: Plugin = {
  name: 'oldest-frameworks',
  enforce: 'pre',
  async resolveId(specifier) {
    const isFramework = (name: string) => specifier === name || specifier.startsWith(`${name}/`)
    if (!Object.keys(manifest.dependencies).some(isFramework)) return undefined
    const found = await this.resolve(specifier, `${here}package.json`, { skipSelf: true })
    // Node's own lookup would continue to the folders above and find the newest version.
    if (!found?.id.startsWith(here)) throw new Error(`no old ${specifier}: npm ci`)
    return found
  },
}

/** The adapters' own tests, with each framework at the oldest supported version. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  plugins: [oldestFrameworks],
  test: {
    name: 'oldest frameworks',
    maxWorkers: 2,
    include: ['test/adapters/**/*.test.ts', 'test/otel/dashboard.test.ts'],
    exclude: [
      // Gigabytes and floods, which try our own code and take minutes: the main run has them.
      'test/adapters/{bodies-fuzz,http2-memory,idle-senders,waiting-memory}.test.ts',
      // hono/proxy came with Hono 4.7, and cloneRawRequest with 4.10.
      'test/adapters/hono-forward.test.ts',
      // @hono/node-server 1.14 sends answers without a body in chunks, with its own content type.
      'test/adapters/handshakes.test.ts',
      'test/adapters/schemes.test.ts',
    ],
    ...TEST_SETTINGS,
  },
})
