// Serves examples/handoff/cloudflare-queues.ts. Prints where it listens, and what the program logs. One argument, as JSON:
// `secret`; `folder` keeps the store over any number of runs; with `registry` the queue belongs to the process that has the
// part `worker`, and `doomed` and `moment` say at which event, and when, a `receiver` kills itself.
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const source = (path) => here(`../../../${path}`)
const { secret, folder, registry, part, doomed = '', moment = '' } = JSON.parse(process.argv[2])

const { outputFiles } = await build({
  entryPoints: [source('examples/handoff/cloudflare-queues.ts')],
  alias: {
    '#crypto': source('src/crypto/web.ts'),
    hookgate: source('src/index.ts'),
    'hookgate/handoff': source('src/handoff/index.ts'),
    'hookgate/stores/durable-object': registry
      ? here('./killing-store.ts')
      : source('stores/durable-object/durable-object-store.ts'),
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
    name: part ?? 'both',
    port: 0,
    modules: true,
    script: outputFiles[0].text,
    compatibilityDate: '2026-11-01',
    bindings: { WEBHOOK_SECRET: secret, DOOMED: doomed, MOMENT: moment },
    durableObjects: { EVENTS: { className: 'EventStoreObject', useSQLite: true } },
    // Its processes are a group of their own.
    serviceBindings: { KILL: () => process.kill(-process.pid, 'SIGKILL') },
    ...(part !== 'worker' && { queueProducers: { WEBHOOKS: 'webhooks' } }),
    ...(part !== 'receiver' && { queueConsumers: { webhooks: { maxBatchTimeout: 0 } } }),
    resourcePersistencePath: folder,
    unsafeDevRegistryPath: registry,
  }),
)
console.log(`listens at ${(await miniflare.ready).origin}`)
