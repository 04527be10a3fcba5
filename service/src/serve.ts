import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { instrument } from 'hookgate/otel'
import { createApp } from './app.ts'
import { startBackground } from './background.ts'
import { readConfig, rootSecret } from './config.ts'
import { migrate } from './database/migrate.ts'
import { openDatabase } from './database/open.ts'
import { outageReporter } from './database/outage.ts'
import { seed } from './demo/seed.ts'
import { NO_DEMO, storyOf } from './demo/story.ts'
import { revokeDemoTokenOfOthers } from './demo/tenant.ts'
import { importSeedFile } from './directory/seed-file.ts'
import type { Dependencies } from './http/dependencies.ts'
import { originOf } from './http/origin.ts'
import { knownSecrets } from './listeners/known-secret.ts'
import { openMetrics } from './metrics.ts'
import { measureRuns } from './runs/metrics.ts'
import { RunQueue } from './runs/queue.ts'
import { stop } from './stop.ts'

const FOR_TRYING_OUT =
  'State is kept in PGlite, which is for trying out. In production, set SERVICE_DATABASE_URL to a Postgres server.'

const config = readConfig(process.env)
const given = { secret: await rootSecret(config), otherSecret: config.SERVICE_OTHER_SECRET }
const database = await openDatabase(config, (error) => report(error))
const report = outageReporter(database, { log: console.error })
await migrate(database)
const secrets = await knownSecrets(database, given, report)
await revokeDemoTokenOfOthers(database, secrets.secret)
if (config.SERVICE_SEED?.endsWith('.json'))
  await importSeedFile({ database, clock: Date }, config.SERVICE_SEED)

const server = createServer(getRequestListener((request, env) => app.fetch(request, env)))
const sockets = new Set<Socket>()
server.on('connection', (socket) => sockets.add(socket.once('close', () => sockets.delete(socket))))
server.listen(config.SERVICE_PORT, config.SERVICE_HOST)
await once(server, 'listening')
const here = originOf(server)

const metrics = openMetrics()
instrument({ meter: metrics.meter })
measureRuns(metrics, database, { clock: Date, report })
const stopping = new AbortController()
const dependencies: Dependencies = {
  database,
  config,
  clock: Date,
  newId: () => crypto.randomUUID(),
  ...secrets,
  baseUrl: config.SERVICE_BASE_URL ?? here,
  runs: new RunQueue(database, config.SERVICE_JOB_LEASE_SECONDS),
  metrics,
  stopping: stopping.signal,
  report,
}
const app = createApp(dependencies) // in the same turn, so before any request
if (config.SERVICE_SEED === 'on') await seed(dependencies)
const background = startBackground(dependencies)
console.log(`Listening on ${here}, reference at ${here}/docs, overview at ${here}/`)
if (config.SERVICE_DATABASE_URL === undefined) console.log(FOR_TRYING_OUT)
if (config.SERVICE_SEED === 'on') storyOf(dependencies).then(console.log, report)
else console.log(NO_DEMO)

async function end(): Promise<void> {
  await background.stop()
  await database.close()
}

/** Ctrl-C does not drain: no load balancer is watching. */
async function stopAndExit(signal: NodeJS.Signals): Promise<void> {
  stopping.abort()
  const drainMs = signal === 'SIGINT' ? 0 : config.SERVICE_DRAIN_SECONDS * 1_000
  const deadlineMs = config.SERVICE_STOP_SECONDS * 1_000
  process.exit(await stop({ server, sockets, end, drainMs, deadlineMs, log: console.error }))
}
process.once('SIGINT', stopAndExit)
process.once('SIGTERM', stopAndExit)
