// A process of `kills.slow.test.ts`: it recovers until it is killed, or has nothing left to do, and reports each event. Plain JavaScript,
// because Node 20 runs nothing else.

import { defineListener } from 'hookgate'
import { inbox } from 'hookgate/inbox'
import { recover } from 'hookgate/management'
import { postgresStore } from 'hookgate/stores/postgres'
import { redisStore } from 'hookgate/stores/redis'

const { api, id, authOptions, origin, since, target, engine, token, url } = JSON.parse(
  process.argv[2] ?? '{}',
)

const { store, handler, settle } = await { postgres: onPostgres, inbox: intoInbox, redis: onRedis }[target]()
const [scheme] = Object.values(await import(`hookgate/schemes/${api.scheme}`))
const auth = scheme(authOptions)
const listener = defineListener({ id, auth, store, settle, leaseSeconds: 1, onError: null, onVerdict: null })

const recovery = await recover(listener, handler, {
  ...{ api, token, url, since: new Date(since), run: true, all: true },
  fetch: (to, init) => fetch(to.replace(api.baseUrl, origin), init),
  onProgress: () => process.send({ progress: true }),
})
process.send({ recovery }, () => process.exit(0))

async function poolOf() {
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({ ...engine, max: 10 })
  pool.on('error', () => {})
  return pool
}

async function onPostgres() {
  const pool = await poolOf()
  const handler = async (event) => {
    const tx = await pool.connect()
    try {
      await tx.query('BEGIN')
      await tx.query('INSERT INTO effects (event_id) VALUES ($1)', [event.id])
      await event.commit(tx)
      await tx.query('COMMIT')
    } finally {
      tx.release(true)
    }
  }
  return { store: postgresStore(pool), handler, settle: 'auto' }
}

async function intoInbox() {
  const box = inbox(await poolOf())
  return { store: box.store, handler: (event) => box.put(event), settle: 'auto' }
}

/** Commits itself, so that it knows when that was answered. */
async function onRedis() {
  const { Redis } = await import('ioredis')
  const client = new Redis(engine.port)
  const handler = async (event) => {
    await client.rpush('log', `ran ${event.id}`)
    await event.commit()
    await client.rpush('log', `done ${event.id}`)
  }
  return { store: redisStore(client), handler, settle: 'manual' }
}
