// Serves a Worker in a real workerd until it is stopped or killed. Prints its address. Two arguments: the folder for
// its storage, which may come from an earlier run, and the Worker's module. With NEON_FRONT, the Worker has a DATABASE_URL at Neon, whose host
// that URL replaces, and no other store.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

// workerd is installed with the other runtimes.
const requireInstalled = createRequire(new URL('../../suites/runtimes/package.json', import.meta.url))
const { build } = requireInstalled('esbuild')
const {
  convertV4MiniflareOptions,
  fetch: fetchFrom,
  Log,
  LogLevel,
  Miniflare,
} = requireInstalled('miniflare')

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const [, , folder = '', entry = here('./worker.ts')] = process.argv

// Once per folder, because the tests start it many times.
const script = `${folder}/worker.js`
if (!existsSync(script)) {
  await build({
    entryPoints: [entry],
    alias: { '#crypto': here('../../../src/crypto/web.ts') },
    bundle: true,
    external: ['cloudflare:workers'],
    format: 'esm',
    target: 'es2023',
    outfile: script,
    logLevel: 'error',
  })
}
const { NEON_FRONT } = process.env
const stores = {
  d1Databases: ['DB'],
  durableObjects: { EVENTS: { className: 'EventStoreObject', useSQLite: true } },
}
const neon = {
  bindings: {
    STRIPE_WEBHOOK_SECRET: 'whsec_for_trying',
    DATABASE_URL: 'postgres://hookgate:none@ep.neon.example/postgres',
  },
  unsafeTriggerHandlers: true,
  outboundService: async (request) => fetchFrom(NEON_FRONT, { method: 'POST', body: await request.text() }),
}
const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    port: 0,
    log: new Log(LogLevel.ERROR),
    modules: true,
    script: readFileSync(script, 'utf8'),
    compatibilityDate: '2026-11-01',
    bindings: { STRIPE_WEBHOOK_SECRET: 'whsec_for_trying' },
    ...(NEON_FRONT ? neon : stores),
    resourcePersistencePath: folder,
  }),
)
console.log(`listens at ${(await miniflare.ready).origin}`)
