const HELP = `node service/bench/runs.mjs [options]

Measures how many runs a second one worker ends while many wait, and how long the run of another automation waits behind them.
Each run has one step, which writes a record. One Postgres. Build first: npm run build && npm run build -w service

  --waiting N,N     how many runs wait (1000,20000,100000)
  --seconds N       how long the worker works on each (10)
  --fsync           Postgres syncs its commits to the disk, as in production
  --help            show this help
`

import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runnerImport } from 'vite'
import { createAutomation, publishAutomation } from '../dist/automations/store.js'
import { readConfig } from '../dist/config.js'
import { migrate } from '../dist/database/migrate.js'
import { openPostgres } from '../dist/database/postgres.js'
import { seed } from '../dist/demo/seed.js'
import { DEMO } from '../dist/demo/tenant.js'
import { knownSecrets } from '../dist/listeners/known-secret.js'
import { openMetrics } from '../dist/metrics.js'
import { RunQueue } from '../dist/runs/queue.js'
import { startWorker } from '../dist/runs/worker.js'

const { values } = parseArgs({
  options: {
    waiting: { type: 'string', default: '1000,20000,100000' },
    seconds: { type: 'string', default: '10' },
    fsync: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(HELP)
  process.exit(0)
}
const secret = 'only for measuring, and nothing that anybody keeps'

async function prepare(url) {
  const database = openPostgres({ connectionString: url }, console.error)
  if (values.fsync) {
    await database.query('ALTER SYSTEM SET fsync = on')
    await database.query('SELECT pg_reload_conf()')
  }
  await migrate(database)
  await knownSecrets(database, { secret }, console.error)
  const dependencies = {
    database,
    clock: Date,
    newId: () => crypto.randomUUID(),
    secret,
    baseUrl: 'https://tenant.example',
    config: readConfig({}),
    runs: new RunQueue(database),
    metrics: openMetrics(),
    report: console.error,
  }
  await seed(dependencies)
  return dependencies
}

/** @returns The IDs of a new automation and its listener. */
async function newAutomation(dependencies) {
  const listenerId = crypto.randomUUID()
  const steps = [{ type: 'record', valueCel: 'ctx.trigger' }]
  const trigger = { enabled: true, incomingWebhook: { hmac: {} } }
  const automation = { displayName: 'Measured', description: '', steps, trigger }
  const id = await dependencies.database.transaction(async (tx) => {
    const admin = { userId: DEMO.adminId, roles: [] }
    const made = await createAutomation(tx, dependencies, admin, automation, listenerId)
    await publishAutomation(tx, dependencies, made.id)
    return made.id
  })
  return { id, listenerId }
}

/** As deliveries would, but without the time that they take. */
const queue = ({ database }, { id, listenerId }, count) =>
  database.query(
    `INSERT INTO runs (id, automation_id, version, listener_id, event_id, input, state, created_at, due_at)
     SELECT gen_random_uuid()::text, $1, 1, $2, gen_random_uuid(), '{"task": 1}', 'RUN_STATE_PENDING', now(), now()
     FROM generate_series(1, $3::int)`,
    [id, listenerId, count],
  )

async function measure(dependencies, waiting) {
  const { database } = dependencies
  await database.query('UPDATE runs SET finished_at = now(), state = $1 WHERE finished_at IS NULL', [
    'RUN_STATE_FAILED',
  ])
  const [greedy, modest] = [await newAutomation(dependencies), await newAutomation(dependencies)]
  await queue(dependencies, greedy, waiting)
  await database.query('ANALYZE runs')
  let ended = 0
  let heard = () => {}
  const endedRuns = {
    add: () => {
      ended += 1
      heard()
    },
  }
  const worker = startWorker({ ...dependencies, metrics: { ...dependencies.metrics, endedRuns } })
  const until = (isOver) =>
    new Promise((resolve) => {
      heard = () => isOver() && resolve()
    })
  await until(() => ended >= Math.min(100, waiting / 2)) // evaluators have started, and the code is compiled
  const [began, endedBefore] = [performance.now(), ended]
  const isOver = () => performance.now() - began >= 1000 * Number(values.seconds) || ended >= waiting
  await until(isOver)
  const perSecond = (1000 * (ended - endedBefore)) / (performance.now() - began)
  await queue(dependencies, modest, 1)
  const put = performance.now()
  const [{ id }] = await database.query('SELECT id FROM runs WHERE automation_id = $1', [modest.id])
  const hasEnded = async () => {
    const [row] = await database.query('SELECT finished_at FROM runs WHERE id = $1', [id])
    return row.finished_at !== null
  }
  while (!(await hasEnded())) await setTimeout(5)
  const other = performance.now() - put
  await worker.stop()
  return { perSecond, other }
}

const postgres = fileURLToPath(new URL('../../test/support/postgres-server.ts', import.meta.url))
const server = await (await runnerImport(postgres)).module.PostgresServer.start()
try {
  const dependencies = await prepare(server.url)
  console.log(`fsync ${values.fsync ? 'on' : 'off'}, Node ${process.version}`)
  for (const waiting of values.waiting.split(',').map(Number)) {
    const { perSecond, other } = await measure(dependencies, waiting)
    console.log(
      `${waiting} waiting: ${perSecond.toFixed(0)} runs a second end; the run of another automation ends after ${other.toFixed(0)} ms`,
    )
  }
  await dependencies.database.close()
} finally {
  await server.remove()
}
process.exit() // the evaluators' processes
