import { describe, expect, it, onTestFinished } from 'vitest'
import { type Inbox, type InboxOptions, inbox } from '../../src/inbox/index.ts'
import { defineListener, type Listener } from '../../src/index.ts'
import { linear } from '../../src/schemes/linear.ts'
import { shopify } from '../../src/schemes/shopify.ts'
import { withLocalCache } from '../../src/stores/local-cache.ts'
import { signAs, toDelivery } from '../../src/testing/index.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'
import { onPostgres, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { inboxServer } from './support.ts'

const SECRET = 'a-secret-of-a-sender-32-characters'
const HOUR_MS = 3_600_000

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('what an inbox remembers'), () => {
  const on = inboxServer()
  const { fresh, rows } = on

  /** Moves every time in the table back. */
  const pass = (table: string, milliseconds: number) =>
    on.pool.query(
      ['due_at', 'put_at', 'forget_at'].reduce(
        (text, column, at) =>
          `${text}${at === 0 ? '' : ','} ${column} = ${column} - interval '${milliseconds} milliseconds'`,
        `UPDATE ${table} SET`,
      ),
    )

  function startWorker(box: Inbox, listener: Listener, handler: () => unknown) {
    const worker = box.work(listener, handler, { pollMs: 20, delayMs: () => 1, onError: null })
    onTestFinished(() => worker.stop())
    return worker
  }

  /** An inbox for Shopify, whose requests to delete data repeat their bodies. */
  async function shop(options: InboxOptions = {}, wrap = (box: Inbox) => box.store) {
    const { box, table } = await fresh({ maxAttempts: 1, ...options })
    const listener = defineListener({
      ...{ id: 'shopify', auth: shopify({ secrets: SECRET }), store: wrap(box) },
      storeTimeoutSeconds: 60, // a busy machine is no failure
    })
    const request = async (eventType = 'shop/redact') => {
      const body = { shop_id: 954_889, shop_domain: 'a.myshopify.com' }
      const signed = await signAs(shopify, { secret: SECRET, eventId: crypto.randomUUID(), eventType, body })
      return toDelivery(signed)
    }
    const accept = async (eventType?: string) => acceptedEvent(await request(eventType), listener)
    const put = async (eventType?: string) => box.put(await accept(eventType))
    const verdict = async (eventType?: string) => outcome(await request(eventType), listener)
    return { box, table, listener, accept, put, verdict }
  }

  /** An inbox for Linear, whose events have two keys. */
  async function issues() {
    const { box, table } = await fresh()
    const listener = defineListener({
      ...{ id: 'linear', auth: linear({ secrets: SECRET }), store: box.store },
      storeTimeoutSeconds: 60,
    })
    const webhookTimestamp = Date.now()
    const issue = async (eventId: string, body: string) =>
      toDelivery(await signAs(linear, { secret: SECRET, eventId, body: { body, webhookTimestamp } }))
    return { box, table, listener, issue }
  }

  const DUPLICATE = '200 event_duplicate'

  describe('a genuine request that repeats its body, as its sender says it may after a day', () => {
    it('is a new job after 25 h, and a duplicate after 23 h, if the first has succeeded after 5 h', async () => {
      const { box, table, listener, put, verdict } = await shop()
      await put()
      await pass(table, 5 * HOUR_MS)
      let runs = 0
      startWorker(box, listener, () => (runs += 1))
      await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
      await pass(table, 18 * HOUR_MS)
      expect(await verdict()).toBe(DUPLICATE)
      await pass(table, 2 * HOUR_MS)
      await put()
      await expect.poll(() => runs).toBe(2)
    })

    it('is a new job after 25 h, and a duplicate after 23 h, if the first is dead, which again() still runs', async () => {
      const { box, table, listener, put, verdict } = await shop()
      await put()
      let fails = true
      let runs = 0
      startWorker(box, listener, () => {
        runs += 1
        if (fails) throw new Error('no')
      })
      await expect.poll(() => box.counts()).toMatchObject({ dead: 1 })
      await pass(table, 23 * HOUR_MS)
      expect(await verdict()).toBe(DUPLICATE)
      await pass(table, 2 * HOUR_MS)
      fails = false
      await put()
      await expect.poll(() => box.counts()).toMatchObject({ dead: 1, done: 1 })
      expect(await verdict()).toBe(DUPLICATE)
      expect(await box.again()).toEqual({ changed: 1, refused: 0 })
      await expect.poll(() => box.counts()).toMatchObject({ dead: 0, waiting: 0, running: 0 })
      expect(runs).toBe(3)
    })

    it('is a second job if the first still waits: neither is lost', async () => {
      const { box, table, listener, put, verdict } = await shop()
      await put()
      await pass(table, 23 * HOUR_MS)
      expect(await verdict()).toBe(DUPLICATE)
      await pass(table, 2 * HOUR_MS)
      await put()
      expect(await box.counts()).toMatchObject({ waiting: 2 })
      let runs = 0
      startWorker(box, listener, () => (runs += 1))
      await expect.poll(() => box.counts()).toMatchObject({ waiting: 0, running: 0 })
      expect(runs).toBe(2)
      expect(await verdict()).toBe(DUPLICATE)
    })

    it('is a second job if the first still runs, whose end counts for itself alone', async () => {
      const { box, table, listener, put } = await shop({ leaseMs: 600_000_000 })
      const opens: (() => void)[] = []
      startWorker(box, listener, () => new Promise<void>((resolve) => opens.push(resolve)))
      await put()
      await expect.poll(() => opens.length).toBe(1)
      await pass(table, 25 * HOUR_MS)
      await put()
      await expect.poll(() => opens.length).toBe(2)
      opens[0]?.()
      await expect.poll(() => box.counts()).toMatchObject({ running: 1 })
      opens[1]?.()
      await expect.poll(() => box.counts()).toMatchObject({ running: 0, waiting: 0, dead: 0 })
    })

    it('does not count from again(), nor from a retry of the job', async () => {
      const { box, table, listener, put, verdict } = await shop()
      await put()
      const failing = startWorker(box, listener, () => Promise.reject(new Error('no')))
      await expect.poll(() => box.counts()).toMatchObject({ dead: 1 })
      await pass(table, 20 * HOUR_MS)
      await box.again()
      await expect.poll(() => box.counts()).toMatchObject({ dead: 1 })
      await failing.stop()
      await pass(table, 3 * HOUR_MS)
      expect(await verdict()).toBe(DUPLICATE)
      await pass(table, 2 * HOUR_MS)
      expect(await verdict()).toBe('accepted')
    })

    it.each([
      ['retentionMs of the inbox is longer', { retentionMs: 1000 * HOUR_MS }, undefined],
      ['a local cache is in front', {}, (box: Inbox) => withLocalCache(box.store)],
    ])('is a new job after a day, too, if %s', async (_, options, wrap) => {
      const { box, table, put } = await shop(options, wrap)
      await put()
      await pass(table, 25 * HOUR_MS)
      await put()
      expect(await box.counts()).toMatchObject({ waiting: 2 })
    })

    it('is a new job after a day if the first became one by a 2xx without put()', async () => {
      const { box, table, put, accept } = await shop()
      await expect((await accept()).commit()).rejects.toThrow(/became a job/)
      await pass(table, 25 * HOUR_MS)
      await put()
      expect(await box.counts()).toMatchObject({ waiting: 2 })
    })

    it('leaves no row behind: a worker deletes the job with its keys when its day is over', async () => {
      const { box, table, listener, put } = await shop()
      await put()
      const { stop } = startWorker(box, listener, () => {})
      await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
      await stop()
      await pass(table, 25 * HOUR_MS)
      startWorker(inbox(on.pool, { table }), listener, () => {}) // of another process, which has not swept
      await expect.poll(() => rows(table)).toEqual([])
    })

    it('costs nothing for other events, which keep one row and are remembered for 30 days from their success on', async () => {
      const { box, table, listener, put, verdict } = await shop()
      await put('orders/create')
      expect(await rows(table)).toMatchObject([{ state: 'waiting', forget_at: null }])
      await pass(table, 1000 * HOUR_MS)
      expect(await verdict('orders/create')).toBe(DUPLICATE)
      const { stop } = startWorker(box, listener, () => {})
      await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
      await stop()
      await pass(table, 719 * HOUR_MS)
      expect(await verdict('orders/create')).toBe(DUPLICATE)
      await pass(table, 2 * HOUR_MS)
      expect(await verdict('orders/create')).toBe('accepted')
    })
  })

  describe('the second key of an event', () => {
    it.each(['waiting', 'dead', 'done'])('goes with its job, whoever deletes that row: %s', async (state) => {
      const { box, table, listener, issue } = await issues()
      await box.put(await acceptedEvent(await issue('id-1', 'first'), listener))
      if (state === 'done') {
        const { stop } = startWorker(box, listener, () => {})
        await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
        await stop()
      } else await on.pool.query(`UPDATE ${table} SET state = '${state}' WHERE envelope IS NOT NULL`)
      const verdicts = async () => [
        await outcome(await issue('id-1', 'second'), listener),
        await outcome(await issue('id-2', 'first'), listener),
      ]
      expect(await verdicts()).toEqual(['200 event_duplicate', '200 event_duplicate'])
      await on.pool.query(`DELETE FROM ${table} WHERE job IS NULL`)
      expect(await rows(table)).toEqual([])
      expect(await verdicts()).toEqual(['accepted', 'accepted'])
    })
  })

  describe('a table that an earlier version made', () => {
    it('is completed by migrate(), with what waits in it', async () => {
      const { box, table, listener, issue } = await issues()
      await box.put(await acceptedEvent(await issue('id-1', 'first'), listener))
      await on.pool.query(`ALTER TABLE ${table} ADD COLUMN twin uuid;
        UPDATE ${table} SET twin = (SELECT key FROM ${table} WHERE state = 'twin') WHERE state = 'waiting';
        UPDATE ${table} SET due_at = now() WHERE state = 'twin';
        ALTER TABLE ${table} DROP COLUMN job, DROP COLUMN forget_at, DROP COLUMN holds`)
      const old = inbox(on.pool, { table })
      await expect(outcome(await issue('id-3', 'third'), listener)).rejects.toMatchObject({
        message: expect.stringContaining('of an earlier version: run `await box.migrate()` once'),
      })
      await Promise.all([old.migrate(), old.migrate()])
      expect(await outcome(await issue('id-2', 'first'), listener)).toBe('200 event_duplicate')
      const runs: string[] = []
      const worker = old.work(listener, ({ id }) => runs.push(id))
      onTestFinished(() => worker.stop())
      await expect.poll(() => old.counts()).toMatchObject({ done: 1 })
      expect(runs).toEqual(['id-1'])
      expect(await outcome(await issue('id-2', 'first'), listener)).toBe('200 event_duplicate')
    })
  })
})
