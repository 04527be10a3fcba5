const HELP = `node service/bench/webhooks.mjs [options]

Compares the throughput of the service with the bare framework inserting the same two rows (event record and
run) in one transaction per request. Two server processes, one Postgres, one client. The rounds take turns, so
that a noisy machine falls on both alike. Build first: npm run build && npm run build -w service

  --rounds N        rounds (20)
  --requests N      requests per round (400)
  --connections N   connections (32)
  --fsync           Postgres syncs its commits to the disk, as in production
  --help            show this help
`

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { signHmac } from 'hookgate/testing'
import { runnerImport } from 'vite'
import { openConnections, requestBytes, sendAll } from '../../bench/http/client.mjs'
import { interleave, least, ratio, roundsInAll } from '../../bench/rounds.mjs'
import { createAutomation, publishAutomation } from '../dist/automations/store.js'
import { readConfig } from '../dist/config.js'
import { migrate } from '../dist/database/migrate.js'
import { openPostgres } from '../dist/database/postgres.js'
import { seed } from '../dist/demo/seed.js'
import { DEMO } from '../dist/demo/tenant.js'
import { knownSecrets } from '../dist/listeners/known-secret.js'

const whole = (value) => ({ type: 'string', default: String(value) })
const { values } = parseArgs({
  options: {
    rounds: whole(20),
    requests: whole(400),
    connections: whole(32),
    fsync: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(HELP)
  process.exit(0)
}
const [rounds, requests, connections] = [values.rounds, values.requests, values.connections].map(Number)
const secret = 'only for measuring, and nothing that anybody keeps'
const baseUrl = 'https://tenant.example'
const listenerId = crypto.randomUUID()
const body = Buffer.from(JSON.stringify({ task: 1, note: 'x'.repeat(960) }))

/** Creates the tables, and an automation with an HMAC listener. */
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
    baseUrl,
    config: readConfig({}),
    report: console.error,
  }
  await seed(dependencies)
  const { signingSecret } = await database.transaction(async (tx) => {
    const steps = [{ type: 'record', valueCel: 'ctx.trigger' }]
    const trigger = { enabled: true, incomingWebhook: { hmac: {} } }
    const automation = { displayName: 'Measured', description: '', steps, trigger }
    const made = await createAutomation(
      tx,
      dependencies,
      { userId: DEMO.adminId, roles: [] },
      automation,
      listenerId,
    )
    await publishAutomation(tx, dependencies, made.id)
    return made
  })
  await database.close()
  return signingSecret.secret
}

async function startServer(variant, url) {
  const file = fileURLToPath(new URL('./webhook-server.mjs', import.meta.url))
  const child = fork(file, [variant, url, secret, baseUrl])
  const [{ port }] = await once(child, 'message')
  return { variant, child, sockets: await openConnections(port, connections) }
}

/** New events for a round of one server. */
async function deliveries(signingSecret) {
  const path = `/api/v1/webhooks/incoming/${listenerId}`
  const made = Array.from({ length: requests }, () => signHmac({ secret: signingSecret, body }))
  return (await Promise.all(made)).map((request) => requestBytes({ ...request, path }))
}

async function measure(servers, signingSecret) {
  const variants = []
  for (const { variant, sockets } of servers) {
    const pool = []
    for (let round = 0; round < roundsInAll(rounds); round += 1) pool.push(await deliveries(signingSecret))
    variants.push({ name: variant, run: () => sendAll(sockets, pool.pop()) })
  }
  const progress = (text) => process.stderr.write(`\r${text} `)
  return (await interleave(variants, { rounds, operations: requests, progress })).wall
}

const postgres = fileURLToPath(new URL('../../test/support/postgres-server.ts', import.meta.url))
const server = await (await runnerImport(postgres)).module.PostgresServer.start()
const servers = []
try {
  const signingSecret = await prepare(server.url)
  for (const variant of ['bare', 'service']) servers.push(await startServer(variant, server.url))
  const wall = await measure(servers, signingSecret)
  const throughput = 1 / ratio(wall, 'service', 'bare')
  const perSecond = (name) => Math.round(1e6 / least(wall, name))
  console.log(
    `fsync ${values.fsync ? 'on' : 'off'}, ${connections} connections, ${rounds} rounds of ${requests}`,
  )
  console.log(`bare framework, two rows    ${perSecond('bare')} requests/s at best`)
  console.log(`service                     ${perSecond('service')} requests/s at best`)
  console.log(
    `service / bare              ${(100 * throughput).toFixed(0)} % of the throughput (median of the rounds)`,
  )
} finally {
  for (const { child, sockets } of servers) {
    for (const socket of sockets) socket.destroy()
    child.kill()
  }
  await server.remove()
}
