import express from 'express'
import pg, { type PoolClient } from 'pg'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { verifyWebhook } from '../../adapters/express.ts'
import { webhookHandler } from '../../adapters/web.ts'
import { defineListener, EventStoreError, type ListenerOptions, type WebhookEvent } from '../../src/index.ts'
import { linear } from '../../src/schemes/linear.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { withLocalCache } from '../../src/stores/local-cache.ts'
import { TransactionOverError } from '../../src/stores/postgres/door.ts'
import {
  type EventTransactions,
  type OrmTransactions,
  type PostgresStore,
  postgresStore,
  type TransactionSource,
} from '../../src/stores/postgres/store.ts'
import { type SignedRequest, signAs, toDelivery } from '../../src/testing/index.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { randomNumbers } from '../support/random-numbers.ts'
import { serve } from '../support/servers.ts'

const SECRET = 'whsec_of-a-test-with-32-characters-0'
const LEASE_MS = 60_000
const RETENTION_MS = 604_800_000

/** A promise, and what resolves it. */
function later<T>(): [promise: Promise<T>, resolve: (value: T) => void] {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return [promise, resolve]
}

const keyOf = () => ({ listenerId: 'stripe', eventId: crypto.randomUUID() })

const LOST = { name: 'LeaseLostError', code: 'ERR_LEASE_LOST' }

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('store.transactionPerEvent'), () => {
  let server: PostgresServer
  let pool: pg.Pool
  let store: PostgresStore
  let events: EventTransactions<PoolClient>

  beforeAll(async () => {
    server = await PostgresServer.start()
    pool = new pg.Pool({ ...server.address, max: 4 })
    store = postgresStore(pool)
    await store.migrate()
    await pool.query('CREATE TABLE orders (event_id text)')
    await pool.query('CREATE TABLE unique_orders (event_id text UNIQUE DEFERRABLE INITIALLY DEFERRED)')
    events = store.transactionPerEvent({ connect: () => pool.connect() })
  })

  afterAll(async () => {
    await pool?.end()
    await server?.remove()
  })

  /** The events of this test, which may still have a transaction. */
  const accepted: WebhookEvent<unknown>[] = []

  afterEach(async () => {
    await Promise.all(accepted.splice(0).map((event) => event.release()))
  })

  const INSERT = 'INSERT INTO orders VALUES ($1)'

  async function orders(eventId: string): Promise<number | null> {
    return (await pool.query('SELECT FROM orders WHERE event_id = $1', [eventId])).rowCount
  }

  /** A Stripe listener, and its next event. */
  async function stripeEvent(options: Partial<ListenerOptions> = {}) {
    const listener = defineListener({
      id: 'stripe',
      auth: stripe({ secrets: SECRET }),
      store: events,
      onVerdict: (verdict) => void (verdict.ok && accepted.push(verdict.event)),
      ...options,
    })
    const id = `evt_${crypto.randomUUID()}`
    const request = await signAs(stripe, { secret: SECRET, body: { id, type: 'invoice.paid' } })
    return { listener, id, request, delivery: toDelivery(request) }
  }

  /** Checks that all connections are back in the pool. */
  const untilAllAreBack = () => expect.poll(() => pool.totalCount - pool.idleCount).toBe(0)

  it("an event's record and its writes commit together", async () => {
    const { listener, id, delivery } = await stripeEvent()
    const event = await acceptedEvent(delivery, listener)
    await events.transactionOf(event).query(INSERT, [event.id])
    expect(await orders(id)).toBe(0)
    expect(await event.commit()).toBe('committed')
    expect(await orders(id)).toBe(1)
    expect(await outcome(delivery, listener)).toBe('200 event_duplicate')
    await untilAllAreBack()
  })

  it('a released event leaves nothing behind, and runs again at once', async () => {
    const { listener, id, delivery } = await stripeEvent()
    const event = await acceptedEvent(delivery, listener)
    await events.transactionOf(event).query(INSERT, [event.id])
    expect(await event.release()).toBe(true)
    expect(await event.release()).toBe(false)
    expect(await event.commit()).toBe('lost')
    expect(await orders(id)).toBe(0)
    expect(await outcome(delivery, listener)).toBe('accepted')
  })

  it.each(['two-phase', 'single'] as const)(
    'an event in mode %s is not committed if one of its statements failed, even if the handler ignored that',
    async (mode) => {
      const chosen = postgresStore(pool, { mode }).transactionPerEvent({ connect: () => pool.connect() })
      const { listener, id, delivery } = await stripeEvent({ store: chosen })
      const event = await acceptedEvent(delivery, listener)
      await chosen.transactionOf(event).query(INSERT, [id])
      await chosen
        .transactionOf(event)
        .query('INSERT INTO missing VALUES (1)')
        .catch(() => {})
      await expect(event.commit()).rejects.toThrow(EventStoreError)
      expect(await orders(id)).toBe(0)
      const again = await acceptedEvent(delivery, listener)
      await chosen.transactionOf(again).query(INSERT, [id])
      expect(await again.commit()).toBe('committed')
      expect(await orders(id)).toBe(1)
    },
  )

  it('one of fifty deliveries at once is accepted, and the others wait for nothing', async () => {
    const { listener, id, delivery } = await stripeEvent({ storeTimeoutSeconds: 30 })
    const deliveries = Array.from({ length: 50 }, () => outcome(delivery, listener))
    const outcomes = await Promise.all(deliveries) // while the transaction of the first stays open
    expect(outcomes.toSorted()).toStrictEqual([...Array(49).fill('503 event_in_progress'), 'accepted'])
    expect(await orders(id)).toBe(0)
  })

  it('an event that is open in one table can be claimed in another', async () => {
    const other = postgresStore(pool, { table: 'other_events' })
    await other.migrate()
    const others = other.transactionPerEvent({ connect: () => pool.connect() })
    const key = keyOf()
    expect(await events.claim(key, 'a', LEASE_MS)).toBe('acquired')
    expect(await others.claim(key, 'b', LEASE_MS)).toBe('acquired')
    await Promise.all([events.release(key, 'a'), others.release(key, 'b')])
  })

  it('the transaction rolls back when the lease ends: the connection is closed, and the handler can write no more', async () => {
    const { listener, id, delivery } = await stripeEvent({ leaseSeconds: 0.05 })
    const event = await acceptedEvent(delivery, listener)
    const tx = events.transactionOf(event)
    await tx.query(INSERT, [id])
    await expect.poll(() => outcome(delivery, listener)).toBe('accepted')
    expect(() => events.transactionOf(event)).toThrow(TransactionOverError)
    await expect(tx.query(INSERT, [id])).rejects.toThrow()
    await expect(event.commit()).rejects.toMatchObject(LOST)
    expect(await orders(id)).toBe(0)
    await untilAllAreBack()
  })

  it('an event with two keys has one transaction, with both records or neither', async () => {
    const { listener } = await stripeEvent({ id: 'linear', auth: linear({ secrets: SECRET }) })
    const signed = async (eventId: string, action: string) => {
      const body = { action, webhookTimestamp: Date.now() }
      return toDelivery(await signAs(linear, { secret: SECRET, eventId, body }))
    }
    const [id, otherId] = [crypto.randomUUID(), crypto.randomUUID()]
    const delivery = await signed(id, 'create')
    const first = await acceptedEvent(delivery, listener)
    expect(await outcome(await signed(id, 'update'), listener)).toBe('503 event_in_progress')
    expect(await first.release()).toBe(true)
    const second = await acceptedEvent(delivery, listener)
    await events.transactionOf(second).query(INSERT, [id])
    expect(await second.commit()).toBe('committed')
    expect(await orders(id)).toBe(1)
    expect(await outcome(await signed(id, 'update'), listener)).toBe('200 event_duplicate')
    expect(await outcome(await signed(otherId, 'update'), listener)).toBe('accepted')
  })

  it('the same owner may claim again, in the same transaction', async () => {
    const key = keyOf()
    expect(await events.claim(key, 'a', LEASE_MS)).toBe('acquired')
    expect(await events.claim(key, 'a', LEASE_MS)).toBe('acquired')
    expect(await events.claim(key, 'b', LEASE_MS)).toBe('busy')
    await expect(events.commit(key, 'b', RETENTION_MS)).rejects.toMatchObject(LOST)
    expect(await events.release(key, 'b')).toBe(false)
    expect(await events.commit(key, 'a', RETENTION_MS)).toBe('committed')
    expect(await store.claim(key, 'c', LEASE_MS)).toBe('done')
  })

  it('there is no transaction for a settled event, for a copy, or for an event of another store', async () => {
    const { listener, delivery } = await stripeEvent()
    const event = await acceptedEvent(delivery, listener)
    expect(() => events.transactionOf({ ...event })).toThrow(/pass the event itself/)
    await event.commit()
    expect(() => events.transactionOf(event)).toThrow(/has ended/)
    const elsewhere = await stripeEvent({ store })
    const other = await acceptedEvent(elsewhere.delivery, elsewhere.listener)
    expect(() => events.transactionOf(other)).toThrow(TypeError)
  })

  it('a transaction works behind a local cache', async () => {
    const { listener, id, delivery } = await stripeEvent({ store: withLocalCache(events) })
    const event = await acceptedEvent(delivery, listener)
    await events.transactionOf(event).query(INSERT, [id])
    await event.commit()
    expect(await orders(id)).toBe(1)
    expect(await outcome(delivery, listener)).toBe('200 event_duplicate')
  })

  it('a handler in Express that commits before it answers hears of no problem', async () => {
    const problems: unknown[] = []
    const { listener, id, request } = await stripeEvent({ onError: (error) => void problems.push(error) })
    const app = express()
    let fails = true
    app.post('/', verifyWebhook(listener), async (req, res) => {
      const event = req.webhook as WebhookEvent // the middleware has set it
      await events.transactionOf(event).query(INSERT, [event.id])
      if (fails) throw new Error('the handler failed')
      await event.commit()
      res.sendStatus(200)
    })
    app.use(((_error, _req, res, _next) => res.sendStatus(500)) satisfies express.ErrorRequestHandler)
    const { address } = await serve(app)
    const url = `http://127.0.0.1:${'port' in address ? address.port : ''}/`
    const send = async () => (await fetch(url, request)).status
    expect(await send()).toBe(500)
    await untilAllAreBack()
    fails = false
    expect(await send()).toBe(200)
    expect(await send()).toBe(200)
    expect(await orders(id)).toBe(1)
    expect(problems).toStrictEqual([])
  })

  it('a handler that answers 200 after its commit never does so once its lease has ended, however the two race', async () => {
    const codes = new Set<unknown>()
    const { listener } = await stripeEvent({
      leaseSeconds: 0.03,
      onError: (error) => void codes.add((error as { code?: unknown }).code),
    })
    const random = randomNumbers(inject('seed') ?? Date.now())
    const app = express()
    app.post('/', verifyWebhook(listener), async (req, res) => {
      const event = req.webhook as WebhookEvent // the middleware has set it
      await events.transactionOf(event).query(INSERT, [event.id])
      await new Promise((resolve) => setTimeout(resolve, random() * 55))
      await event.commit()
      res.sendStatus(200)
    })
    app.use(((error, _req, res, _next) => {
      codes.add(error.code)
      res.sendStatus(500)
    }) satisfies express.ErrorRequestHandler)
    const handle = webhookHandler(listener, async (event) => {
      await events.transactionOf(event).query(INSERT, [event.id])
      await new Promise((resolve) => setTimeout(resolve, random() * 55))
      await event.commit()
    })
    const { address } = await serve(app)
    const url = `http://127.0.0.1:${'port' in address ? address.port : ''}/`
    const statuses = new Set<number>()
    const untilDone = async (send: (request: SignedRequest) => Promise<{ status: number }>) => {
      const { id, request } = await stripeEvent()
      for (;;) {
        const { status } = await send(request)
        statuses.add(status)
        if (status !== 200) expect(await orders(id)).toBe(0)
        else return expect(await orders(id)).toBe(1)
      }
    }
    const byExpress = () => untilDone((request) => fetch(url, request))
    const byFetch = () =>
      untilDone((request) =>
        handle(new Request(url, request)).catch(() => new Response(null, { status: 500 })),
      )
    const lane = async () => {
      for (let event = 0; event < 4; event += 1) await (event % 2 ? byExpress() : byFetch())
    }
    await Promise.all([lane(), lane(), lane()])
    expect(statuses).toContain(500)
    expect(codes).toContain('ERR_LEASE_LOST')
    await untilAllAreBack()
  })

  it('the commit fails when the connection breaks, and the event runs again', async () => {
    const { listener, id, delivery } = await stripeEvent()
    const event = await acceptedEvent(delivery, listener)
    const { rows } = await events.transactionOf(event).query('SELECT pg_backend_pid() AS pid')
    await pool.query('SELECT pg_terminate_backend($1, 10000)', [rows[0]?.pid])
    await expect(event.commit()).rejects.toThrow(EventStoreError)
    expect(await event.release()).toBe(false)
    const again = await acceptedEvent(delivery, listener)
    await events.transactionOf(again).query(INSERT, [id])
    await again.commit()
    expect(await orders(id)).toBe(1)
  })

  it.each(['pg', 'postgres.js'])(
    'a constraint that fails at COMMIT fails the commit, and the one connection of %s goes on as before',
    async (client) => {
      const sql = postgres({ ...server.address, max: 1, onnotice() {} })
      const one = new pg.Pool({ ...server.address, max: 1 })
      onTestFinished(async () => void (await Promise.all([sql.end(), one.end()])))
      const ofClient =
        client === 'pg'
          ? store.transactionPerEvent({ connect: () => one.connect() })
          : store.transactionPerEvent({
              begin: (work: (tx: postgres.TransactionSql) => Promise<void>) =>
                sql.begin('isolation level serializable', work),
            })
      const [key, problem] = [keyOf(), { code: '23505' }]
      const commitAfter = async (inserts: number, owner = crypto.randomUUID()) => {
        const event = {}
        expect(await ofClient.claim(key, owner, LEASE_MS)).toBe('acquired')
        ofClient.accepted?.(event, owner)
        const tx = ofClient.transactionOf(event)
        const [text, values] = ['INSERT INTO unique_orders VALUES ($1)', [key.eventId]]
        for (let count = 0; count < inserts; count += 1)
          await ('unsafe' in tx ? tx.unsafe(text, values) : tx.query(text, values))
        return ofClient.commit(key, owner, RETENTION_MS)
      }
      const isLeft = `SELECT current_setting('transaction_isolation') AS isolation, current_setting('transaction_read_only') AS is_read_only,
        (SELECT count(*)::int FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory') AS locks`
      const expectClean = async () => {
        const [row] = client === 'pg' ? (await one.query(isLeft)).rows : await sql.unsafe(isLeft)
        expect(row).toEqual({ isolation: 'read committed', is_read_only: 'off', locks: 0 })
      }
      await expect(commitAfter(2)).rejects.toMatchObject(problem)
      await expectClean()
      expect(await commitAfter(1)).toBe('committed')
      await expectClean()
      expect(await store.claim(key, 'later', LEASE_MS)).toBe('done')
    },
  )

  it('an event whose commit is left to webhookHandler is not answered 200 if the server refuses the COMMIT', async () => {
    const problems: unknown[] = []
    const { listener, id, request } = await stripeEvent({ onError: (error) => void problems.push(error) })
    let inserts = 2
    const handle = webhookHandler(listener, async (event) => {
      const tx = events.transactionOf(event)
      for (; inserts > 0; inserts -= 1) await tx.query('INSERT INTO unique_orders VALUES ($1)', [event.id])
    })
    const send = () => handle(new Request('https://shop.example/', request))
    await expect(send()).rejects.toMatchObject({ code: 'ERR_EVENT_STORE', cause: { code: '23505' } })
    expect(problems).toMatchObject([{ code: 'ERR_EVENT_STORE' }])
    inserts = 1
    expect((await send()).status).toBe(200)
    expect((await pool.query('SELECT FROM unique_orders WHERE event_id = $1', [id])).rowCount).toBe(1)
    await untilAllAreBack()
  })

  it('a commit fails if the connection of postgres.js broke, so that no handler answers 200', async () => {
    const sql = postgres(server.address)
    onTestFinished(() => sql.end())
    const ofSql = postgresStore(sql).transactionPerEvent({
      begin: (work: (tx: postgres.TransactionSql) => Promise<void>) => sql.begin(work),
    })
    const broken = async (owner: string) => {
      const [key, event] = [keyOf(), {}]
      expect(await ofSql.claim(key, owner, LEASE_MS)).toBe('acquired')
      ofSql.accepted?.(event, owner)
      const [row] = await ofSql.transactionOf(event).unsafe('SELECT pg_backend_pid()::text AS pid')
      await pool.query('SELECT pg_terminate_backend($1, 10000)', [row?.pid])
      await expect.poll(() => isOver(event)).toBe(true)
      return { commit: async () => ofSql.commit(key, owner, RETENTION_MS), key }
    }
    const isOver = (event: object) => {
      try {
        return ofSql.transactionOf(event) === undefined
      } catch (error) {
        return error instanceof TransactionOverError
      }
    }
    const committed = await broken('a')
    await expect(committed.commit()).rejects.toThrow()
    await expect(committed.commit()).rejects.toMatchObject(LOST) // its cause was told once
    const released = await broken('b')
    expect(await ofSql.release(released.key, 'b')).toBe(false)
    await expect(released.commit()).rejects.toMatchObject(LOST)
    expect(await store.claim(released.key, 'next', LEASE_MS)).toBe('acquired')
  })

  it('what a handler does by itself with half of its work after it failed leaves nothing behind', async () => {
    const one = new pg.Pool({ ...server.address, max: 1 })
    onTestFinished(() => one.end())
    const chosen = store.transactionPerEvent({ connect: () => one.connect() })
    const { listener, id, request } = await stripeEvent({ store: chosen })
    const [answered, answer] = later<void>()
    const [heard, hear] = later<unknown>()
    const app = express()
    app.post('/', verifyWebhook(listener), async (req) => {
      const event = req.webhook as WebhookEvent // the middleware has set it
      const tx = chosen.transactionOf(event)
      const charge = async () => {
        await answered
        await tx.query(INSERT, [event.id])
      }
      const check = async () => {
        await tx.query(INSERT, [event.id])
        throw new Error('half of the work failed')
      }
      const charging = charge()
      charging.then(hear, hear)
      await Promise.all([charging, check()])
    })
    app.use(((_error, _req, res, _next) => res.sendStatus(500)) satisfies express.ErrorRequestHandler)
    const { address } = await serve(app)
    const { status } = await fetch(`http://127.0.0.1:${'port' in address ? address.port : ''}/`, request)
    expect(status).toBe(500)
    const key = keyOf()
    await expect.poll(() => chosen.claim(key, 'next', LEASE_MS)).toBe('acquired') // on the same connection
    answer()
    expect(await heard).toMatchObject({ code: 'ERR_TRANSACTION_OVER' })
    expect(await chosen.commit(key, 'next', RETENTION_MS)).toBe('committed')
    expect(await orders(id)).toBe(0)
  })

  it('a handler that commits by hand, and then writes, gets an error', async () => {
    const { listener, id, delivery } = await stripeEvent()
    const event = await acceptedEvent(delivery, listener)
    const tx = events.transactionOf(event)
    await tx.query(INSERT, [id])
    const committing = event.commit()
    await expect(tx.query(INSERT, [id])).rejects.toMatchObject({
      code: 'ERR_TRANSACTION_OVER',
      help: expect.stringContaining('#err_transaction_over'),
    })
    expect(await committing).toBe('committed')
    expect(() => events.transactionOf(event)).toThrow(
      expect.objectContaining({ code: 'ERR_TRANSACTION_OVER' }),
    )
    expect(await orders(id)).toBe(1)
  })

  it('a statement that runs during the commit is part of it', async () => {
    const { listener, id, delivery } = await stripeEvent()
    const event = await acceptedEvent(delivery, listener)
    const writing = events
      .transactionOf(event)
      .query('INSERT INTO orders SELECT $1 FROM pg_sleep(0.05)', [id])
    expect(await event.commit()).toBe('committed')
    await writing
    expect(await orders(id)).toBe(1)
  })

  const SLOW = 'INSERT INTO orders SELECT $1 FROM pg_sleep(0.2)'

  /** Each runs a slow statement. Resolves with the code of its failure. */
  const slowly: Readonly<Record<string, (tx: PoolClient, id: string) => Promise<unknown>>> = {
    'a promise': (tx, id) => tx.query(SLOW, [id]).catch((error: unknown) => error),
    'a callback': (tx, id) => new Promise((resolve) => tx.query(SLOW, [id], resolve)),
    'a statement of its own class': (tx, id) =>
      new Promise((resolve) => tx.query(new pg.Query(SLOW, [id]).on('error', resolve).on('end', resolve))),
  }

  it.each(Object.entries(slowly))(
    'a connection with a statement that still runs, by %s, is closed, and not returned',
    async (_, run) => {
      const one = new pg.Pool({ ...server.address, max: 1 })
      onTestFinished(() => one.end())
      const chosen = store.transactionPerEvent({ connect: () => one.connect() })
      const { listener, id, delivery } = await stripeEvent({ store: chosen })
      const event = await acceptedEvent(delivery, listener)
      const pid = async (client: { query(text: string): Promise<{ rows: { pid: number }[] }> }) =>
        (await client.query('SELECT pg_backend_pid() AS pid')).rows[0]?.pid
      const before = await pid(chosen.transactionOf(event))
      const writing = run(chosen.transactionOf(event), id)
      expect(await event.release()).toBe(true)
      expect(await pid(one)).not.toBe(before)
      expect(await writing).toBeInstanceOf(Error)
      await expect.poll(() => outcome(delivery, listener)).toBe('accepted') // once the server has ended the statement
      expect(await orders(id)).toBe(0)
    },
  )

  it('a connection whose release was answered is used again', async () => {
    const one = new pg.Pool({ ...server.address, max: 1 })
    onTestFinished(() => one.end())
    const chosen = store.transactionPerEvent({ connect: () => one.connect() })
    const pids = new Set()
    for (const end of ['release', 'commit', 'release'] as const) {
      const { listener, delivery } = await stripeEvent({ store: chosen })
      const event = await acceptedEvent(delivery, listener)
      pids.add((await chosen.transactionOf(event).query('SELECT pg_backend_pid() AS pid')).rows[0]?.pid)
      await event[end]()
    }
    expect(pids.size).toBe(1)
  })

  it('a statement that runs when the lease ends leaves nothing behind', async () => {
    const sql = postgres({ ...server.address, max: 1 })
    onTestFinished(() => sql.end())
    const ofSql = postgresStore(sql).transactionPerEvent({
      begin: (work: (tx: postgres.TransactionSql) => Promise<void>) => sql.begin(work),
    })
    const slowly = 'INSERT INTO orders SELECT $1 FROM pg_sleep(0.3)'
    const ofPg = await stripeEvent({ leaseSeconds: 0.1 })
    const event = await acceptedEvent(ofPg.delivery, ofPg.listener)
    await expect(events.transactionOf(event).query(slowly, [ofPg.id])).rejects.toMatchObject({
      code: 'ERR_TRANSACTION_OVER',
    })
    const ofJs = await stripeEvent({ leaseSeconds: 0.1, store: ofSql })
    const other = await acceptedEvent(ofJs.delivery, ofJs.listener)
    await ofSql.transactionOf(other).unsafe(slowly, [ofJs.id]) // its connection ends it first
    await expect(other.commit()).rejects.toMatchObject(LOST)
    for (const { delivery, listener, id } of [ofPg, ofJs]) {
      await expect.poll(() => outcome(delivery, listener)).toBe('accepted')
      expect(await orders(id)).toBe(0)
    }
  })

  it('a transaction per event cannot renew its lease, which limits the transaction', () => {
    const single = postgresStore(pool, { mode: 'single' })
    for (const each of [events, single.transactionPerEvent({ connect: () => pool.connect() })]) {
      expect('renew' in each).toBe(false)
      expect('renew' in withLocalCache(each)).toBe(false)
    }
  })

  it('a handler cannot return the connection while its transaction is open', async () => {
    const { listener, id, delivery } = await stripeEvent()
    const event = await acceptedEvent(delivery, listener)
    const tx = events.transactionOf(event)
    tx.release()
    tx.release()
    await tx.query(INSERT, [id])
    expect(await event.commit()).toBe('committed')
    tx.release()
    expect(await orders(id)).toBe(1)
    await untilAllAreBack()
  })

  it.each(['two-phase', 'single'] as const)(
    'a handler in mode %s that ends the transaction by a statement of its own commits no event',
    async (mode) => {
      const chosen = postgresStore(pool, { mode }).transactionPerEvent({ connect: () => pool.connect() })
      const { listener, id, delivery } = await stripeEvent({ store: chosen })
      const event = await acceptedEvent(delivery, listener)
      await chosen.transactionOf(event).query(INSERT, [id])
      await chosen.transactionOf(event).query('ROLLBACK')
      await expect(event.commit()).rejects.toThrow(/event\.commit\(\)/)
      expect(await outcome(delivery, listener)).toBe('accepted')
      expect(await orders(id)).toBe(0)
    },
  )

  it.each(['COMMIT', 'ROLLBACK'])('a connection that does not answer %s is closed', async (end) => {
    const closed: unknown[] = []
    const hanging = store.transactionPerEvent({
      async connect() {
        const connection = await pool.connect()
        return {
          query: (text: string, values?: string[]) =>
            text === end ? new Promise<pg.QueryResult>(() => {}) : connection.query(text, values),
          release(close?: boolean) {
            closed.push(close)
            connection.release(close)
          },
        }
      },
    })
    const key = keyOf()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    expect(await hanging.claim(key, 'a', LEASE_MS)).toBe('acquired')
    const settled =
      end === 'COMMIT'
        ? Promise.resolve(hanging.commit(key, 'a', RETENTION_MS)).catch(({ code }: EventStoreError) => code)
        : hanging.release(key, 'a')
    await expect.poll(async () => vi.advanceTimersByTime(1000) && closed.length).toBe(1)
    expect(closed).toStrictEqual([true])
    expect(await settled).toBe(end === 'COMMIT' ? 'ERR_EVENT_STORE' : true)
  })

  it('the client of a savepoint ends with it', async () => {
    const sql = postgres({ ...server.address, max: 1, onnotice: () => {} })
    onTestFinished(() => sql.end())
    const ofSql = postgresStore(sql).transactionPerEvent({
      begin: (work: (tx: postgres.TransactionSql) => Promise<void>) => sql.begin(work),
    })
    const { listener, id, delivery } = await stripeEvent({ store: ofSql })
    const event = await acceptedEvent(delivery, listener)
    const tx = ofSql.transactionOf(event)
    const late: (() => PromiseLike<unknown>)[] = []
    await tx.savepoint(async (inner) => {
      await inner.unsafe(INSERT, [id])
      const built = inner.unsafe(INSERT, [id])
      late.push(
        () => inner.unsafe(INSERT, [id]),
        () => built,
        () => inner.savepoint((deeper) => deeper.unsafe(INSERT, [id])),
      )
      await inner.savepoint((deeper) => [deeper.unsafe(INSERT, [id]), deeper.unsafe(INSERT, [id])])
    })
    for (const run of late) await expect(run()).rejects.toMatchObject({ code: 'ERR_TRANSACTION_OVER' })
    expect(await event.commit()).toBe('committed')
    expect(await orders(id)).toBe(3)
  })

  it('a commit waits for a savepoint until the lease ends', async () => {
    const sql = postgres({ ...server.address, max: 1 })
    onTestFinished(() => sql.end())
    const ofSql = postgresStore(sql).transactionPerEvent({
      begin: (work: (tx: postgres.TransactionSql) => Promise<void>) => sql.begin(work),
    })
    const { listener, id, delivery } = await stripeEvent({ store: ofSql, leaseSeconds: 0.2 })
    const event = await acceptedEvent(delivery, listener)
    const [begun, begin] = later<void>()
    const hanging = ofSql.transactionOf(event).savepoint(async (inner) => {
      await inner.unsafe(INSERT, [id])
      begin()
      await new Promise(() => {})
    })
    hanging.catch(() => {})
    await begun
    await expect(event.commit()).rejects.toMatchObject(LOST)
    expect(await orders(id)).toBe(0)
  })

  it('a savepoint that outlives its event says nothing to the next transaction on its connection', async () => {
    const said: string[] = []
    const sql = postgres({
      ...server.address,
      max: 1,
      onnotice: () => {},
      debug: (_connection, text) => void said.push(text),
    })
    onTestFinished(() => sql.end())
    const ofSql = postgresStore(sql).transactionPerEvent({
      begin: (work: (tx: postgres.TransactionSql) => Promise<void>) => sql.begin(work),
    })
    const [ended, end] = later<void>()
    const [begun, begin] = later<void>()
    const first = await stripeEvent({ store: ofSql })
    const event = await acceptedEvent(first.delivery, first.listener)
    const outlives = ofSql.transactionOf(event).savepoint(async () => {
      begin()
      await ended
      throw new Error('after the end')
    })
    const heard = outlives.catch(({ code }: { code: string }) => code)
    await begun
    expect(await event.release()).toBe(true)
    const second = await stripeEvent({ store: ofSql })
    const other = await acceptedEvent(second.delivery, second.listener)
    await ofSql.transactionOf(other).savepoint(async (inner) => {
      await inner.unsafe(INSERT, [second.id])
      end()
      expect(await heard).toBe('ERR_TRANSACTION_OVER')
      await inner.unsafe(INSERT, [second.id])
    })
    expect(await other.commit()).toBe('committed')
    expect(await orders(second.id)).toBe(2)
    expect(said.filter((text) => text.startsWith('rollback to'))).toStrictEqual([])
  })

  it.each([{}, null, () => {}])('%s is refused as a source of transactions', (source) => {
    // Deliberately not a source.
    const make = () => store.transactionPerEvent(source as unknown as TransactionSource<PoolClient>)
    expect(make).toThrow(/^source: must have a method connect\(\) or begin\(\)/)
  })

  it('a source that runs its work again, or not at all, decides nothing', async () => {
    const twice = store.transactionPerEvent({
      async begin(work: (tx: PoolClient) => Promise<void>) {
        for (const _ of ['first', 'again']) {
          const tx = await pool.connect()
          await tx.query('BEGIN')
          await work(tx).finally(async () => {
            await tx.query('ROLLBACK')
            tx.release()
          })
        }
      },
    })
    const key = keyOf()
    expect(await twice.claim(key, 'a', LEASE_MS)).toBe('acquired')
    await expect(twice.commit(key, 'a', RETENTION_MS)).rejects.toThrow(/a second time/)
    const idle = store.transactionPerEvent<PoolClient>({ begin: () => Promise.resolve() })
    await expect(idle.claim(keyOf(), 'a', LEASE_MS)).rejects.toThrow(/did not run its work/)
    expect(await store.claim(key, 'b', LEASE_MS)).toBe('acquired')
  })

  it("the begin of postgres.js's sql is accepted", async () => {
    const sql = postgres(server.address)
    onTestFinished(() => sql.end())
    const chosen = postgresStore(sql).transactionPerEvent({
      begin: (work: (tx: postgres.TransactionSql) => Promise<void>) => sql.begin(work),
    })
    const [kept, dropped] = [keyOf(), keyOf()]
    for (const key of [kept, dropped]) {
      const event = {}
      expect(await chosen.claim(key, 'a', LEASE_MS)).toBe('acquired')
      chosen.accepted?.(event, 'a')
      await chosen.transactionOf(event).unsafe(INSERT, [key.eventId])
      if (key === kept) expect(await chosen.commit(key, 'a', RETENTION_MS)).toBe('committed')
      else expect(await chosen.release(key, 'a')).toBe(true)
    }
    expect([await orders(kept.eventId), await orders(dropped.eventId)]).toStrictEqual([1, 0])
  })

  describe('through an ORM', () => {
    /** The transaction of an ORM of our own. */
    class OrmTransaction {
      readonly #client: PoolClient

      constructor(client: PoolClient) {
        this.#client = client
      }

      run(text: string, values: string[] = []): Promise<pg.QueryResult> {
        return this.#client.query(text, values)
      }
    }

    /** Begins and commits as ORMs do, whatever the server answers. */
    const orm = {
      async transaction<Result>(
        work: (tx: OrmTransaction) => Promise<Result>,
        level = 'READ COMMITTED',
      ): Promise<Result> {
        const client = await pool.connect()
        try {
          await client.query(`BEGIN ISOLATION LEVEL ${level}`)
          const result = await work(new OrmTransaction(client))
          await client.query('COMMIT')
          return result
        } catch (error) {
          await client.query('ROLLBACK')
          throw error
        } finally {
          client.release()
        }
      },
    }

    const executor = (tx: OrmTransaction) => ({
      query: (text: string, values: string[]) => tx.run(text, values),
    })
    const ofOrm = (source: Partial<OrmTransactions<OrmTransaction>> = {}) =>
      store.transactionPerEvent<OrmTransaction>({
        begin: (work) => orm.transaction(work),
        executor,
        ...source,
      })

    async function open(chosen: EventTransactions<OrmTransaction>, leaseMs = LEASE_MS) {
      const [key, owner, event] = [keyOf(), crypto.randomUUID(), {}]
      expect(await chosen.claim(key, owner, leaseMs)).toBe('acquired')
      chosen.accepted?.(event, owner)
      return {
        key,
        id: key.eventId,
        tx: chosen.transactionOf(event),
        commit: async () => chosen.commit(key, owner, RETENTION_MS),
        release: async () => chosen.release(key, owner),
      }
    }

    /** As JavaScript can: the types let `begin` resolve with nothing else than the result of its work. */
    const nothing = undefined as never

    it('an event and its effects commit together', async () => {
      const event = await open(ofOrm())
      await event.tx.run(INSERT, [event.id])
      expect(await orders(event.id)).toBe(0)
      expect(await event.commit()).toBe('committed')
      expect(await orders(event.id)).toBe(1)
      expect(await store.claim(event.key, 'next', LEASE_MS)).toBe('done')
    })

    it('a method of the transaction, even one that was taken off before, throws after the end', async () => {
      const event = await open(ofOrm())
      const { run } = event.tx
      await run(INSERT, [event.id])
      await event.commit()
      const over = expect.objectContaining({ code: 'ERR_TRANSACTION_OVER' })
      expect(() => run(INSERT, [event.id])).toThrow(over)
      expect(() => event.tx.run(INSERT, [event.id])).toThrow(over)
      expect(await event.tx).toBeInstanceOf(OrmTransaction) // whoever only looks at it hears nothing
      expect(await orders(event.id)).toBe(1)
    })

    const hiding: Readonly<Record<string, OrmTransactions<OrmTransaction>['begin']>> = {
      'in its transaction': (work) => orm.transaction((tx) => work(tx).catch(() => nothing)),
      'after its transaction': (work) => orm.transaction(work).catch(() => nothing),
    }

    it.each(Object.entries(hiding))(
      'a begin that hides a failure %s commits nothing, and the release says so',
      async (_, begin) => {
        const event = await open(ofOrm({ begin }))
        await event.tx.run(INSERT, [event.id])
        await expect(event.release()).rejects.toThrow(/begin\(\) must resolve/)
        expect(await orders(event.id)).toBe(0)
        expect(await store.claim(event.key, 'next', LEASE_MS)).toBe('acquired')
        await untilAllAreBack()
      },
    )

    it.each([0, 1, 9])(
      'nothing is kept of %s statements that come in the middle of a rollback, and of one after it, even if begin says COMMIT',
      async (late) => {
        let left = late
        const careless = ofOrm({
          begin: (work) =>
            orm.transaction(async (tx) => {
              const result = await work(tx).catch(() => nothing)
              await tx.run('SAVEPOINT one').catch(() => {})
              await tx.run(INSERT, [event.id]).catch(() => tx.run('ROLLBACK TO one').catch(() => {}))
              return result
            }),
          executor: (tx) => ({
            async query(text, values) {
              const result = await tx.run(text, values)
              if (text.startsWith('ROLLBACK') && left > 0) {
                left -= 1
                await tx.run(INSERT, [event.id])
              }
              return result
            },
          }),
        })
        const event = await open(careless)
        await event.tx.run(INSERT, [event.id])
        await expect(event.release()).rejects.toThrow(/begin\(\) must resolve/)
        expect(left).toBeLessThan(late || 1)
        expect(await orders(event.id)).toBe(0)
        expect(await store.claim(event.key, 'next', LEASE_MS)).toBe('acquired')
      },
    )

    /** Rolls back an event, and runs it again. */
    async function rolledBack(chosen: EventTransactions<OrmTransaction>, fails = false) {
      const event = await open(chosen)
      await event.tx.run(INSERT, [event.id])
      if (fails) await event.tx.run('INSERT INTO missing VALUES (1)').catch(() => {})
      expect(await event.release()).toBe(true)
      expect(await orders(event.id)).toBe(0)
      expect(await chosen.claim(event.key, 'next', LEASE_MS)).toBe('acquired')
      expect(await chosen.commit(event.key, 'next', RETENTION_MS)).toBe('committed')
    }

    /** The errors in the log of the server since this was called. */
    function errorsInLog() {
      const before = server.log.length
      return async () => {
        await pool.query(`DO 'BEGIN RAISE LOG ''read up to here''; END'`)
        await expect.poll(() => server.log.slice(before)).toContain('read up to here')
        return server.log.slice(before).match(/ERROR: .*/g)
      }
    }

    it('an event that is rolled back leaves no error of ours in the log of the server', async () => {
      const errors = errorsInLog()
      await rolledBack(ofOrm())
      expect(await errors()).toBeNull()
      await rolledBack(ofOrm(), true)
      expect(await errors()).toStrictEqual([expect.stringMatching(/relation "missing" does not exist/)])
    })

    it('an event is rolled back where the ORM runs no ROLLBACK as a statement', async () => {
      const errors = errorsInLog()
      const strict = ofOrm({
        begin: (work) => orm.transaction((tx) => work(tx).catch(() => nothing)),
        executor: (tx) => ({
          query: async (text, values) => (text.startsWith('ROLLBACK') ? expect.fail() : tx.run(text, values)),
        }),
      })
      const event = await open(strict)
      await event.tx.run(INSERT, [event.id])
      await expect(event.release()).rejects.toThrow(/begin\(\) must resolve/)
      expect(await orders(event.id)).toBe(0)
      expect(await errors()).toStrictEqual([expect.stringMatching(/hookgate rolls this transaction back/)])
    })

    it('a begin that does not resolve with the result of its work decides nothing', async () => {
      const silent = ofOrm({ begin: (work) => orm.transaction(work).then(() => nothing) })
      const event = await open(silent)
      await expect(event.commit()).rejects.toThrow(/begin\(\) must resolve/)
      const idle = ofOrm({ begin: async () => nothing })
      await expect(idle.claim(keyOf(), 'a', LEASE_MS)).rejects.toThrow(/begin\(\) must resolve/)
    })

    it('a begin that resolves before its work has begun claims nothing, and leaves no transaction open', async () => {
      const ended: Promise<unknown>[] = []
      const early = ofOrm({
        begin: async (work) => {
          ended.push(orm.transaction(work))
          return nothing
        },
      })
      const key = keyOf()
      await expect(early.claim(key, 'a', LEASE_MS)).rejects.toThrow(/begin\(\) must resolve/)
      await Promise.all(ended)
      expect(await store.claim(key, 'next', LEASE_MS)).toBe('acquired')
      await untilAllAreBack()
    })

    it('a begin that resolves while its event is open commits nothing', async () => {
      const [hurried, hurry] = later<void>()
      const ended: Promise<unknown>[] = []
      const impatient = ofOrm({
        async begin(work) {
          ended.push(orm.transaction(work))
          await hurried
          return nothing
        },
      })
      const event = await open(impatient)
      await event.tx.run(INSERT, [event.id])
      hurry()
      await Promise.all(ended) // whose failure would end the process
      await expect(event.commit()).rejects.toThrow(/begin\(\) must resolve/)
      await expect(event.commit()).rejects.toMatchObject(LOST) // its cause was told once
      expect(await orders(event.id)).toBe(0)
    })

    it('a begin that runs its work again does so without effect', async () => {
      const twice = ofOrm({
        begin: (work) => orm.transaction(work).catch(() => orm.transaction(work)),
      })
      const event = await open(twice)
      await event.tx.run(INSERT, [event.id])
      await event.tx.run('INSERT INTO missing VALUES (1)').catch(() => {})
      await expect(event.commit()).rejects.toThrow()
      expect(await orders(event.id)).toBe(0)
      expect(await store.claim(event.key, 'next', LEASE_MS)).toBe('acquired')
    })

    const wrong: Readonly<Record<string, Partial<OrmTransactions<OrmTransaction>>>> = {
      'an executor that throws': {
        executor() {
          throw new Error('must pass')
        },
      },
      'an executor that returns nothing': { executor: () => nothing },
      'an executor that is a function': { executor: () => (() => {}) as never },
      'a begin that passes nothing': { begin: (work) => work(nothing) },
    }

    it.each(Object.entries(wrong))('%s claims nothing', async (_, source) => {
      const chosen = ofOrm(source)
      const key = keyOf()
      await expect(chosen.claim(key, 'a', LEASE_MS)).rejects.toThrow(/must pass|must return|not a known/)
      expect(await store.claim(key, 'next', LEASE_MS)).toBe('acquired')
      await untilAllAreBack()
    })

    it.each([
      ['an executor of another client', { executor: () => pool }],
      [
        'a begin that begins nothing',
        {
          begin: (work: (tx: OrmTransaction) => Promise<never>) => work(pool as never),
          executor: () => pool,
        },
      ],
    ])('%s is found at the commit', async (_, source) => {
      const event = await open(ofOrm(source))
      await expect(event.commit()).rejects.toThrow(/different transactions/)
      expect(await store.claim(event.key, 'next', LEASE_MS)).toBe('busy')
      await untilAllAreBack()
    })

    it('the commit fails if the server refuses to serialize it', async () => {
      const strict = ofOrm({ begin: (work) => orm.transaction(work, 'SERIALIZABLE') })
      const [first, second] = [await open(strict), await open(strict)]
      for (const { tx, id } of [first, second]) {
        await tx.run('SELECT count(*) FROM orders')
        await tx.run(INSERT, [id])
      }
      const outcomes = await Promise.all([first, second].map(({ commit }) => commit().catch(() => 'failed')))
      expect(outcomes.toSorted()).toStrictEqual(['committed', 'failed'])
      for (const [index, { id }] of [first, second].entries()) {
        expect(await orders(id)).toBe(outcomes[index] === 'committed' ? 1 : 0)
      }
    })

    it('a failure that a savepoint undoes fails no commit', async () => {
      const event = await open(ofOrm())
      await event.tx.run('SAVEPOINT one')
      await event.tx.run('INSERT INTO missing VALUES (1)').catch(() => {})
      await event.tx.run('ROLLBACK TO one')
      await event.tx.run(INSERT, [event.id])
      expect(await event.commit()).toBe('committed')
      expect(await orders(event.id)).toBe(1)
    })

    it('events take turns on the one connection of a pool', async () => {
      const one = new pg.Pool({ ...server.address, max: 1 })
      onTestFinished(() => one.end())
      const chosen = ofOrm({
        async begin(work) {
          const client = await one.connect()
          try {
            await client.query('BEGIN')
            const result = await work(new OrmTransaction(client))
            await client.query('COMMIT')
            return result
          } finally {
            client.release()
          }
        },
      })
      const takeTurn = async () => {
        const event = await open(chosen)
        await event.tx.run(INSERT, [event.id])
        expect(await event.commit()).toBe('committed')
        return orders(event.id)
      }
      expect(await Promise.all(Array.from({ length: 8 }, takeTurn))).toStrictEqual(Array(8).fill(1))
    })

    it('the client of an ORM is refused as a source', () => {
      const prisma = { $queryRawUnsafe() {}, begin() {} }
      const make = () => store.transactionPerEvent(prisma as never) // deliberately not a source
      expect(make).toThrow(/^source: must have the methods begin\(work\) and executor\(tx\)/)
    })
  })
})
