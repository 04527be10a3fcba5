// A process of `kills.slow.test.ts`: it recovers until it is killed, or has nothing left to do, and reports each event. Plain JavaScript,
// because Node 20 runs nothing else.

import { defineListener } from 'hookgate'
import { recover } from 'hookgate/management'
import { githubRepositoryApi } from 'hookgate/management/github'
import { stripeApi } from 'hookgate/management/stripe'
import { github } from 'hookgate/schemes/github'
import { stripe } from 'hookgate/schemes/stripe'
import { postgresStore } from 'hookgate/stores/postgres'
import { redisStore } from 'hookgate/stores/redis'
import { Redis } from 'ioredis'
import pg from 'pg'

const { sender, engine, origin, since, url, secret, token } = JSON.parse(process.argv[2] ?? '{}')

const { store, handler, settle } = engine.redis ? onRedis() : onPostgres()
const auth = { stripe, github }[sender]({ secrets: secret })
const listener = defineListener({
  id: 'kills',
  auth,
  store,
  settle,
  leaseSeconds: 1,
  onError: null,
  onVerdict: null,
})
const api = sender === 'stripe' ? stripeApi : githubRepositoryApi({ owner: 'octocat', repo: 'hello-world' })

const recovery = await recover(listener, handler, {
  ...{ api, token, url, since: new Date(since), run: true, all: true },
  fetch: (to, init) => fetch(to.replace(api.baseUrl, origin), init),
  onProgress: () => process.send({ progress: true }),
})
process.send({ recovery }, () => process.exit(0))

function onPostgres() {
  const pool = new pg.Pool({ ...engine, max: 10 })
  pool.on('error', () => {})
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

/** Commits itself, so that it knows when that was answered. */
function onRedis() {
  const client = new Redis(engine.redis)
  const handler = async (event) => {
    await client.rpush('log', `ran ${event.id}`)
    await event.commit()
    await client.rpush('log', `done ${event.id}`)
  }
  return { store: redisStore(client), handler, settle: 'manual' }
}
