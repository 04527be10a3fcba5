import pg, { type PoolClient } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { webhookHandler } from '../../adapters/web.ts'
import { leaseOf } from '../../src/accepted-event.ts'
import { type InboxOptions, inbox } from '../../src/inbox/index.ts'
import type { EventKey, ListenerOptions, WebhookEvent } from '../../src/index.ts'
import { signHmac } from '../../src/testing/index.ts'
import { SECRET } from '../support/hmac-listener.ts'
import { monotonicTime } from '../support/monotonic-time.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'
import { onPostgres, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { boxListener, inboxServer } from './support.ts'

const LEASE_SECONDS = 1

/** A gate that waits until it is opened. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

/** The key that its lease hands to the store: the store knows its claim by this object. */
function keyOf(event: WebhookEvent<unknown>): EventKey {
  const [key] = leaseOf(event)?.keys ?? []
  if (key === undefined) throw new Error('nothing was claimed')
  return key
}

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('an event that an open transaction has locked'), () => {
  const on = inboxServer()
  const { fresh, rows, age } = on

  /** An inbox behind a pool of ten connections, as by default, apart from that of the handlers' transactions. */
  async function scene(options: Partial<ListenerOptions> = {}, inboxOptions: InboxOptions = {}) {
    const { table } = await fresh()
    const pool = new pg.Pool({ ...on.server.address, max: 10 })
    onTestFinished(() => pool.end())
    const box = inbox(pool, { table, ...inboxOptions })
    const told: unknown[] = []
    const sender = boxListener(box, {
      leaseSeconds: LEASE_SECONDS,
      onError: (error) => told.push(error),
      ...options,
    })
    const waitsForLocks = async () => {
      const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${table}%'`
      return (await on.pool.query(waiting)).rowCount
    }
    return { box, table, pool, told, waitsForLocks, ...sender }
  }

  async function begin(): Promise<PoolClient> {
    const tx = await on.pool.connect()
    onTestFinished(() => tx.release(true))
    await tx.query('BEGIN')
    return tx
  }

  const request = async () => {
    const { headers, body } = await signHmac({ secret: SECRET, body: '{"a":1}' })
    return new Request('http://localhost/', { method: 'POST', headers: { ...headers }, body: String(body) })
  }

  it('renewals of ten handlers that work on in the transaction of their put eat no connection, and end nothing', async () => {
    const time = monotonicTime()
    const { table } = await fresh()
    const pool = new pg.Pool({ ...on.server.address, max: 10 })
    onTestFinished(() => pool.end())
    let renewals = 0
    const query = async (text: string, values: string[]) => {
      const result = await pool.query(text, values)
      if (text.includes("'kept'")) renewals += 1
      return result
    }
    const box = inbox({ query }, { table })
    const told: unknown[] = []
    const { listener } = boxListener(box, { leaseSeconds: 60, onError: (error) => told.push(error) })
    const [aged, end] = [gate(), gate()]
    const signals: AbortSignal[] = []
    let puts = 0
    const handle = webhookHandler(listener, async (event: WebhookEvent) => {
      signals.push(event.signal)
      await aged.opened
      const tx = await begin()
      await box.put(event, { tx })
      puts += 1
      await end.opened
      await tx.query('COMMIT')
    })
    const answers = Promise.all(Array.from({ length: 10 }, async () => handle(await request())))
    await expect.poll(() => signals.length).toBe(10)
    // By the server's clock, the leases of five have ended.
    await on.pool.query(`UPDATE ${table} SET due_at = now() WHERE key IN (SELECT key FROM ${table} LIMIT 5)`)
    aged.open()
    await expect.poll(() => puts).toBe(10)
    for (let leases = 0; leases < 2; leases += 0.5) {
      const before = renewals
      time.pass(31)
      await expect.poll(() => renewals).toBeGreaterThanOrEqual(before + 10) // none waits for a lock
    }
    expect([signals.map(({ aborted }) => aborted), told]).toEqual([Array(10).fill(false), []])
    end.open()
    expect((await answers).map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect(await box.counts()).toMatchObject({ waiting: 10 })
    expect((await rows(table)).filter(({ state }) => state === 'waiting')).toHaveLength(10)
  })

  it('a rollback just after such a renewal extends nothing: the handler hears of it when the event may run elsewhere', async () => {
    const { box, told, listener, deliver } = await scene()
    const rolledBack = gate()
    const { opened, open } = gate()
    const signals: AbortSignal[] = []
    let runs = 0
    const handle = webhookHandler(listener, async (event: WebhookEvent) => {
      runs += 1
      if (runs > 1) return box.put(event)
      signals.push(event.signal)
      const tx = await begin()
      await box.put(event, { tx })
      await new Promise((resolve) => setTimeout(resolve, 2000 * LEASE_SECONDS)) // its lease has ended meanwhile
      await tx.query('ROLLBACK')
      rolledBack.open()
      await opened
      throw new Error('not done')
    })
    const sent = await request()
    const first = handle(sent.clone()).catch(() => {})
    await rolledBack.opened
    expect(told).toEqual([])
    expect((await handle(sent)).status).toBe(200) // the event is free
    await expect.poll(() => signals[0]?.aborted).toBe(true)
    expect(told).toMatchObject([{ code: 'ERR_LEASE_LOST' }])
    open()
    await first
    expect(await box.counts()).toMatchObject({ waiting: 1 })
    expect(await outcome(await deliver(), listener)).toBe('accepted')
  })

  it('a renewal that hangs after such a one keeps the event for no longer than a lease: it may run elsewhere by then', async () => {
    const { table } = await fresh()
    let hangs = false
    const unreachable = {
      query: (text: string, values: string[]) =>
        hangs ? new Promise<never>(() => {}) : on.pool.query(text, values),
    }
    const box = inbox(unreachable, { table })
    const told: unknown[] = []
    const onError = (error: unknown) => told.push(error)
    const { listener } = boxListener(box, { leaseSeconds: LEASE_SECONDS, storeTimeoutSeconds: 2, onError })
    const elsewhere = inbox(on.pool, { table })
    const { listener: sameElsewhere } = boxListener(elsewhere)
    const { opened, open } = gate()
    const rolledBack = gate()
    const signals: AbortSignal[] = []
    const first = webhookHandler(listener, async (event: WebhookEvent) => {
      signals.push(event.signal)
      const tx = await begin()
      await box.put(event, { tx })
      await new Promise((resolve) => setTimeout(resolve, 2000 * LEASE_SECONDS)) // its lease has ended meanwhile
      hangs = true
      await tx.query('ROLLBACK')
      rolledBack.open()
      await opened
      throw new Error('not done')
    })
    const sent = await request()
    const answer = first(sent.clone()).catch(() => {})
    await rolledBack.opened
    const second = webhookHandler(sameElsewhere, (event: WebhookEvent) => elsewhere.put(event))
    expect((await second(sent)).status).toBe(200)
    await expect.poll(() => signals[0]?.aborted).toBe(true)
    expect(told).toMatchObject([{ code: 'ERR_LEASE_LOST' }])
    open()
    await answer
  })

  it('a rollback in time leaves the lease as it is: the next renewal extends it', async () => {
    const { box, table, told, listener } = await scene({ leaseSeconds: 4 })
    const signals: AbortSignal[] = []
    const handle = webhookHandler(listener, async (event: WebhookEvent) => {
      signals.push(event.signal)
      const tx = await begin()
      await box.put(event, { tx })
      await new Promise((resolve) => setTimeout(resolve, 2300)) // the first renewal finds the row locked
      await tx.query('ROLLBACK')
      const isLive = `SELECT due_at - clock_timestamp() > interval '2500 ms' AS renewed FROM ${table}`
      await expect.poll(async () => (await on.pool.query(isLive)).rows[0]?.renewed).toBe(true)
      await box.put(event)
    })
    expect((await handle(await request())).status).toBe(200)
    expect([signals[0]?.aborted, told]).toEqual([false, []])
  })

  it("another owner's lock does not extend the lease of a handler", async () => {
    const { box, table, told, listener, deliver } = await scene()
    const signals: AbortSignal[] = []
    const { opened, open } = gate()
    const handle = webhookHandler(listener, async (event: WebhookEvent) => {
      signals.push(event.signal)
      await opened
    })
    const answer = handle(await request())
    await expect.poll(() => signals.length).toBe(1)
    const tx = await begin()
    await tx.query(`UPDATE ${table} SET owner = 'another', due_at = due_at + interval '1 hour'`)
    await expect.poll(() => signals[0]?.aborted).toBe(true)
    expect(told).toMatchObject([
      {
        code: 'ERR_LEASE_LOST',
        message: expect.stringContaining('an open transaction has locked its record'),
      },
    ])
    await tx.query('COMMIT')
    open()
    await answer
    expect(await box.counts()).toMatchObject({ waiting: 0 })
    expect(await outcome(await deliver(), listener)).toBe('accepted')
  })

  it("another owner's lock after a rollback of the own put is not taken for the own one", async () => {
    const { box, table, listener, deliver } = await scene({ leaseSeconds: 60 })
    const event = await acceptedEvent(await deliver(), listener)
    const [{ owner = '' } = {}] = await rows(table)
    const key = keyOf(event)
    const own = await begin()
    await box.put(event, { tx: own })
    expect(await box.store.renew?.(key, `${owner}`, 60_000)).toBe('locked')
    expect(box.store.holds?.(key, `${owner}`)).toBe(true)
    await own.query('ROLLBACK')
    const other = await begin()
    await other.query(`SELECT FROM ${table} FOR UPDATE`)
    expect(await box.store.renew?.(key, `${owner}`, 60_000)).toBe('locked')
    expect(box.store.holds?.(key, `${owner}`)).toBe(false)
    await other.query('ROLLBACK')
    expect(await box.store.renew?.(key, `${owner}`, 60_000)).toBe(true)
  })

  it('a savepoint that is rolled back lets go of what the put in it held', async () => {
    const { box, table, listener, deliver } = await scene({ leaseSeconds: 60 })
    const event = await acceptedEvent(await deliver(), listener)
    const [{ owner = '' } = {}] = await rows(table)
    const key = keyOf(event)
    const tx = await begin()
    await tx.query('SAVEPOINT one')
    await box.put(event, { tx })
    await tx.query('ROLLBACK TO SAVEPOINT one')
    expect(await box.store.renew?.(key, `${owner}`, 60_000)).toBe(true)
    expect(box.store.holds?.(key, `${owner}`)).toBe(false)
  })

  it('claims and releases of the event wait a second at most, and puts outside of the transaction too', async () => {
    const { box, table, waitsForLocks, listener, deliver } = await scene({ leaseSeconds: 60 })
    const delivery = await deliver()
    const event = await acceptedEvent(delivery, listener)
    await age(table, 120_000) // its lease has ended, so that claims want the row
    const tx = await begin()
    await box.put(event, { tx })
    expect(await outcome(delivery, listener)).toBe('503 event_in_progress')
    await expect(box.put(event)).rejects.toThrow(
      /an open transaction has locked this event for more than 1 s/,
    )
    await expect(event.release()).rejects.toMatchObject({ cause: { code: '55P03' } })
    expect(await waitsForLocks()).toBe(0)
    await tx.query('ROLLBACK')
  })

  it('claims of the event wait for no put that is in an open transaction, and are in progress at once', async () => {
    const { table } = await fresh()
    const failed: unknown[] = []
    const client = {
      query: (text: string, values: string[]) =>
        on.pool.query(text, values).catch((error: unknown) => {
          failed.push(error)
          throw error
        }),
    }
    const box = inbox(client, { table })
    const { listener, deliver } = boxListener(box)
    const delivery = await deliver()
    const event = await acceptedEvent(delivery, listener)
    const tx = await begin()
    await box.put(event, { tx })
    expect(await outcome(delivery, listener)).toBe('503 event_in_progress')
    expect(failed).toEqual([]) // such as that of a wait of a second
  })

  it('a claim waits a second at most for another one that is in an open transaction', async () => {
    const { table, waitsForLocks, listener, deliver } = await scene()
    const delivery = await deliver()
    const event = await acceptedEvent(delivery, listener)
    const [claim] = await rows(table)
    await event.release()
    const tx = await begin()
    await tx.query(
      `INSERT INTO ${table} (key, listener_id, owner, state, due_at) VALUES ($1, $2, 'another', 'claimed', 'infinity')`,
      [claim?.key, claim?.listener_id],
    )
    expect(await outcome(delivery, listener)).toBe('503 event_in_progress')
    expect(await waitsForLocks()).toBe(0)
    await tx.query('ROLLBACK')
    expect(await outcome(delivery, listener)).toBe('accepted')
  })

  it('a put keeps no connection while the transaction of a stranger has locked the event', async () => {
    const { box, table, waitsForLocks, listener, deliver } = await scene()
    const event = await acceptedEvent(await deliver(), listener)
    const tx = await begin()
    await tx.query(`SELECT FROM ${table} FOR UPDATE`)
    await expect(box.put(event)).rejects.toThrow(
      /an open transaction has locked this event for more than 1 s/,
    )
    expect(await waitsForLocks()).toBe(0)
    await tx.query('ROLLBACK')
    await box.put(event)
    expect(await box.counts()).toMatchObject({ waiting: 1 })
  })
})
