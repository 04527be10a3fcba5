// Serves examples/handoff/cloudflare-queues.ts. Prints its address and the program's logs. Takes one argument, as JSON.
// `secret` is the signing secret, and `folder` keeps the store between runs. With `registry`, the queue belongs to the
// process whose `part` is `worker`. With `refusing`, the program's queue refuses each event once. `doomed` and `moment`
// say at which event, and when, a `receiver` kills itself.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

// workerd is installed with the other runtimes.
const requireInstalled = createRequire(new URL('../../suites/runtimes/package.json', import.meta.url))
const { build } = requireInstalled('esbuild')
const { convertV4MiniflareOptions, Miniflare } = requireInstalled('miniflare')

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const source = (path) => here(`../../../${path}`)
const { secret, folder, registry, part, refusing, doomed = '', moment = '' } = JSON.parse(process.argv[2])

const { outputFiles } = await build({
  stdin: {
    contents: `export { default, EventStoreObject } from '../../../examples/handoff/cloudflare-queues.ts'
      export { RefusingQueue } from './refusing-queue.ts'`,
    resolveDir: here('.'),
  },
  alias: {
    '#crypto': source('src/crypto/web.ts'),
    hookgate: source('src/index.ts'),
    'hookgate/handoff': source('src/handoff/index.ts'),
    'hookgate/stores/durable-object': moment
      ? here('./killing-store.ts')
      : source('src/stores/durable-object/store.ts'),
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
    serviceBindings: {
      // Its processes have their own process group.
      KILL: () => process.kill(-process.pid, 'SIGKILL'),
      ...(refusing && { WEBHOOKS: { name: 'both', entrypoint: 'RefusingQueue' } }),
    },
    ...(part !== 'worker' && { queueProducers: { [refusing ? 'QUEUE' : 'WEBHOOKS']: 'webhooks' } }),
    ...(part !== 'receiver' && { queueConsumers: { webhooks: { maxBatchTimeout: 0 } } }),
    resourcePersistencePath: folder,
    unsafeDevRegistryPath: registry,
  }),
)
console.log(`listens at ${(await miniflare.ready).origin}`)
