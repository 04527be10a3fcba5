// node service/bench/pages.mjs [--rounds N] [--size N]
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { PGlite } from '@electric-sql/pglite'
import { runnerImport } from 'vite'
import { interleave, least, ratio } from '../../bench/rounds.mjs'
import { createApp } from '../dist/app.js'
import { readConfig } from '../dist/config.js'
import { migrate } from '../dist/database/migrate.js'
import { onPGlite } from '../dist/database/pglite.js'
import { openPostgres } from '../dist/database/postgres.js'
import { seed } from '../dist/demo/seed.js'
import { DEMO, demoToken } from '../dist/demo/tenant.js'
import { knownSecrets } from '../dist/listeners/known-secret.js'
import { openMetrics } from '../dist/metrics.js'

const HELP = `node service/bench/pages.mjs [--rounds N] [--size N]

What the last page of a list costs, as a multiple of the first: 10,000 tasks and 100,000 entitlements (--size), pages of 100, the
whole service but its socket. On PGlite in memory, then on a Postgres server of its own, if one is installed. Build first:
npm run build && npm run build -w service
`

const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    size: { type: 'string', default: '100000' },
    help: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds ?? 21)
const size = Number(values.size)
if (values.help || !Number.isSafeInteger(rounds) || rounds < 1) {
  console.log(HELP)
  process.exit(values.help ? 0 : 2)
}

const secret = 'only for measuring, and nothing that anybody keeps'

async function fill(database) {
  await database.query(
    `INSERT INTO app_entitlements (id, app_id, display_name, description, created_at)
     SELECT 'many-' || n, $1, 'Entitlement ' || md5(n::text), '', now() FROM generate_series(1, $2::int) AS n`,
    [DEMO.appId, size],
  )
  await database.query(
    `INSERT INTO tasks (id, display_name, description, state, processing, origin, type, user_id, created_by_user_id,
       created_at, updated_at, recommendation, policy_id, policy_generation_id, workflow)
     SELECT 'many-' || n, display_name, description, state, processing, origin, type, user_id, created_by_user_id,
       created_at, updated_at, recommendation, policy_id, policy_generation_id, workflow
     FROM tasks, generate_series(1, $1::int / 10) AS n WHERE numeric_id = 1`,
    [size],
  )
  await database.query(
    `INSERT INTO task_steps (task_id, position, step, instance_id, state)
     SELECT tasks.id, position, step, CASE WHEN instance_id IS NOT NULL THEN 'step-' || tasks.id END, task_steps.state
     FROM task_steps JOIN tasks AS first ON first.id = task_id AND first.numeric_id = 1
     JOIN tasks ON tasks.id LIKE 'many-%'`,
  )
  for (const table of ['app_entitlements', 'tasks', 'task_steps']) await database.query(`ANALYZE ${table}`)
}

const headers = { authorization: `Bearer ${demoToken(secret)}`, 'content-type': 'application/json' }

const LISTS = {
  entitlements: (app, token) =>
    app.request(`/api/v1/apps/${DEMO.appId}/entitlements?page_size=100&page_token=${token}`, { headers }),
  tasks: (app, page_token) =>
    app.request('/api/v1/search/tasks', {
      method: 'POST',
      headers,
      body: JSON.stringify({ page_size: 100, page_token, expandMask: { paths: ['*'] } }),
    }),
}

async function page(list, app, token) {
  const reply = await list(app, token)
  if (reply.status !== 200) throw new Error(await reply.text())
  return reply.json()
}

/** Measures several pages at a time, because a single one is too short to average out noise. */
const PAGES = 10

async function several(list, app, token) {
  for (let count = 0; count < PAGES; count += 1) await page(list, app, token)
}

/** The token of the last full page, so that both pages have 100 elements. */
async function lastToken(list, app) {
  let [token, before, elements] = ['', '', 0]
  for (;;) {
    const { list: found, nextPageToken } = await page(list, app, token)
    elements += found.length
    if (nextPageToken === '') return { token: found.length === 100 ? token : before, elements }
    ;[before, token] = [token, nextPageToken]
  }
}

async function measure(engine, database) {
  const dependencies = {
    database,
    clock: Date,
    newId: () => crypto.randomUUID(),
    secret,
    baseUrl: 'http://127.0.0.1',
    config: readConfig({}),
    runs: undefined, // no webhook arrives
    metrics: openMetrics(),
    report: console.error,
  }
  await migrate(database)
  await knownSecrets(database, { secret }, console.error)
  await seed(dependencies)
  await fill(database)
  const app = createApp(dependencies)
  console.log(`${engine}, Node ${process.version}, ${rounds} rounds`)
  for (const [name, list] of Object.entries(LISTS)) {
    const { token, elements } = await lastToken(list, app)
    const variants = [
      { name: 'first', run: () => several(list, app, '') },
      { name: 'last', run: () => several(list, app, token) },
    ]
    const { wall } = await interleave(variants, { rounds, operations: PAGES })
    const times = variants.map(
      (variant) => `${variant.name} ${(least(wall, variant.name) / 1000).toFixed(1)} ms`,
    )
    console.log(
      `${name}: ${elements} in all; ${times.join(', ')}; last / first ${ratio(wall, 'last', 'first').toFixed(2)}`,
    )
  }
  await database.close()
}

await measure('PGlite', onPGlite(await PGlite.create()))
const postgres = fileURLToPath(new URL('../../test/support/postgres-server.ts', import.meta.url))
const { PostgresServer, WHY_NO_POSTGRES } = (await runnerImport(postgres)).module
if (WHY_NO_POSTGRES) {
  console.log(WHY_NO_POSTGRES)
} else {
  const server = await PostgresServer.start()
  try {
    await measure('Postgres', openPostgres({ connectionString: server.url }, console.error))
  } finally {
    await server.remove()
  }
}
