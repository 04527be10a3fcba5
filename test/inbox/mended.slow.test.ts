import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type Inbox,
  type InboxHandler,
  type InboxOptions,
  inbox,
  type Mended,
  type WorkOptions,
} from '../../src/inbox/index.ts'
import { defineListener, type Listener, verify } from '../../src/index.ts'
import { linear } from '../../src/schemes/linear.ts'
import { shopify } from '../../src/schemes/shopify.ts'
import { signAs, toDelivery } from '../../src/testing/index.ts'
import { SECRET } from '../support/hmac-listener.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'
import { onPostgres, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { inboxServer, shop } from './support.ts'

const HOUR_MS = 3_600_000
const CHANGED: Mended = { changed: 1, refused: 0 }
const REFUSED: Mended = { changed: 0, refused: 1 }
const NOTHING: Mended = { changed: 0, refused: 0 }
const ROUNDS = 200

/** A handler that waits until it is let go. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('a job that is named'), () => {
  const on = inboxServer()
  const { rows } = on

  async function scene(options: InboxOptions = {}) {
    const { box, table } = await on.fresh(options)
    const { listener, deliver, put } = shop(box)
    const putOne = async (type?: string) => {
      const eventId = await put(type)
      const [job] = await box.get({ listener: 'stripe', eventId })
      return { id: job?.id ?? '', redelivered: async () => outcome(await deliver(eventId), listener) }
    }
    const stateOf = async (id: string) => (await box.get(id))[0]?.state
    return { box, table, listener, deliver, putOne, stateOf }
  }

  /** An inbox for Linear, whose events have two keys, with one of them. */
  async function issue(options: InboxOptions = {}) {
    const { box, table } = await on.fresh(options)
    const listener = defineListener({
      ...{ id: 'linear', auth: linear({ secrets: SECRET }), store: box.store },
      storeTimeoutSeconds: 60,
    })
    const webhookTimestamp = Date.now()
    const issued = async (eventId: string, body: string) =>
      toDelivery(await signAs(linear, { secret: SECRET, eventId, body: { body, webhookTimestamp } }))
    const put = async (eventId: string) => {
      await box.put(await acceptedEvent(await issued(eventId, eventId), listener))
      const [job] = await box.get({ listener: 'linear', eventId })
      return job?.id ?? ''
    }
    /** Of a delivery with the same bytes under another ID, and of one with the same ID and other bytes. */
    const verdicts = async (eventId: string) => [
      await outcome(await issued(crypto.randomUUID(), eventId), listener),
      await outcome(await issued(eventId, crypto.randomUUID()), listener),
    ]
    const set = (state: string) =>
      on.pool.query(`UPDATE ${table} SET state = '${state}', worker = NULL WHERE job IS NULL`)
    return { box, table, listener, issued, put, verdicts, set }
  }

  function startWorker(
    box: Inbox,
    listener: Listener,
    handler: InboxHandler<Listener>,
    options: WorkOptions = {},
  ) {
    const worker = box.work(listener, handler, {
      ...{ pollMs: 20, delayMs: () => HOUR_MS, onError: null, ...options },
    })
    onTestFinished(() => worker.stop())
    return worker
  }

  const DUPLICATE = '200 event_duplicate'
  const BOTH_DUPLICATES = [DUPLICATE, DUPLICATE]

  describe('runs again', () => {
    it('if it is dead, with all its attempts, and no other one does', async () => {
      const { box, listener, putOne, stateOf } = await scene({ maxAttempts: 2 })
      const [one, other] = [await putOne(), await putOne()]
      let fails = true
      const attempts: number[] = []
      startWorker(
        box,
        listener,
        (_, { attempt }) => {
          attempts.push(attempt)
          if (fails) throw new Error('no')
        },
        { delayMs: () => 1 },
      )
      await expect.poll(() => box.counts()).toMatchObject({ dead: 2 })
      fails = false
      attempts.length = 0
      expect(await box.again(one.id)).toEqual(CHANGED)
      await expect.poll(() => stateOf(one.id)).toBe('done')
      expect(await stateOf(other.id)).toBe('dead')
      expect(attempts).toEqual([1])
    })

    it('at once, if it waits for an hour after a failure', async () => {
      const { box, listener, putOne, stateOf } = await scene()
      const { id } = await putOne()
      let runs = 0
      startWorker(box, listener, () => {
        runs += 1
        if (runs === 1) throw new Error('no')
      })
      await expect.poll(async () => (await box.get(id))[0]?.error).toBe('Error: no')
      expect(await box.again(id)).toEqual(CHANGED)
      await expect.poll(() => stateOf(id)).toBe('done')
    })

    it('not while it runs, nor after it was done', async () => {
      const { box, listener, putOne, stateOf } = await scene()
      const { id } = await putOne()
      const { opened, open } = gate()
      let runs = 0
      startWorker(box, listener, () => {
        runs += 1
        return opened
      })
      await expect.poll(() => stateOf(id)).toBe('running')
      expect(await box.again(id)).toEqual(REFUSED)
      expect(await box.forget([id])).toEqual(REFUSED)
      open()
      await expect.poll(() => stateOf(id)).toBe('done')
      expect(await box.again(id)).toEqual(REFUSED)
      expect(runs).toBe(1)
    })

    it('at once in this process, by a worker that looks once in ten minutes', async () => {
      const { box, listener, putOne, stateOf } = await scene({ maxAttempts: 1 })
      const { id } = await putOne()
      let fails = true
      startWorker(
        box,
        listener,
        () => {
          if (fails) throw new Error('no')
        },
        { pollMs: 600_000 },
      )
      await expect.poll(() => stateOf(id)).toBe('dead')
      fails = false
      await box.again(id)
      await expect.poll(() => stateOf(id)).toBe('done')
    })

    it('of several, those that may: the others are counted', async () => {
      const { box, table, putOne } = await scene()
      const jobs = [await putOne(), await putOne(), await putOne()]
      await on.pool.query(
        `UPDATE ${table} SET worker = 'w', due_at = now() + interval '1 h' WHERE id = 'evt_2'`,
      )
      const ids = jobs.map(({ id }) => id)
      expect(await box.again([...ids, ...ids])).toEqual({ changed: 2, refused: 1 })
      expect(await box.forget(ids)).toEqual({ changed: 2, refused: 1 })
      expect(await box.forget([])).toEqual(NOTHING)
      expect(await rows(table)).toHaveLength(1)
    })

    it('is refused at once while a transaction of yours holds it, and waits for nothing', async () => {
      const { box, table, putOne } = await scene()
      const { id } = await putOne()
      const tx = await on.pool.connect()
      await tx.query('BEGIN')
      await tx.query(`SELECT FROM ${table} FOR UPDATE`)
      expect(await box.again(id)).toEqual(REFUSED)
      expect(await box.again()).toEqual(NOTHING)
      expect(await box.forget(id)).toEqual(REFUSED)
      await tx.query('ROLLBACK')
      tx.release()
      expect(await box.forget(id)).toEqual(CHANGED)
    })

    it('both keys of an event that has two stay duplicates, until it is forgotten', async () => {
      const { box, table, put, verdicts, set } = await issue({ keepBodiesFor: HOUR_MS })
      const eventId = crypto.randomUUID()
      const id = await put(eventId)
      for (const state of ['dead', 'waiting'] as const) {
        await set(state)
        expect(await box.again(id)).toEqual(CHANGED)
        expect(await verdicts(eventId)).toEqual(BOTH_DUPLICATES)
      }
      expect((await rows(table)).map(({ state }) => state).toSorted()).toEqual(['twin', 'waiting'])
      expect(await box.forget(id)).toEqual(CHANGED)
      expect(await rows(table)).toEqual([])
      expect(await verdicts(eventId)).toEqual(['accepted', 'accepted'])
    })
  })

  it('only changes in the state that is given', async () => {
    const { box, table, putOne, stateOf } = await scene()
    const [dead, waiting] = [await putOne(), await putOne()]
    await on.pool.query(`UPDATE ${table} SET state = 'dead' WHERE id = 'evt_1'`)
    const ids = [dead.id, waiting.id]
    expect(await box.forget(waiting.id, { state: 'dead' })).toEqual(REFUSED)
    expect(await box.again(ids, { state: 'dead' })).toEqual({ changed: 1, refused: 1 })
    expect(await box.again(undefined, { state: 'done' })).toEqual(NOTHING)
    expect(await stateOf(dead.id)).toBe('waiting')
    expect(await box.forget(ids, { state: 'waiting' })).toEqual({ changed: 2, refused: 0 })
    await expect(box.forget(ids, { state: 'gone' as never })).rejects.toThrow(/^state: /)
  })

  describe('is forgotten', () => {
    it.each(['dead', 'waiting'])('if it is %s: the next delivery runs', async (state) => {
      const { box, table, putOne } = await scene()
      const { id, redelivered } = await putOne()
      await on.pool.query(`UPDATE ${table} SET state = '${state}'`)
      expect(await redelivered()).toBe(DUPLICATE)
      expect(await box.forget(id)).toEqual(CHANGED)
      expect(await box.get(id)).toEqual([])
      expect(await redelivered()).toBe('accepted')
      expect(await box.forget(id)).toEqual(NOTHING) // the claim is of another delivery
      expect(await box.again(id)).toEqual(NOTHING)
    })

    it('if it is done: the resend of an event whose handler was wrong runs, and is a job of its own', async () => {
      const { box, listener, deliver, putOne, stateOf } = await scene()
      const { id, redelivered } = await putOne('customer.updated')
      startWorker(box, listener, () => {})
      await expect.poll(() => stateOf(id)).toBe('done')
      expect(await redelivered()).toBe(DUPLICATE)
      const found = await box.list({ state: 'done', type: 'customer.updated' })
      expect(await box.forget(found.map((job) => job.id))).toEqual(CHANGED)
      await box.put(await acceptedEvent(await deliver('evt_1'), listener))
      const [resent] = await box.get({ listener: 'stripe', eventId: 'evt_1' })
      expect(resent?.id).not.toBe(id)
      expect(await box.forget(id)).toEqual(NOTHING)
      await expect.poll(() => stateOf(resent?.id ?? '')).toBe('done')
    })

    it('with the keys that it still has: one that a later event took over stays', async () => {
      const { box, table } = await on.fresh()
      const listener = defineListener({
        ...{ id: 'shopify', auth: shopify({ secrets: SECRET }), store: box.store },
        storeTimeoutSeconds: 60,
      })
      const put = async () => {
        const body = { shop_id: 954_889, shop_domain: 'a.myshopify.com' }
        const signed = await signAs(shopify, {
          secret: SECRET,
          eventId: crypto.randomUUID(),
          eventType: 'shop/redact',
          body,
        })
        const event = await acceptedEvent(toDelivery(signed), listener)
        await box.put(event)
        return (await box.get({ listener: 'shopify', eventId: event.id }))[0]?.id ?? ''
      }
      const first = await put()
      await on.pool.query(
        `UPDATE ${table} SET due_at = due_at - interval '25 h', forget_at = forget_at - interval '25 h'`,
      )
      const second = await put()
      expect(await box.forget(first)).toEqual(CHANGED)
      const left = await rows(table)
      expect(left.map(({ state }) => state).toSorted()).toEqual(['twin', 'waiting'])
      expect(await box.forget(second)).toEqual(CHANGED)
      expect(await rows(table)).toEqual([])
    })
  })

  describe('whose body is kept', () => {
    it('runs again after it was done, with the same payload, and its other keys stay duplicates', async () => {
      const { box, listener, put, verdicts } = await issue({ keepBodiesFor: HOUR_MS })
      const eventId = crypto.randomUUID()
      const id = await put(eventId)
      const payloads: unknown[] = []
      startWorker(box, listener, ({ payload }) => payloads.push(payload))
      await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
      expect((await box.get(id, { body: true }))[0]).toMatchObject({
        hasBody: true,
        body: expect.any(Uint8Array),
      })
      expect(await box.again(id)).toEqual(CHANGED)
      await expect.poll(() => payloads.length).toBe(2)
      await expect.poll(() => box.counts()).toMatchObject({ done: 1, waiting: 0, running: 0 })
      expect(payloads[1]).toEqual(payloads[0])
      expect(await verdicts(eventId)).toEqual(BOTH_DUPLICATES)
    })

    it('has other keys that do not expire while it waits once more', async () => {
      const { box, table, listener, put, verdicts } = await issue({ keepBodiesFor: HOUR_MS })
      const eventId = crypto.randomUUID()
      const id = await put(eventId)
      const worker = startWorker(box, listener, () => {})
      await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
      await worker.stop()
      expect(await box.again(id)).toEqual(CHANGED)
      await on.pool.query(`UPDATE ${table} SET due_at = due_at - interval '90 days'`)
      expect(await verdicts(eventId)).toEqual(BOTH_DUPLICATES)
    })

    it('loses it in a sweep after that time, and is still remembered', async () => {
      const { box, table, listener, putOne } = await scene({ keepBodiesFor: HOUR_MS })
      const { id, redelivered } = await putOne()
      await startWorker(box, listener, () => {}).stop
      await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
      const sweep = () => startWorker(inbox(on.pool, { table }), listener, () => {}) // a worker's first act
      sweep()
      await pause(200)
      expect((await box.get(id))[0]?.hasBody).toBe(true)
      await on.pool.query(`UPDATE ${table} SET keep_until = keep_until - interval '1 h'`)
      sweep()
      await expect.poll(async () => (await box.get(id))[0]).toMatchObject({ state: 'done', hasBody: false })
      expect(await box.again(id)).toEqual(REFUSED)
      expect(await redelivered()).toBe(DUPLICATE)
    })

    it('is never kept for longer than the event is remembered', async () => {
      const { box, table, listener, putOne } = await scene({ keepBodiesFor: 100 * 365 * 24 * HOUR_MS })
      await putOne()
      startWorker(box, listener, () => {})
      await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
      const [row] = await rows(table)
      expect(row?.keep_until).toEqual(row?.due_at)
    })

    it('has none without keepBodiesFor, nor after another inbox without it ended it', async () => {
      const { box, table, listener, putOne } = await scene({ keepBodiesFor: HOUR_MS })
      await putOne()
      startWorker(inbox(on.pool, { table }), listener, () => {})
      await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
      expect(await rows(table)).toMatchObject([{ envelope: null, keep_until: null }])
    })
  })

  describe('raced', () => {
    it('by again() and by workers that take it, 200 times and more, never runs twice at once', async () => {
      const { box, table, listener, putOne } = await scene({ maxAttempts: 2, leaseMs: 600_000 })
      const ids = [(await putOne()).id, (await putOne()).id, (await putOne()).id]
      const running = new Set<string>()
      let most = 0
      let runs = 0
      const handler = async ({ id }: { readonly id: string }) => {
        runs += 1
        if (running.has(id)) most = 2
        running.add(id)
        await pause(Math.random() * 4)
        running.delete(id)
        throw new Error('once more')
      }
      for (let count = 0; count < 3; count += 1)
        startWorker(inbox(on.pool, { table, maxAttempts: 2, leaseMs: 600_000 }), listener, handler, {
          ...{ pollMs: 1, delayMs: () => 1 },
        })
      const sum = { changed: 0, refused: 0 }
      const ask = async () => {
        const { changed, refused } = await box.again(ids)
        sum.changed += changed
        sum.refused += refused
      }
      while (runs < 3 * ROUNDS) await Promise.all([ask(), ask(), ask()])
      expect(most).toBe(0)
      expect(sum.changed).toBeGreaterThan(ROUNDS)
      expect(sum.refused).toBeGreaterThan(ROUNDS / 4) // they met
    })

    it('by forget() and again(), 200 times, is gone with both keys, or waits with both', async () => {
      const { box, table, put, set } = await issue()
      const ends = { gone: 0, waits: 0 }
      for (let round = 0; round < ROUNDS; round += 1) {
        const id = await put(crypto.randomUUID())
        await set('dead')
        const asked = [() => box.forget(id), () => box.again(id)]
        const [first, second] = round % 2 ? asked : asked.toReversed()
        const answers = await Promise.all([first?.(), second?.()])
        const [forgotten, again] = round % 2 ? answers : answers.toReversed()
        const left = (await rows(table)).map(({ state }) => state).toSorted()
        if (forgotten?.changed === 1) ends.gone += 1
        else ends.waits += 1
        expect(left).toEqual(forgotten?.changed === 1 ? [] : ['twin', 'waiting'])
        expect((forgotten?.changed ?? 0) + (again?.changed ?? 0)).toBeGreaterThan(0)
        await on.pool.query(`DELETE FROM ${table}`)
      }
      expect(ends.gone + ends.waits).toBe(ROUNDS)
    })

    it('by forget() and a redelivery, 200 times, loses no event: it is a duplicate of a job, or runs', async () => {
      const { box, table, listener, issued, put, set } = await issue()
      const verdicts = { accepted: 0, duplicate: 0 }
      for (let round = 0; round < ROUNDS; round += 1) {
        const eventId = crypto.randomUUID()
        const id = await put(eventId)
        await set('dead')
        const delivery = await issued(eventId, eventId)
        const [forgotten, verdict] = await Promise.all([box.forget(id), verify(delivery, listener)])
        expect(forgotten).toEqual(CHANGED)
        if (verdict.ok) {
          verdicts.accepted += 1
          await box.put(verdict.event)
          expect((await rows(table)).map(({ state }) => state).toSorted()).toEqual(['twin', 'waiting'])
        } else {
          verdicts.duplicate += 1
          expect(await outcome(delivery, listener)).toBe('accepted')
        }
        await on.pool.query(`DELETE FROM ${table}`)
      }
      expect(verdicts.accepted + verdicts.duplicate).toBe(ROUNDS)
      expect(Math.min(verdicts.accepted, verdicts.duplicate)).toBeGreaterThan(0) // they met
    })

    it('by forget() and a worker, 200 times, runs to its end, or not at all', async () => {
      const { box, table, listener, putOne } = await scene()
      const begun: string[] = []
      startWorker(inbox(on.pool, { table }), listener, async ({ id }) => void begun.push(id), { pollMs: 1 })
      let forgotten = 0
      for (let round = 1; round <= ROUNDS; round += 1) {
        const { id } = await putOne()
        const { changed } = await box.forget(id)
        const [job] = await box.get(id)
        if (changed === 1) forgotten += 1
        if (changed === 1) expect(job).toBeUndefined()
        else await expect.poll(async () => (await box.get(id))[0]?.state).toBe('done')
      }
      await expect.poll(() => box.counts()).toMatchObject({ waiting: 0, running: 0, dead: 0 })
      const { done } = await box.counts()
      expect(new Set(begun).size).toBe(begun.length)
      expect(begun.length).toBeGreaterThanOrEqual(done)
      expect(forgotten).toBeGreaterThan(0)
    })
  })
})
