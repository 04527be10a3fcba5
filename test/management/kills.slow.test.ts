import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { webhookHandler } from '../../adapters/web.ts'
import { inbox } from '../../src/inbox/index.ts'
import { defineListener, type ListenerOptions, type WebhookEvent } from '../../src/index.ts'
import { githubRepositoryApi } from '../../src/management/github.ts'
import type { ManagementApi, Recovery } from '../../src/management/index.ts'
import { stripeApi } from '../../src/management/stripe.ts'
import { github } from '../../src/schemes/github.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { postgresStore } from '../../src/stores/postgres/store.ts'
import { redisStore } from '../../src/stores/redis/store.ts'
import { KILL_TIMES, killsOf } from '../support/kills.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { onRedis, type RedisServer, startRedis, WHY_NO_REDIS } from '../support/redis-server.ts'
import { FakeGithub, GITHUB_SECRET, GITHUB_TOKEN, GITHUB_URL } from './fake-github.ts'
import { FakeSender, TOKEN, URL_HERE } from './fake-sender.ts'
import { FakeStripe, LIVE_KEY, STRIPE_SECRET, STRIPE_URL } from './fake-stripe.ts'
import { SENDERS } from './senders.ts'

// `npm run test:kills` kills more often, among more events.
const EVENTS = Math.min(1000, Math.max(40, 10 * KILL_TIMES))
const PROGRAM = fileURLToPath(new URL('./kill-process.mjs', import.meta.url))
const SINCE = new Date(Date.now() - 3_600_000)

type Handle = (request: Request) => Promise<Response>

/** A sender, and the options of its scheme. */
interface Account {
  readonly api: ManagementApi
  readonly auth: ListenerOptions['auth']
  readonly authOptions: object
  readonly url: string
  readonly token: string
  /** Makes the events, of which some were delivered. */
  start(handle: Handle): Promise<Sender>
}

interface Sender {
  /** All IDs of its events. */
  readonly ids: readonly string[]
  readonly origin: string
  /** Delivers one again, as a retry, by its number. */
  retry(number: number): Promise<number>
  close(): Promise<unknown>
}

const isMissed = (number: number) => number % 10 < 3
const timeOf = (number: number) => new Date(SINCE.getTime() + 1000 + number)
const numbers = Array.from({ length: EVENTS }, (_, number) => number)

/** A sender whose first deliveries have mostly succeeded. */
async function started<Event>(
  { server }: { readonly server: FakeSender['server'] },
  events: readonly Event[],
  idOf: (event: Event) => string,
  deliver: (event: Event, isRetry: boolean) => Promise<number>,
): Promise<Sender> {
  for (const [number, event] of events.entries()) if (!isMissed(number)) await deliver(event, false)
  const { origin } = server
  const retry = async (number: number) => deliver(events[number] as Event, true) // there is one for each number
  return { ids: events.map(idOf), origin, retry, close: () => server.close() }
}

const ACCOUNTS: { readonly [name: string]: Account } = {
  Stripe: {
    ...{ api: stripeApi, auth: stripe({ secrets: STRIPE_SECRET }), authOptions: { secrets: STRIPE_SECRET } },
    ...{ url: STRIPE_URL, token: LIVE_KEY },
    async start(handle) {
      const fake = await FakeStripe.start()
      const events = numbers.map((number) => fake.create('invoice.paid', timeOf(number)))
      return started(
        fake,
        events,
        ({ id }) => id,
        (event) => fake.deliver(event, handle),
      )
    },
  },
  GitHub: {
    api: githubRepositoryApi({ owner: 'octocat', repo: 'hello-world' }),
    ...{ auth: github({ secrets: GITHUB_SECRET }), authOptions: { secrets: GITHUB_SECRET } },
    ...{ url: GITHUB_URL, token: GITHUB_TOKEN },
    async start(handle) {
      const fake = await FakeGithub.start()
      fake.handle = handle
      const events = numbers.map((number) => ({ sent: fake.sign('push', number), at: timeOf(number) }))
      for (const [number, { sent, at }] of events.entries())
        if (isMissed(number)) await fake.deliver(sent, at, undefined)
      return started(
        fake,
        events,
        ({ sent }) => sent.guid,
        ({ sent, at }, isRetry) => fake.deliver(sent, at, handle, isRetry),
      )
    },
  },
  ...Object.fromEntries(
    Object.entries(SENDERS).flatMap(([name, form]) => {
      const { api, auth, secret, publicUrl, types } = form
      if (api.missed === undefined) return []
      const account: Account = {
        ...{ api, auth, authOptions: { secrets: secret, publicUrl }, url: URL_HERE, token: TOKEN },
        async start(handle) {
          const fake = await FakeSender.start(form)
          const events = numbers.map((number) => fake.create(types[0], timeOf(number)))
          return started(
            fake,
            events,
            ({ id }) => id,
            (event) => fake.deliver(event, handle),
          )
        },
      }
      return [[name, account]]
    }),
  ),
}

/** In CI, one of each way to bring an event: by its signature, by a call, and by the list. `npm run test:kills`: each sender into each target. */
const IN_CI = { postgres: 'GitHub', inbox: 'Resend', redis: 'Stripe' } as const

const sendersOf = (target: keyof typeof IN_CI) => (KILL_TIMES > 1 ? Object.keys(ACCOUNTS) : [IN_CI[target]])

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

/** On a starved machine a lease of a second ends early, and its event runs the next time. */
const MOST_REPEATS = 20

const EVERY_TEST = { timeout: 3_600_000 }

/**
 * Kills recoveries of a sender while it retries, lets one end, and then delivers everything once more. The endpoint of the deliveries has
 * the same handler in this process.
 */
async function campaign(
  name: string,
  {
    target,
    engine,
    store,
    settle = 'auto',
    handler,
  }: {
    readonly target: keyof typeof IN_CI
    readonly engine: object
    readonly store: ListenerOptions['store']
    readonly settle?: 'auto' | 'manual'
    readonly handler: (event: WebhookEvent) => Promise<void>
  },
) {
  const account = ACCOUNTS[name] as Account // a name of it
  const { api, auth, authOptions, url, token } = account
  const id = `kills of ${name}`
  const kills = killsOf('recoveries')
  const listener = defineListener({
    ...{ id, auth, store, settle, leaseSeconds: 1, onError: null, onVerdict: null },
  })
  const sender = await account.start(webhookHandler(listener, handler))
  onTestFinished(async () => void (await sender.close()))
  const config = { api, id, authOptions, url, token, origin: sender.origin, target, engine }
  const counts = { kills: 0, failed: 0, answeredOtherwise: 0 }
  const drawn = (most: number) => Math.floor(Math.random() * most)
  const begun = performance.now()
  while (counts.kills < kills) {
    const retrying = Promise.all(Array.from({ length: 3 }, () => sender.retry(drawn(EVENTS))))
    const recovery = await recoverInProcess(config, 1 + drawn(EVENTS / 2), drawn(20))
    if (recovery === undefined) counts.kills += 1
    await retrying
  }
  const failures = new Set<string>()
  for (let again = MOST_REPEATS; again > 0; ) {
    const recovery = await recoverInProcess(config)
    for (const { why } of recovery?.failed ?? []) failures.add(why)
    counts.failed = recovery?.failed.length ?? -1
    again = recovery && recovery.waiting + recovery.failed.length === 0 ? 0 : again - 1
  }
  for (const number of numbers) {
    let status = await sender.retry(number)
    for (; status === 503; status = await sender.retry(number)) await pause(200)
    if (status !== 200) counts.answeredOtherwise += 1
  }
  expect(counts).toEqual({ kills, failed: 0, answeredOtherwise: 0 })
  if (KILL_TIMES > 1)
    console.log(
      name,
      target,
      `${EVENTS} events`,
      counts,
      [...failures],
      `${Math.round(performance.now() - begun)} ms`,
    )
  return { ids: sender.ids.toSorted(), listener }
}

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('a recovery that is killed'), () => {
  let server: PostgresServer
  let pool: pg.Pool

  beforeAll(async () => {
    server = await PostgresServer.start()
    pool = new pg.Pool({ ...server.address, max: 10 })
    pool.on('error', () => {})
    await postgresStore(pool).migrate()
    await inbox(pool).migrate()
    await pool.query('CREATE TABLE effects (event_id text)')
  })

  afterAll(async () => {
    await pool?.end()
    await server?.remove()
  })

  it.each(sendersOf('postgres'))(
    'loses no event of %s, and runs none twice, with commit(tx)',
    EVERY_TEST,
    async (name) => {
      await pool.query('TRUNCATE effects')
      const { ids } = await campaign(name, {
        target: 'postgres',
        engine: server.address,
        store: postgresStore(pool),
        async handler(event) {
          const tx = await pool.connect()
          try {
            await tx.query('BEGIN')
            await tx.query('INSERT INTO effects (event_id) VALUES ($1)', [event.id])
            await event.commit(tx)
            await tx.query('COMMIT')
          } finally {
            tx.release(true)
          }
        },
      })
      const { rows } = await pool.query('SELECT event_id FROM effects')
      expect(rows.map(({ event_id }) => event_id).toSorted()).toEqual(ids)
    },
  )

  it.each(sendersOf('inbox'))(
    'puts each event of %s into the inbox once, and its job runs once',
    EVERY_TEST,
    async (name) => {
      const box = inbox(pool)
      const { ids, listener } = await campaign(name, {
        target: 'inbox',
        engine: server.address,
        store: box.store,
        handler: (event) => box.put(event),
      })
      const ran: string[] = []
      for (let waiting = 1; waiting > 0; )
        ({ waiting } = await box.drain(listener, ({ id }) => void ran.push(id)))
      expect(ran.toSorted()).toEqual(ids)
    },
  )
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

  it.each(sendersOf('redis'))(
    'loses no event of %s, and runs none again whose commit was answered',
    EVERY_TEST,
    async (name) => {
      await client.del('log')
      const { ids } = await campaign(name, {
        target: 'redis',
        engine: { port: server.port },
        store: redisStore(client),
        settle: 'manual',
        async handler(event) {
          await client.rpush('log', `ran ${event.id}`)
          await event.commit()
          await client.rpush('log', `done ${event.id}`)
        },
      })
      const done = new Set<string>()
      const [ran, again] = [new Set<string>(), [] as string[]]
      for (const line of await client.lrange('log', 0, -1)) {
        const [what, id = ''] = line.split(' ')
        if (what === 'done') done.add(id)
        else if (done.has(id)) again.push(id)
        else ran.add(id)
      }
      expect([...ran].toSorted()).toEqual(ids)
      expect(again).toEqual([])
    },
  )
})
