import { setTimeout as pause } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import postgres from 'postgres'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  type Inbox,
  type InboxHandler,
  type InboxOptions,
  inbox,
  type PostgresClient,
  type WorkOptions,
} from '../../src/inbox/index.ts'
import { statementsFor } from '../../src/inbox/statements.ts'
import type { Listener, WebhookEvent } from '../../src/index.ts'
import { memberOf } from '../../src/lib/member-of.ts'
import { acceptedEvent } from '../support/outcome.ts'
import { onPostgres, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { earlierTake } from './earlier-take.ts'
import { boxListener, inboxServer } from './support.ts'

const HOUR_MS = 3_600_000

/** A body is `[key, place]`. */
const keyOf = ({ payload }: { readonly payload: unknown }) => String(memberOf(payload, '0'))
const nameOf = ({ payload }: { readonly payload: unknown }) =>
  `${keyOf({ payload })}${memberOf(payload, '1')}`

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('the jobs of a key'), () => {
  const on = inboxServer()

  async function scene(
    options: InboxOptions = {},
    client?: PostgresClient,
    onError: () => unknown = () => {},
  ) {
    const { box, table } = await on.fresh({ keyOf, ...options }, client)
    const { listener, deliver } = boxListener(box, { onError })
    const event = async (key: unknown, place = 0) =>
      acceptedEvent(await deliver(JSON.stringify([key, place])), listener)
    /** `put('a', 1, 2)` puts two jobs, one after the other. */
    const put = async (key: unknown, ...places: number[]) => {
      for (const place of places) await box.put(await event(key, place))
    }
    /** By name, such as `a1`. */
    const idOf = async (name: string) => {
      const jobs = await box.list({ body: true })
      const texts = jobs.map(({ id, body }) => [id, new TextDecoder().decode(body)])
      return texts.find(([, text]) => text && nameOf({ payload: JSON.parse(text) }) === name)?.[0] ?? ''
    }
    return { box, table, listener, deliver, event, put, idOf }
  }

  /** A worker, whose handlers wait until they are told how they end. */
  function work(box: Inbox, listener: Listener, options: WorkOptions = {}) {
    const ends = new Map<string, (error?: Error) => void>()
    const ran: string[] = []
    const handler: InboxHandler<Listener> = (event) => {
      const name = nameOf(event)
      ran.push(name)
      return new Promise<void>((resolve, reject) => {
        ends.set(name, (error) => {
          ends.delete(name)
          if (error) reject(error)
          else resolve()
        })
      })
    }
    const worker = box.work(listener, handler, {
      ...{ pollMs: 20, delayMs: () => HOUR_MS, onError: null, drainMs: 1, ...options },
    })
    onTestFinished(() => worker.stop())
    const end = async (name: string, error?: Error) => {
      await expect.poll(() => ends.has(name)).toBe(true)
      ends.get(name)?.(error)
    }
    return { ran, running: () => [...ends.keys()].sort(), end, worker }
  }

  const drained = async (box: Inbox, listener: Listener, handler: InboxHandler<Listener>) => {
    const ran: string[] = []
    const did = await box.drain(
      listener,
      (event, run) => {
        ran.push(nameOf(event))
        return handler(event, run)
      },
      { onError: null, delayMs: () => HOUR_MS },
    )
    return { ran, did }
  }

  it('run one after the other, in the order of their puts, and those of other keys beside them', async () => {
    const { box, listener, put } = await scene()
    await put('a', 1, 2, 3)
    await put('b', 1, 2)
    const { ran, running, end } = work(box, listener)
    await expect.poll(running).toEqual(['a1', 'b1'])
    expect(await box.counts()).toEqual({ waiting: 0, running: 2, held: 3, dead: 0, done: 0 })
    await end('b1')
    await expect.poll(running).toEqual(['a1', 'b2'])
    await end('a1')
    await put('a', 4)
    await end('a2')
    await end('a3')
    await expect.poll(running).toEqual(['a4', 'b2'])
    expect(ran.filter((name) => name.startsWith('a'))).toEqual(['a1', 'a2', 'a3', 'a4'])
  })

  it('all run in one drain, and each is handed the key at once', async () => {
    const sql = postgres({ ...on.server.address, max: 5, onnotice: () => {} })
    onTestFinished(() => sql.end())
    const { box, listener, put } = await scene({}, sql)
    await Promise.all(['a', 'b', 'c'].map((key) => put(key, 1, 2, 3, 4, 5)))
    const { ran, did } = await drained(box, listener, () => {})
    expect(did).toEqual({ done: 15, failed: 0, dead: 0, waiting: 0 })
    for (const key of ['a', 'b', 'c'])
      expect(ran.filter((name) => name.startsWith(key))).toEqual([1, 2, 3, 4, 5].map((place) => key + place))
  })

  it('take turns with those of other keys by when they were put', async () => {
    const { box, listener, put } = await scene()
    await put('a', 1, 2, 3)
    for (let other = 0; other < 20; other += 1) await put(`x${other}`, 0)
    const { ran, end } = work(box, listener, { concurrency: 1 })
    for (let ended = 0; ended < 10; ended += 1) {
      await expect.poll(() => ran.length).toBe(ended + 1)
      await end(ran[ended] ?? '')
    }
    expect(ran).toContain('a3')
  })

  it('one whose key another take hands over, of which this one sees only the beginning, is looked at again soon', async () => {
    const { box, table, listener, put } = await scene()
    await put('a', 1)
    await drained(box, listener, () => {})
    await on.pool.query(`UPDATE ${table} SET holds = TRUE WHERE state = 'done'`)
    const take = {
      text: statementsFor(table, { hasKeys: true }).takeInOrder,
      values: ['w', 60_000, 10, 10, listener.id, 10, true],
    }
    const [one, other] = [await on.pool.connect(), await on.pool.connect()]
    try {
      await one.query('BEGIN')
      await one.query(take)
      await put('a', 2)
      await other.query(take)
      await one.query('COMMIT')
    } finally {
      one.release()
      other.release()
    }
    const { running } = work(box, listener)
    await expect.poll(running).toEqual(['a2'])
  })

  it('one whose key is handed over while there is no room for it is not put off by a take that began before', async () => {
    const { box, table, listener, put } = await scene()
    const { takeInOrder } = statementsFor(table, { hasKeys: true })
    const take = (text: string, most: number) => ({
      ...{ text, values: [`w${most}`, 60_000, 10, most, listener.id, most, true] },
    })
    await put('a', 1)
    await on.pool.query(take(takeInOrder, 1))
    await put('b', 1) // is before the next one
    await put('a', 2)
    /** Has seen the table, and waits before it locks anything. */
    const paused = takeInOrder
      .replace('WITH ', 'WITH paused AS MATERIALIZED (SELECT pg_advisory_xact_lock(53)), ')
      .replace('ORDER BY due_at LIMIT', 'AND (SELECT count(*) FROM paused) = 1 $&')
    const one = await on.pool.connect()
    await one.query('SELECT pg_advisory_lock(53)')
    const earlier = on.pool.query(take(paused, 10))
    const waits = `SELECT FROM pg_stat_activity WHERE wait_event = 'advisory' AND query LIKE '%${table}%'`
    await expect.poll(async () => (await on.pool.query(waits)).rowCount).toBe(1)
    await on.pool.query(
      `UPDATE ${table} SET state = 'done', due_at = now() + interval '1 h' WHERE state = 'waiting'`,
    )
    await on.pool.query(take(takeInOrder, 1))
    await one.query('SELECT pg_advisory_unlock(53)')
    one.release()
    await earlier
    const { rows } = await on.pool.query(
      `SELECT state, due_at < now() + interval '2 s' AS is_soon FROM ${table} WHERE order_key = 'a' ORDER BY number`,
    )
    expect(rows).toEqual([
      { state: 'done', is_soon: false },
      { state: 'behind', is_soon: true },
    ])
    expect(await box.counts()).toMatchObject({ running: 1 }) // the one that there was room for
  })

  it.each(['resolves', 'calls done(tx)'])(
    'wait for the second run of one whose lease has ended, though the first one %s late',
    async (how) => {
      const { box, table, listener, put } = await scene()
      await put('a', 1, 2)
      let end = () => {}
      const ended = new Promise<void>((resolve) => {
        end = resolve
      })
      let failure: unknown
      let isRunning = false
      const first = inbox(on.pool, { table }).work(
        listener,
        async (_event, { done }) => {
          isRunning = true
          await ended
          if (how === 'resolves') return
          const tx = await on.pool.connect()
          await tx.query('BEGIN')
          failure = await done(tx).catch((error: unknown) => error)
          await tx.query('ROLLBACK')
          tx.release()
        },
        { onError: null },
      )
      await expect.poll(() => isRunning).toBe(true)
      const stopped = first.stop() // takes nothing more
      await on.age(table, 60_000)
      const { ran, running, end: endOf } = work(box, listener)
      await expect.poll(running).toEqual(['a1'])
      end()
      await stopped
      expect(failure).toEqual(how === 'resolves' ? undefined : expect.objectContaining({ code: 'ERR_INBOX' }))
      await put('b', 1)
      await expect.poll(running).toEqual(['a1', 'b1'])
      await endOf('a1')
      await expect.poll(running).toEqual(['a2', 'b1'])
      expect(ran).toEqual(['a1', 'b1', 'a2'])
    },
  )

  it('wait for one that has failed until it succeeds, or is dead; with hold, until it is mended', async () => {
    const failing = async (afterDead: InboxOptions['afterDead'], maxAttempts: number) => {
      const made = await scene({ afterDead, maxAttempts })
      await made.put('a', 1, 2)
      await made.put('b', 1)
      const fails = (event: { readonly payload: unknown }) => {
        if (nameOf(event) === 'a1') throw new Error('no')
      }
      return { ...made, ...(await drained(made.box, made.listener, fails)) }
    }
    const late = await failing(undefined, 2)
    expect(late.ran).toEqual(['a1', 'b1'])
    expect(await late.box.counts()).toEqual({ waiting: 1, running: 0, held: 1, dead: 0, done: 1 })
    await late.box.again(await late.idOf('a1'))
    expect((await drained(late.box, late.listener, () => {})).ran).toEqual(['a1', 'a2'])

    const dead = await failing('continue', 1)
    expect(dead.ran).toEqual(['a1', 'b1', 'a2'])

    for (const mend of ['again', 'forget'] as const) {
      const held = await failing('hold', 1)
      expect(held.ran).toEqual(['a1', 'b1'])
      expect(await held.box.counts()).toEqual({ waiting: 0, running: 0, held: 1, dead: 1, done: 1 })
      const [job] = await held.box.list({ state: 'held' })
      expect(job).toMatchObject({ state: 'held', dueAt: undefined, id: await held.idOf('a2') })
      expect(await held.box.list({ state: 'waiting' })).toEqual([])
      expect(await held.box[mend](await held.idOf('a1'))).toEqual({ changed: 1, refused: 0 })
      const then = await drained(held.box, held.listener, () => {})
      expect(then.ran).toEqual(mend === 'again' ? ['a1', 'a2'] : ['a2'])
    }
  })

  it('go on at once after forget(), by a worker in this process that looks once in ten minutes', async () => {
    const { box, listener, put, idOf } = await scene({ maxAttempts: 1, afterDead: 'hold' })
    await put('a', 1, 2)
    const { running, end } = work(box, listener, { pollMs: 600_000 })
    await end('a1', new Error('no'))
    await expect.poll(() => box.counts()).toMatchObject({ dead: 1, held: 1, running: 0 })
    await box.forget(await idOf('a1'))
    await expect.poll(running).toEqual(['a2'])
  })

  it.each<[string, InboxOptions]>([
    ['waits to run again', {}],
    ['is dead', { maxAttempts: 1, afterDead: 'hold' }],
    ['has not begun', {}],
  ])(
    'find each other, if one is put while the one before it, which %s, is forgotten',
    async (how, options) => {
      const { box, table, listener, put, idOf } = await scene(options)
      await put('a', 1)
      if (how !== 'has not begun') await drained(box, listener, fail)
      const tx = await on.pool.connect()
      await tx.query('BEGIN')
      expect(await inbox(tx, { table }).forget(await idOf('a1'))).toEqual({ changed: 1, refused: 0 })
      await put('a', 2)
      expect((await drained(box, listener, () => {})).ran).toEqual([]) // it has seen both
      await tx.query('COMMIT')
      tx.release()
      const { running } = work(box, listener)
      await expect.poll(running).toEqual(['a2'])
    },
  )

  it('run in the first drain after 600 of their key were forgotten, each on its own', async () => {
    const { box, table, listener, put } = await scene()
    await put('a', 1)
    await on.pool.query(`INSERT INTO ${table} (key, listener_id, owner, state, due_at, put_at, id, order_key, envelope)
      SELECT gen_random_uuid(), listener_id, 'x', 'behind', now(), now(), n::text, order_key, '' FROM ${table}, generate_series(1, 600) AS n`)
    const jobs = await box.list({ limit: 1000 })
    await Promise.all(jobs.filter(({ eventId }) => /^\d+$/.test(eventId)).map(({ id }) => box.forget(id)))
    expect(await drained(box, listener, () => {})).toMatchObject({
      ran: ['a1'],
      did: { done: 1, waiting: 0 },
    })
  })

  it('run soon, each of 300 that is put while the one before it is forgotten', async () => {
    const { box, table, listener, put } = await scene({ maxAttempts: 1, afterDead: 'hold' })
    const ran = new Set<string>()
    const handler: InboxHandler<Listener> = (event) => {
      ran.add(nameOf(event))
      if (memberOf(event.payload, '1') === 1) fail()
    }
    for (let count = 0; count < 3; count += 1) {
      const worker = inbox(on.pool, { table, maxAttempts: 1, afterDead: 'hold' }).work(listener, handler, {
        ...{ pollMs: 1, onError: null },
      })
      onTestFinished(() => worker.stop())
    }
    for (let round = 0; round < 30; round += 1) {
      const keys = Array.from({ length: 10 }, (_, key) => `${round}-${key}`)
      await Promise.all(keys.map((key) => put(key, 1)))
      await expect.poll(() => box.list({ state: 'dead' })).toHaveLength(keys.length)
      const dead = await box.list({ state: 'dead' })
      const tx = await on.pool.connect() // a commit that takes its time
      await tx.query('BEGIN')
      const forgotten = async () => {
        await inbox(tx, { table }).forget(dead.map(({ id }) => id))
        await pause(Math.random() * 5)
        await tx.query('COMMIT')
        tx.release()
      }
      await Promise.all([forgotten(), ...keys.map((key) => put(key, 2))])
      await expect.poll(() => keys.filter((key) => !ran.has(`${key}2`))).toEqual([])
    }
    await expect.poll(() => box.counts()).toMatchObject({ waiting: 0, held: 0, dead: 0, done: 300 })
    await on.pool.query(statementsFor(table).sweep)
    expect(await on.rows(table)).toHaveLength(300)
  })

  it('keep their lease, if one before them is forgotten while a take begins them', async () => {
    const { box, table, listener, put, idOf } = await scene({ maxAttempts: 1 })
    await put('a', 1)
    await drained(box, listener, fail)
    await put('a', 2)
    const one = await on.pool.connect()
    await one.query('BEGIN')
    await one.query({
      text: statementsFor(table, { hasKeys: true }).takeInOrder,
      values: ['w', 60_000, 10, 10, listener.id, 10, true],
    })
    expect(await box.forget(await idOf('a1'))).toEqual({ changed: 1, refused: 0 })
    await one.query('COMMIT')
    one.release()
    expect(await box.counts()).toEqual({ waiting: 0, running: 1, held: 0, dead: 0, done: 0 })
  })

  it('go on after one that has killed its process each time', async () => {
    const { box, table, listener, put } = await scene()
    await put('a', 1, 2)
    const { running, worker } = work(box, listener)
    await expect.poll(running).toEqual(['a1'])
    await worker.stop()
    await on.pool.query(
      `UPDATE ${table} SET attempts = 10, worker = 'died', due_at = clock_timestamp() WHERE state = 'waiting'`,
    )
    expect(await drained(box, listener, () => {})).toMatchObject({ ran: ['a2'], did: { done: 1, dead: 1 } })
  })

  it('that are run again come before those that wait, but beside none of their key', async () => {
    const { box, listener, put, idOf } = await scene({ maxAttempts: 1 })
    await put('a', 1, 2, 3)
    const { ran, running, end } = work(box, listener)
    await end('a1', new Error('no'))
    await expect.poll(running).toEqual(['a2'])
    expect(await box.again()).toEqual({ changed: 1, refused: 0 })
    expect(await box.get(await idOf('a1'))).toMatchObject([{ state: 'held' }])
    await end('a2')
    await expect.poll(running).toEqual(['a1'])
    await end('a1')
    await end('a3')
    await expect.poll(() => box.counts()).toMatchObject({ done: 3 })
    expect(ran).toEqual(['a1', 'a2', 'a1', 'a3'])
  })

  it('find each other, if the transaction of a put is open while the one before it ends', async () => {
    const { box, listener, put, event } = await scene()
    await put('a', 1)
    const { running, end } = work(box, listener)
    await expect.poll(running).toEqual(['a1'])
    const tx = await on.pool.connect()
    await tx.query('BEGIN')
    await box.put(await event('a', 2), { tx })
    await end('a1')
    await put('b', 1)
    await end('b1') // by now, a take has seen that nothing waits for the key
    await expect.poll(() => box.counts()).toMatchObject({ done: 2, running: 0 })
    await tx.query('COMMIT')
    tx.release()
    await expect.poll(running).toEqual(['a2'])
  })

  it('run one at a time also if their puts overlap: the server refuses a second one', async () => {
    const { box, table, listener, put, event } = await scene()
    const tx = await on.pool.connect()
    await tx.query('BEGIN')
    await box.put(await event('a', 1), { tx })
    await put('a', 2)
    const { running, end } = work(box, listener)
    await expect.poll(running).toEqual(['a2'])
    await tx.query('COMMIT')
    tx.release()
    await put('b', 1)
    await expect.poll(running).toEqual(['a2', 'b1']) // a take has seen the first one, too
    const both = on.pool.query(`UPDATE ${table} SET state = 'waiting' WHERE state = 'behind'`)
    await expect(both).rejects.toMatchObject({ code: '23505' })
    await end('a2')
    await expect.poll(running).toEqual(['a1', 'b1'])
  })

  it('of another listener, and in another table, are others', async () => {
    const { box, table, listener, put } = await scene()
    const { listener: other, deliver } = boxListener(box, { id: 'other' })
    await put('a', 1)
    await box.put(await acceptedEvent(await deliver('["a",2]'), other))
    const one = work(box, listener)
    const two = work(box, other)
    await expect.poll(() => [...one.running(), ...two.running()]).toEqual(['a1', 'a2'])
    const second = await scene()
    await second.put('a', 3)
    const three = work(second.box, second.listener)
    await expect.poll(three.running).toEqual(['a3'])
    expect(table).not.toBe('')
  })

  it('are told by any text of 1 to 256 bytes: also one that Postgres takes for no text', async () => {
    const keys = ['\0', '\ud800', '\udfff', 'é'.repeat(128), 'x'.repeat(256), '\\u0000']
    const onError = vi.fn()
    const { box, listener, event } = await scene(
      { keyOf: ({ payload }) => String(memberOf(payload, '0')) },
      undefined,
      onError,
    )
    for (const key of [...keys, ...keys]) await box.put(await event(key))
    const { running } = work(box, listener)
    await expect.poll(running).toHaveLength(keys.length)
    expect(await box.counts()).toMatchObject({ running: keys.length, held: keys.length })
    expect(onError).not.toHaveBeenCalled()
  })

  it.each<[string, (event: WebhookEvent<unknown>) => unknown, RegExp]>([
    ['throws', () => memberOf(undefined, 'x') ?? fail(), /keyOf has thrown/],
    [
      'returns undefined',
      () => undefined,
      /must return a text, or null for an event that needs no order, not undefined/,
    ],
    ['returns a promise', async () => 'a', /must return a text, or null .* not Promise/],
    ['returns a promise that rejects', async () => fail(), /must return a text, or null .* not Promise/],
    ['returns a promise that never ends', () => new Promise(() => {}), /must return a text, .* not Promise/],
    ['returns an object', () => ({ id: 'a' }), /must return a text, or null .* not Object/],
    ['returns an empty text', () => '', /null for an event that needs no order, not an empty text/],
    ['returns 257 bytes', () => `é${'x'.repeat(255)}`, /at most 256 bytes, such as a digest of a longer one/],
  ])('are stored without it, which is told, if keyOf %s', async (_, wrong, message) => {
    const onError = vi.fn()
    const { box, listener, put } = await scene({ keyOf: wrong as InboxOptions['keyOf'] }, undefined, onError) // plain JavaScript's
    await put('a', 1, 2)
    expect(onError).toHaveBeenCalledTimes(2)
    expect(onError).toHaveBeenCalledWith(
      expect.objectContaining({ code: 'ERR_INBOX', message: expect.stringMatching(message) }),
      { listenerId: 'orders', eventId: expect.any(String), durationMs: 0 },
    )
    const { running } = work(box, listener)
    await expect.poll(running).toEqual(['a1', 'a2'])
  })

  it('may be none, which is not told; and one of a 2xx without put() has its key', async () => {
    const onError = vi.fn()
    const onlyA = (event: WebhookEvent<unknown>) => (keyOf(event) === 'a' ? 'a' : null)
    const { box, listener, put, event } = await scene({ keyOf: onlyA }, undefined, onError)
    await put('none', 1, 2)
    expect(onError).not.toHaveBeenCalled()
    await put('a', 1)
    await expect((await event('a', 2)).commit()).rejects.toThrow(/without put/)
    const { running } = work(box, listener)
    await expect.poll(running).toEqual(['a1', 'none1', 'none2'])
    expect(await box.counts()).toMatchObject({ held: 1 })
  })

  it('go on, though what was before them was deleted, once they are looked at again', async () => {
    const { box, table, listener, put } = await scene({ maxAttempts: 1, afterDead: 'hold' })
    await put('a', 1, 2, 3)
    const { running, end } = work(box, listener)
    await end('a1', new Error('no'))
    await expect.poll(async () => (await box.list({ state: 'dead' })).length).toBe(1)
    await on.pool.query(`DELETE FROM ${table} WHERE state = 'dead'`)
    await on.age(table, 86_401_000)
    await expect.poll(running).toEqual(['a2'])
  })

  it('of a long line are seldom looked at: of 20,000 that wait for one, a few in ten minutes, and each of them once a day', async () => {
    const { box, table, listener, put } = await scene()
    await put('a', 1)
    const { running, end, worker } = work(box, listener)
    await expect.poll(running).toEqual(['a1'])
    await on.pool.query(`INSERT INTO ${table} (key, listener_id, owner, state, due_at, put_at, id, order_key, envelope)
      SELECT gen_random_uuid(), listener_id, 'x', 'behind', now(), now(), n::text, order_key, ''
      FROM ${table}, generate_series(1, 20000) AS n WHERE state = 'waiting'`)
    await put('b', 1) // behind all others
    const dueWithin = async (time: string) => {
      const { rows } = await on.pool.query(
        `SELECT count(*)::int AS count FROM ${table} WHERE state = 'behind' AND due_at <= now() + $1::interval`,
        [time],
      )
      return Number(rows[0]?.count)
    }
    await expect.poll(running).toEqual(['a1', 'b1'])
    await expect.poll(() => dueWithin('0')).toBe(0)
    expect(await dueWithin('10 minutes')).toBeLessThan(3)
    expect(await dueWithin('1 hour')).toBeLessThan(10)
    expect(await dueWithin('1 day')).toBe(20_000)
    await Promise.all([end('a1'), end('b1')])
    await worker.stop()
  })

  it('of a short line are looked at before long, however many jobs of other keys were put between them', async () => {
    const { box, table, listener, put } = await scene()
    await put('a', 1, 2)
    await on.pool.query(`SELECT setval(pg_get_serial_sequence('${table}', 'number'), 1000000)`)
    await put('a', 3)
    const { running, end, worker } = work(box, listener)
    await expect.poll(running).toEqual(['a1'])
    const lookedAt = async () => {
      const { rows } = await on.pool.query<{ minutes: number }>(
        `SELECT extract(epoch FROM due_at - now())::int / 60 AS minutes FROM ${table} WHERE state = 'behind'`,
      )
      return rows.map(({ minutes }) => minutes > 1 && minutes <= 30)
    }
    await expect.poll(lookedAt).toEqual([true, true])
    await end('a1')
    await expect.poll(running).toEqual(['a2'])
    await worker.stop()
  })

  it('go on, though the one before them was done for longer than it is remembered while no worker ran', async () => {
    const { box, table, listener, put } = await scene({ keepBodiesFor: HOUR_MS })
    await put('a', 1, 2)
    const { running, end, worker } = work(box, listener, { pollMs: 600_000 })
    await expect.poll(running).toEqual(['a1'])
    const stopped = worker.stop() // no take is in flight, which could hand over the key
    await end('a1')
    await stopped
    await on.pool.query(`UPDATE ${table} SET due_at = now() - interval '1 s', keep_until = now() WHERE state = 'done';
      UPDATE ${table} SET due_at = now() + interval '1 day' WHERE state = 'behind'`) // it has been looked at
    const { sweep } = statementsFor(table)
    await on.pool.query(sweep)
    expect(await on.rows(table)).toMatchObject([{ state: 'done', envelope: null }, { state: 'behind' }])
    const next = work(box, listener)
    await expect.poll(next.running).toEqual(['a2'])
    await on.pool.query(sweep)
    expect(await on.rows(table)).toMatchObject([{ state: 'waiting' }])
  })

  it('go on, though the one before them is sent again when it is not remembered any more, and no worker ran', async () => {
    const { box, table, listener, deliver, put } = await scene()
    const delivery = await deliver('["a",1]')
    await box.put(await acceptedEvent(delivery, listener))
    await put('a', 2)
    const { running, end, worker } = work(box, listener, { pollMs: 600_000 })
    await expect.poll(running).toEqual(['a1'])
    const stopped = worker.stop()
    await end('a1')
    await stopped
    await on.pool.query(`UPDATE ${table} SET due_at = now() - interval '1 s' WHERE state = 'done';
      UPDATE ${table} SET due_at = now() + interval '1 day' WHERE state = 'behind'`) // it has been looked at
    const again = await acceptedEvent(delivery, listener)
    const next = work(box, listener)
    await expect.poll(next.running).toEqual(['a2'])
    await box.put(again)
    await next.end('a2')
    await expect.poll(next.running).toEqual(['a1'])
  })

  it('go on after what was before them was deleted, when one far behind is looked at', async () => {
    const { box, table, listener, put } = await scene({ maxAttempts: 1, afterDead: 'hold' })
    await put('a', 1, 2, 3)
    const { running, end } = work(box, listener)
    await end('a1', new Error('no'))
    await expect.poll(async () => (await box.list({ state: 'dead' })).length).toBe(1)
    await on.pool.query(`DELETE FROM ${table} WHERE state = 'dead'`)
    await on.pool.query(
      `UPDATE ${table} SET due_at = now() WHERE number = (SELECT max(number) FROM ${table})`,
    )
    await expect.poll(running).toEqual(['a2'])
  })

  it('do not begin with workers of an earlier version, which run again what has begun, and what they end is handed over', async () => {
    const { box, table, listener, put } = await scene({ maxAttempts: 1000 })
    await put('a', 1, 2)
    const old = inbox(
      {
        query: (text: string, values: unknown[]) =>
          on.pool.query(/'more', TRUE/.test(text) ? earlierTake(table) : text, values),
      },
      { table },
    )
    const earlier = work(old, listener)
    const { box: anew } = { box: inbox(on.pool, { table }) }
    const { ran, running, end, worker } = work(anew, listener, { drainMs: 10_000 }) // it waits for its take
    await end('a1', new Error('no'))
    await expect.poll(() => box.counts()).toMatchObject({ waiting: 1, held: 1 })
    await worker.stop()
    expect(earlier.ran).toEqual([])
    await on.pool.query(`UPDATE ${table} SET due_at = clock_timestamp() WHERE state = 'waiting'`)
    await earlier.end('a1')
    await expect.poll(() => anew.counts()).toMatchObject({ done: 1 })
    expect([ran, running()]).toEqual([['a1'], []])
    const next = work(anew, listener)
    await expect.poll(next.running).toEqual(['a2'])
  })

  it.each(['serializable', 'repeatable read'])('run in order under %s', async (isolation) => {
    const pool = new pg.Pool({
      ...on.server.address,
      max: 10,
      options: `-c default_transaction_isolation=${isolation.replace(' ', '\\ ')}`,
    })
    pool.on('error', () => {})
    onTestFinished(() => pool.end())
    const { box, listener, put } = await scene({}, pool)
    await Promise.all(['a', 'b', 'c', 'd'].map((key) => put(key, 1, 2, 3)))
    const ran: string[] = []
    const handler: InboxHandler<Listener> = (event) => void ran.push(nameOf(event))
    for (let count = 0; count < 2; count += 1) {
      const worker = box.work(listener, handler, { pollMs: 20, onError: null })
      onTestFinished(() => worker.stop())
    }
    await expect.poll(() => box.counts()).toMatchObject({ done: 12 })
    for (const key of ['a', 'b', 'c', 'd'])
      expect(ran.filter((name) => name.startsWith(key))).toEqual([1, 2, 3].map((place) => key + place))
  })
})

function fail(): never {
  throw new Error('in keyOf')
}

it('jobs of a key that are put in transactions run in their order on PGlite, and a dead one holds the others', async () => {
  const client = new PGlite()
  onTestFinished(() => client.close())
  const box = inbox(client, { keyOf, afterDead: 'hold', maxAttempts: 1 })
  await box.migrate()
  const { listener, deliver } = boxListener(box)
  for (const place of [1, 2, 3]) {
    const event = await acceptedEvent(await deliver(JSON.stringify(['a', place])), listener)
    await client.transaction((tx) => box.put(event, { tx }))
  }
  const ran: string[] = []
  const drain = (bad?: string) =>
    box.drain(
      listener,
      (event) => {
        ran.push(nameOf(event))
        if (nameOf(event) === bad) throw new Error('no')
      },
      { onError: null },
    )
  expect(await drain('a2')).toEqual({ done: 1, failed: 0, dead: 1, waiting: 1 })
  expect(await box.counts()).toMatchObject({ held: 1, dead: 1 })
  expect(await box.again()).toEqual({ changed: 1, refused: 0 })
  expect(await drain()).toEqual({ done: 2, failed: 0, dead: 0, waiting: 0 })
  expect(ran).toEqual(['a1', 'a2', 'a2', 'a3'])
})
