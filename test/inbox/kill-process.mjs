// A process of `kills.slow.test.ts`: an endpoint over HTTP that puts its events, and a worker that runs them. It reports its steps,
// and dies at the one that it was told of. Plain JavaScript, because Node 20 runs nothing else.
import { createServer } from 'node:http'
import { setImmediate } from 'node:timers'
import { defineListener, hmac } from 'hookgate'
import { verifyWebhook } from 'hookgate/express'
import { inbox } from 'hookgate/inbox'
import pg from 'pg'

const { connection, table, secret, leaseMs, transactions } = JSON.parse(process.argv[2] ?? '{}')
let armed

/** `dieLater`: when what was written before has left. */
function step(name) {
  if (armed === undefined) return
  process.send({ step: name })
  if (name !== armed.dieAt || armed.victim !== 'process') return
  const die = () => process.kill(process.pid, 'SIGKILL')
  if (armed.dieLater) setImmediate(die)
  else die()
}

async function stepped(name, work) {
  const working = work()
  step(`${name} sent`)
  const result = await working
  step(`${name} answered`)
  return result
}

const NAMES = [
  ['claim', /:acquired'/],
  ['put', /:put'/],
  ['done', /SET state = 'done'/],
]

/** When the last run of an event was asked for, at the earliest. It may overlap another one, whose lease had ended on a busy machine. */
const takenAt = new Map()

/** The jobs that an answer hands out, whichever statement took them. */
function jobsTakenBy({ rows }) {
  return rows
    .map(({ answer }) => `${answer}`.replace(/^a1:\d+:/, ''))
    .filter((answer) => answer.startsWith('{'))
    .map((answer) => JSON.parse(answer))
    .filter(({ fate }) => fate === 'taken' || fate === 'ahead')
}

/** Reports the inbox's own statements. */
function watched(client) {
  return {
    async query(text, values) {
      const [name] = NAMES.find(([, pattern]) => pattern.test(text)) ?? []
      if (name) return stepped(name, () => client.query(text, values))
      const sentAt = Date.now()
      const result = await client.query(text, values)
      const jobs = jobsTakenBy(result)
      if (jobs.length === 0) return result
      for (const { id } of jobs) takenAt.set(id, sentAt)
      step('take answered')
      return result
    },
  }
}

const pool = new pg.Pool({ ...connection, max: 10 })
pool.on('error', () => {})

async function inTransaction(name, work) {
  const client = await pool.connect()
  client.on('error', () => {})
  let isBroken = true
  try {
    await client.query('BEGIN')
    await work(client)
    await stepped(`${name} commit`, () => client.query('COMMIT'))
    isBroken = false
  } finally {
    client.release(isBroken)
  }
}

const box = inbox(watched(pool), { table, leaseMs, maxAttempts: 1000 })
const listener = defineListener({
  id: 'kills',
  auth: hmac({ secrets: { id: 'main', secret } }),
  store: box.store,
  leaseSeconds: leaseMs / 1000,
  onError: null,
  onVerdict: null,
})

async function put(event) {
  if (!transactions) return box.put(event)
  await inTransaction('put', async (tx) => {
    await tx.query('INSERT INTO received (event_id) VALUES ($1)', [event.id])
    await box.put(event, { tx: watched(tx) })
  })
}

async function handle({ id }, { attempt, done }) {
  const at = takenAt.get(id)
  step('handler started')
  const effect = (client) =>
    stepped('effect', () =>
      client.query('INSERT INTO effects (event_id, attempt, at) VALUES ($1, $2, to_timestamp($3 / 1000.0))', [
        id,
        attempt,
        at,
      ]),
    )
  if (!transactions) return effect(pool)
  await inTransaction('run', async (tx) => {
    await effect(tx)
    await done(watched(tx))
  })
}

const verify = verifyWebhook(listener)
const server = createServer((request, response) => {
  const answer = (status) => {
    response.writeHead(status).end()
    step('answered')
  }
  verify(request, response, (error) => {
    if (error !== undefined) return answer(500)
    put(request.webhook).then(
      () => answer(202),
      () => answer(500),
    )
  })
})
const worker = box.work(listener, handle, { pollMs: 50, delayMs: () => 50, onError: null, concurrency: 4 })
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.on('message', (given) => {
  armed = given
  process.send({ armed: true })
})
process.once('SIGTERM', async () => {
  server.close()
  server.closeAllConnections()
  await worker.stop()
  await pool.end()
  process.exit(0)
})
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
