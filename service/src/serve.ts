import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { createApp } from './app.ts'
import { startBackground } from './background.ts'
import { readConfig, rootSecret } from './config.ts'
import { migrate } from './database/migrate.ts'
import { openDatabase } from './database/open.ts'
import { outageReporter } from './database/outage.ts'
import { seed } from './database/seed.ts'
import { SEED_PARTS } from './database/seed-parts.ts'
import type { Dependencies } from './http/dependencies.ts'
import { openJobQueue } from './jobs/queue.ts'
import { requireKnownSecret } from './listeners/known-secret.ts'
import { storyOf } from './story.ts'

const config = readConfig(process.env)
const secret = await rootSecret(config)
const database = await openDatabase(config.databaseUrl, config.folder, (error) => report(error))
const report = outageReporter(database, { log: console.error })
await migrate(database)
await requireKnownSecret(database, secret)
const jobs = await openJobQueue(database, { leaseSeconds: config.jobLeaseSeconds, report })

const server = createAdaptorServer({ fetch: (request, env) => app.fetch(request, env) })
server.listen(config.port, '127.0.0.1')
await once(server, 'listening')
const here = `http://127.0.0.1:${portOf(server.address())}`

const dependencies: Dependencies = {
  database,
  clock: Date,
  newId: () => crypto.randomUUID(),
  secret,
  baseUrl: config.baseUrl ?? here,
  baselinePolicies: config.baselinePolicies,
  jobs,
  trustedProxies: config.trustedProxies,
  allowPrivateJwks: config.allowPrivateJwks,
  report,
}
const app = createApp(dependencies) // in the same turn: no request comes before it
if (config.seed) await seed(dependencies, SEED_PARTS)
const background = startBackground(dependencies)
console.log(`Listening on ${here}, reference at ${here}/docs`)
if (config.seed) storyOf(dependencies).then(console.log, report)

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : config.port
}

function stop(): void {
  // Whoever keeps a connection alive would keep the server with it.
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'))
  server.close(() =>
    background
      .stop()
      .then(() => database.close())
      .then(() => process.exit(0), report),
  )
}
process.once('SIGINT', stop)
process.once('SIGTERM', stop)
