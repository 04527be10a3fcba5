// Serves examples/handoff/cloudflare-queues.ts with its queue. Prints where it listens, and what the program logs. One
// argument: the secret.
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const source = (path) => here(`../../../${path}`)

const { outputFiles } = await build({
  entryPoints: [source('examples/handoff/cloudflare-queues.ts')],
  alias: {
    '#crypto': source('src/crypto/web.ts'),
    hookgate: source('src/index.ts'),
    'hookgate/handoff': source('src/handoff/index.ts'),
    'hookgate/stores/durable-object': source('stores/durable-object/durable-object-store.ts'),
    'hookgate/web': source('adapters/web.ts'),
  },
  bundle: true,
  external: ['cloudflare:workers'],
  format: 'esm',
  target: 'es2023',
  write: false,
  logLevel: 'error',
})
const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    port: 0,
    modules: true,
    script: outputFiles[0].text,
    compatibilityDate: '2026-11-01',
    bindings: { WEBHOOK_SECRET: process.argv[2] },
    durableObjects: { EVENTS: { className: 'EventStoreObject', useSQLite: true } },
    queueProducers: { WEBHOOKS: 'webhooks' },
    queueConsumers: { webhooks: { maxBatchTimeout: 0 } },
  }),
)
console.log(`listens at ${(await miniflare.ready).origin}`)
