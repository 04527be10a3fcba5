import express from 'express'
import pg, { type PoolClient } from 'pg'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { verifyWebhook } from '../../adapters/express.ts'
import { linear } from '../../schemes/linear.ts'
import { stripe } from '../../schemes/stripe.ts'
import { defineListener, EventStoreError, type ListenerOptions, type WebhookEvent } from '../../src/index.ts'
import { signAs, toDelivery } from '../../src/testing/index.ts'
import { withLocalCache } from '../../stores/local-cache.ts'
import {
  type EventTransactions,
  type PostgresStore,
  postgresStore,
  type TransactionSource,
} from '../../stores/postgres/postgres-store.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { serve } from '../support/servers.ts'

const SECRET = 'whsec_of-a-test-with-32-characters-0'
const LEASE_MS = 60_000
const RETENTION_MS = 604_800_000

const keyOf = () => ({ listenerId: 'stripe', eventId: crypto.randomUUID() })

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
    'in mode %s an event is not committed if one of its statements failed, even if the handler ignored that',
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

  it('of fifty deliveries at once one is accepted, and the others wait for nothing', async () => {
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

  it('rolls back when the lease ends: the connection is closed, and the handler can write no more', async () => {
    const { listener, id, delivery } = await stripeEvent({ leaseSeconds: 0.05 })
    const event = await acceptedEvent(delivery, listener)
    const tx = events.transactionOf(event)
    await tx.query(INSERT, [id])
    await expect.poll(() => outcome(delivery, listener)).toBe('accepted')
    expect(() => events.transactionOf(event)).toThrow(TypeError)
    await expect(tx.query(INSERT, [id])).rejects.toThrow()
    expect(await event.commit()).toBe('lost')
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
    expect(await events.commit(key, 'b', RETENTION_MS)).toBe('lost')
    expect(await events.release(key, 'b')).toBe(false)
    expect(await events.commit(key, 'a', RETENTION_MS)).toBe('committed')
    expect(await store.claim(key, 'c', LEASE_MS)).toBe('done')
  })

  it('has no transaction for a settled event, for a copy, or for an event of another store', async () => {
    const { listener, delivery } = await stripeEvent()
    const event = await acceptedEvent(delivery, listener)
    expect(() => events.transactionOf({ ...event })).toThrow(/pass the event itself/)
    await event.commit()
    expect(() => events.transactionOf(event)).toThrow(/has ended/)
    const elsewhere = await stripeEvent({ store })
    const other = await acceptedEvent(elsewhere.delivery, elsewhere.listener)
    expect(() => events.transactionOf(other)).toThrow(TypeError)
  })

  it('works behind a local cache', async () => {
    const { listener, id, delivery } = await stripeEvent({ store: withLocalCache(events) })
    const event = await acceptedEvent(delivery, listener)
    await events.transactionOf(event).query(INSERT, [id])
    await event.commit()
    expect(await orders(id)).toBe(1)
    expect(await outcome(delivery, listener)).toBe('200 event_duplicate')
  })

  it('in Express, a handler that commits before it answers hears of no problem', async () => {
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

  it('when the connection breaks, the commit fails and the event runs again', async () => {
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

  it.each([{}, null, () => {}])('refuses %s as a source of transactions', (source) => {
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

  it("takes the begin of postgres.js's sql", async () => {
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
})
