import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { webhookHandler } from '../../adapters/web.ts'
import { defineListener, type EventStore, type WebhookEvent } from '../../src/index.ts'
import type { Recovery } from '../../src/management/index.ts'
import { github } from '../../src/schemes/github.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { postgresStore } from '../../src/stores/postgres/store.ts'
import { redisStore } from '../../src/stores/redis/store.ts'
import { KILL_TIMES, killsOf } from '../support/kills.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { onRedis, type RedisServer, startRedis, WHY_NO_REDIS } from '../support/redis-server.ts'
import { FakeGithub, GITHUB_SECRET, GITHUB_TOKEN, GITHUB_URL } from './fake-github.ts'
import { FakeStripe, LIVE_KEY, STRIPE_SECRET, STRIPE_URL } from './fake-stripe.ts'

// `npm run test:kills` kills more often, among more events.
const EVENTS = Math.min(1000, 100 * KILL_TIMES)
const PROGRAM = fileURLToPath(new URL('./kill-process.mjs', import.meta.url))
const SINCE = new Date(Date.now() - 3_600_000)

/** A sender whose first deliveries have mostly succeeded. */
interface Sender {
  /** All IDs of its events. */
  readonly ids: readonly string[]
  /** Delivers one again, as a retry, by its number. */
  retry(number: number): Promise<number>
  readonly config: object
  close(): Promise<unknown>
}

type Handle = (request: Request) => Promise<Response>

const isMissed = (number: number) => number % 10 < 3

async function stripeWith(handle: Handle): Promise<Sender> {
  const fake = await FakeStripe.start()
  const minutesAgo = (number: number) => new Date(SINCE.getTime() + 1000 + number)
  const events = Array.from({ length: EVENTS }, (_, number) =>
    fake.create('invoice.paid', minutesAgo(number)),
  )
  for (const [number, event] of events.entries()) if (!isMissed(number)) await fake.deliver(event, handle)
  return {
    ids: events.map(({ id }) => id),
    retry: (number) => fake.deliver(events[number] ?? fake.create('never', SINCE), handle),
    config: {
      sender: 'stripe',
      origin: fake.server.origin,
      url: STRIPE_URL,
      secret: STRIPE_SECRET,
      token: LIVE_KEY,
    },
    close: () => fake.server.close(),
  }
}

async function githubWith(handle: Handle): Promise<Sender> {
  const fake = await FakeGithub.start()
  fake.handle = handle
  const sent = Array.from({ length: EVENTS }, (_, number) => fake.sign('push', number))
  for (const [number, each] of sent.entries())
    await fake.deliver(each, new Date(SINCE.getTime() + 1000 + number), isMissed(number) ? undefined : handle)
  return {
    ids: sent.map(({ guid }) => guid),
    retry: (number) => fake.deliver(sent[number] ?? fake.sign('never', -1), new Date(), handle, true),
    config: {
      sender: 'github',
      origin: fake.server.origin,
      url: GITHUB_URL,
      secret: GITHUB_SECRET,
      token: GITHUB_TOKEN,
    },
    close: () => fake.server.close(),
  }
}

/** Recovers in a process that is killed after so many events and so many milliseconds. Undefined if it was killed. */
async function recoverInProcess(
  config: object,
  dieAfter = Infinity,
  dieLaterMs = 0,
): Promise<Recovery | undefined> {
  const child: ChildProcess = fork(PROGRAM, [JSON.stringify({ ...config, since: SINCE })], { execArgv: [] })
  let recovery: Recovery | undefined
  let events = 0
  child.on('message', (message: { readonly progress?: true; readonly recovery?: Recovery }) => {
    recovery = message.recovery ?? recovery
    if (message.progress) events += 1
    if (events === dieAfter) setTimeout(() => child.kill('SIGKILL'), dieLaterMs)
  })
  const signal = await new Promise((resolve) => child.once('exit', (_, ended) => resolve(ended)))
  if (recovery === undefined && signal !== 'SIGKILL') throw new Error('the process ended by itself')
  return recovery
}

/** Kills recoveries while the sender retries, lets one end, and then delivers everything once more. */
async function campaign(sender: Sender, engine: object, kills: number) {
  const counts = { kills: 0, failed: 0, answeredOtherwise: 0 }
  const config = { ...sender.config, engine }
  const drawn = (most: number) => Math.floor(Math.random() * most)
  while (counts.kills < kills) {
    const retrying = Promise.all(Array.from({ length: 3 }, () => sender.retry(drawn(EVENTS))))
    const recovery = await recoverInProcess(config, 1 + drawn(EVENTS / 2), drawn(20))
    if (recovery === undefined) counts.kills += 1
    await retrying
  }
  for (let again = true; again; ) {
    const recovery = await recoverInProcess(config)
    counts.failed = recovery?.failed.length ?? -1
    again = recovery === undefined || recovery.waiting > 0
  }
  for (const number of sender.ids.keys()) {
    let status = await sender.retry(number)
    for (; status === 503; status = await sender.retry(number)) await pause(200)
    if (status !== 200) counts.answeredOtherwise += 1
  }
  if (KILL_TIMES > 1) console.log(config, counts)
  return counts
}

const listenerOf = (config: 'stripe' | 'github', store: EventStore) =>
  defineListener({
    id: 'kills',
    auth: config === 'stripe' ? stripe({ secrets: STRIPE_SECRET }) : github({ secrets: GITHUB_SECRET }),
    store,
    leaseSeconds: 1,
    onError: null,
    onVerdict: null,
  })

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('a recovery that is killed, with commit(tx)'), () => {
  let server: PostgresServer
  let pool: pg.Pool

  beforeAll(async () => {
    server = await PostgresServer.start()
    pool = new pg.Pool({ ...server.address, max: 10 })
    pool.on('error', () => {})
    await postgresStore(pool).migrate()
    await pool.query('CREATE TABLE effects (event_id text)')
  })

  afterAll(async () => {
    await pool?.end()
    await server?.remove()
  })

  async function handler(event: WebhookEvent<unknown>): Promise<void> {
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

  it.each([
    ['stripe', stripeWith],
    ['github', githubWith],
  ] as const)('loses no event of %s, and runs none twice', { timeout: 3_600_000 }, async (name, start) => {
    await pool.query('TRUNCATE effects')
    const sender = await start(webhookHandler(listenerOf(name, postgresStore(pool)), handler))
    try {
      const kills = killsOf('recoveries')
      expect(await campaign(sender, server.address, kills)).toEqual({
        kills,
        failed: 0,
        answeredOtherwise: 0,
      })
      const { rows } = await pool.query('SELECT event_id FROM effects ORDER BY event_id')
      expect(rows.map(({ event_id }) => event_id)).toEqual(sender.ids.toSorted())
    } finally {
      await sender.close()
    }
  })
})

describe.skipIf(WHY_NO_REDIS)(onRedis('a recovery that is killed, on Redis'), () => {
  let server: RedisServer
  let client: Redis

  beforeAll(async () => {
    server = await startRedis()
    client = new Redis(server.port)
  })

  afterAll(async () => {
    client?.disconnect()
    await server?.close()
  })

  it('loses no event, and runs none again whose commit was answered', { timeout: 3_600_000 }, async () => {
    const listener = { ...listenerOf('stripe', redisStore(client)), settle: 'manual' as const }
    const sender = await stripeWith(
      webhookHandler(listener, async (event) => {
        await client.rpush('log', `ran ${event.id}`)
        await event.commit()
        await client.rpush('log', `done ${event.id}`)
      }),
    )
    try {
      const kills = killsOf('recoveriesOnRedis')
      expect(await campaign(sender, { redis: server.port }, kills)).toEqual({
        kills,
        failed: 0,
        answeredOtherwise: 0,
      })
      const log = await client.lrange('log', 0, -1)
      expect(new Set(log.map((line) => line.split(' ')[1]))).toEqual(new Set(sender.ids))
      const again = log.filter(
        (line, at) =>
          line.startsWith('ran ') &&
          log.indexOf(line.replace('ran', 'done')) < at &&
          log.includes(line.replace('ran', 'done')),
      )
      expect(again).toEqual([])
    } finally {
      await sender.close()
    }
  })
})
