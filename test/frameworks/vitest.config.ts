import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vitest/config'

const here = fileURLToPath(new URL('.', import.meta.url))
const manifest: { readonly dependencies: { readonly [name: string]: string } } = JSON.parse(
  readFileSync(`${here}package.json`, 'utf8'),
)

/** Whoever imports a framework gets the one that is installed beside this file. */
const oldestFrameworks: Plugin = {
  name: 'oldest-frameworks',
  enforce: 'pre',
  async resolveId(specifier) {
    const isFramework = (name: string) => specifier === name || specifier.startsWith(`${name}/`)
    if (!Object.keys(manifest.dependencies).some(isFramework)) return undefined
    const found = await this.resolve(specifier, `${here}package.json`, { skipSelf: true })
    // Node's own lookup would go on to the folders above, and find the newest.
    if (!found?.id.startsWith(here)) throw new Error(`no old ${specifier}: npm ci --prefix test/frameworks`)
    return found
  },
}

/** The tests of the adapters as they are, with each framework as old as the peer ranges allow. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  plugins: [oldestFrameworks],
  test: {
    name: 'oldest frameworks',
    maxWorkers: 2,
    include: ['test/adapters/**/*.test.ts', 'test/otel/dashboard.test.ts'],
    exclude: [
      // hono/proxy came with Hono 4.7, cloneRawRequest with 4.10.
      'test/adapters/hono-forward.test.ts',
      // @hono/node-server 1.14 writes answers without a body in chunks, with a content type of its own.
      'test/adapters/handshakes.test.ts',
      'test/adapters/schemes.test.ts',
    ],
    testTimeout: 20_000,
  },
})
