import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { TestProjectInlineConfiguration } from 'vitest/config'
import { TEST_SETTINGS } from '../support/test-settings.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const PLUGIN = '../suites/runtimes/node_modules/@cloudflare/vitest-plugin/dist/pool/index.mjs'

/** Why the tests in workerd cannot run here. Undefined if they can. */
export const WHY_NO_WORKERD: string | undefined = existsSync(here(PLUGIN))
  ? undefined
  : 'no workerd: npm install --no-save --prefix test/suites/runtimes'

/** For the name of a `describe.skipIf(WHY_NO_WORKERD)`. */
export function inWorkerd(name: string): string {
  return WHY_NO_WORKERD === undefined ? name : `${name} (skipped: ${WHY_NO_WORKERD})`
}

/** Portable tests that need something workerd lacks, each with its reason. */
const NOT_IN_WORKERD: { readonly [path: string]: string } = {
  'test/lib/runtime-dependencies.test.ts': 'reads the manifests of installed packages',
  'test/auth/fetch-jwks.test.ts': 'TLS, compression and floods need a socket, which its servers have not',
  'test/auth/jwt-algorithm.test.ts': 'needs keys of curves that workerd cannot make',
  'test/lib/realms.test.ts': 'makes another realm with node:vm',
}

/** Runs inside workerd, on the Web Crypto build: the portable tests, and those of Cloudflare's stores. */
export async function workerdProjects(): Promise<TestProjectInlineConfiguration[]> {
  if (WHY_NO_WORKERD !== undefined) {
    console.warn(`nothing is tested inside workerd: ${WHY_NO_WORKERD}`)
    return []
  }
  const { cloudflareTest } = await import(pathToFileURL(here(PLUGIN)).href)
  return [
    {
      resolve: { alias: { '#crypto': here('../../src/crypto/web.ts') } },
      plugins: [
        cloudflareTest({
          main: here('worker.ts'),
          miniflare: {
            compatibilityDate: '2026-11-01',
            d1Databases: ['DB'],
            durableObjects: { EVENTS: { className: 'EventStoreObject', useSQLite: true } },
          },
        }),
      ],
      test: {
        name: 'workerd',
        include: [
          'test/*.test.ts',
          'test/{auth,checks,crypto,lib,testing}/**/*.test.ts',
          'test/workerd/*.test.ts',
          'test/stores/{memory,local-cache}*.test.ts',
          'test/adapters/{hono,observe,observe-readings}-web.test.ts',
          'test/otel/{store,verify}-channel.test.ts',
        ],
        exclude: ['**/node_modules/**', ...Object.keys(NOT_IN_WORKERD)],
        restoreMocks: true,
        ...TEST_SETTINGS,
      },
    },
  ]
}
