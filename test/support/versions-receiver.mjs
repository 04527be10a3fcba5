// A receiver of Stripe events that keeps the latest state of each entity, in its own process: on Postgres if it is given a
// connection, or else on PGlite in a folder. Deliveries come as messages, and the sender's API answers as messages too.
import { PGlite } from '@electric-sql/pglite'
import { defineListener } from 'hookgate'
import { stripe } from 'hookgate/schemes/stripe'
import { entityVersions, postgresStore } from 'hookgate/stores/postgres'
import { webhookHandler } from 'hookgate/web'
import pg from 'pg'

const { connection, folder, strategy, secret } = JSON.parse(process.argv[2])

const WRITE = `INSERT INTO states VALUES ($1, $2) ON CONFLICT (entity) DO UPDATE SET state = excluded.state`
const TABLE = 'CREATE TABLE IF NOT EXISTS states (entity text PRIMARY KEY, state text)'

const versions = entityVersions()
const { client, transaction } = connection ? onPostgres() : await onPGlite()
const store = postgresStore(client)
await store.migrate()
await versions.migrate(client)
await client.query(connection ? `BEGIN; SELECT pg_advisory_xact_lock(1); ${TABLE}; COMMIT` : TABLE)

function onPostgres() {
  const pool = new pg.Pool({ ...connection, max: 24 })
  pool.on('error', () => {})
  return { client: pool, transaction: (work) => inTransaction(pool, work) }
}

/** With one connection, so one transaction at a time. */
async function onPGlite() {
  const db = await PGlite.create(folder)
  return { client: db, transaction: (work) => db.transaction(work) }
}

async function inTransaction(pool, work) {
  const tx = await pool.connect()
  try {
    await tx.query('BEGIN')
    await work(tx)
    await tx.query('COMMIT')
    tx.release()
  } catch (error) {
    tx.release(true) // closes the connection, and Postgres rolls back
    throw error
  }
}

/** What to write, if anything. */
const STRATEGIES = {
  'as they arrive': (_tx, { state }) => state,
  'ties are skipped': async (tx, { entity, state }, version) =>
    (await versions.advance(tx, entity, version)) === 'newer' ? state : undefined,
  'ties are fetched': async (tx, { entity, state }, version) => {
    const answer = await versions.advance(tx, entity, version)
    return { newer: state, same: answer === 'same' && (await fetchState(entity)) }[answer]
  },
}
const stateOf = STRATEGIES[strategy]

const listener = defineListener({
  id: 'shop',
  auth: stripe({ secrets: secret }),
  store,
  leaseSeconds: 10, // what a killed process held is asked for again and again until then
  storeTimeoutSeconds: 30, // PGlite's transactions wait for each other
})
const handle = webhookHandler(listener, async (event) => {
  const { created, data } = event.payload
  await transaction(async (tx) => {
    const state = await stateOf(tx, data, created)
    if (state !== undefined) await tx.query(WRITE, [data.entity, state])
    await event.commit(tx)
  })
})

const fetching = new Map()
let fetches = 0
function fetchState(entity) {
  fetches += 1
  process.send({ fetch: fetches, entity })
  return new Promise((resolve) => fetching.set(fetches, resolve))
}

/** The messages of the test. */
const VERBS = {
  async deliver({ headers, body }) {
    const response = await handle(new Request('http://localhost/', { method: 'POST', headers, body }))
    return response.status
  },
  /** The states of these entities. */
  async states({ entities }) {
    const { rows } = await client.query('SELECT entity, state FROM states WHERE entity = ANY ($1)', [
      entities,
    ])
    return Object.fromEntries(rows.map(({ entity, state }) => [entity, state]))
  },
}

process.on('message', ({ id, verb, fetched, state, ...request }) => {
  if (fetched !== undefined) return fetching.get(fetched)?.(state)
  const answer = (value) => process.send({ id, answer: value })
  return VERBS[verb](request).then(answer, () => answer(500))
})
process.on('disconnect', () => process.exit())
process.send({ ready: true })
