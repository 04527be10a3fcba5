import { PGlite } from '@electric-sql/pglite'
import pg, { type PoolClient } from 'pg'
import postgres from 'postgres'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  type Inbox,
  type InboxErrorContext,
  type InboxHandler,
  type InboxOptions,
  inbox,
  type PostgresClient,
  type WorkOptions,
} from '../../src/inbox/index.ts'
import { defineListener, type Json, type Listener, route } from '../../src/index.ts'
import { github } from '../../src/schemes/github.ts'
import { signAs, toDelivery } from '../../src/testing/index.ts'
import { endsOf, recordChannel } from '../support/channel-recorder.ts'
import { monotonicTime } from '../support/monotonic-time.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { boxListener, inboxServer } from './support.ts'

const LEASE_MS = 1500
const SOON: WorkOptions = { pollMs: 20, delayMs: () => 1 }

interface Told extends Partial<InboxErrorContext> {
  readonly error: unknown
}

/** Starts a worker that ends with the test, and what its hook is told. */
function startWorker(
  box: Inbox,
  listener: Listener,
  handler: InboxHandler<Listener>,
  options: WorkOptions = {},
): { readonly told: Told[]; stop(): Promise<void> } {
  const told: Told[] = []
  const onError = (error: unknown, context: InboxErrorContext) => told.push({ error, ...context })
  const worker = box.work(listener, handler, { ...SOON, onError, ...options })
  onTestFinished(() => worker.stop())
  return { told, stop: () => worker.stop() }
}

/** A handler that waits until it is let go. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('a worker of an inbox'), () => {
  const on = inboxServer()
  const { fresh, rows, age } = on

  /** An inbox with one event that waits. */
  async function scene(options: InboxOptions = {}) {
    const { box, table } = await fresh({ leaseMs: LEASE_MS, ...options })
    const sender = boxListener(box)
    const delivery = await sender.deliver()
    const event = await acceptedEvent(delivery, sender.listener)
    await box.put(event)
    const put = async () => box.put(await acceptedEvent(await sender.deliver(), sender.listener))
    const states = async () => (await rows(table)).map(({ state }) => state)
    return { box, table, event, delivery, put, states, ...sender }
  }

  const effectsOf = async (id: string) =>
    (await on.pool.query('SELECT FROM effects WHERE event_id = $1', [id])).rowCount

  /** Writes an effect and marks the event as done in one transaction. */
  async function inTransaction(
    work: (tx: PoolClient) => Promise<unknown>,
    end: 'COMMIT' | 'ROLLBACK' = 'COMMIT',
  ) {
    const tx = await on.pool.connect()
    try {
      await tx.query('BEGIN')
      await work(tx)
      await tx.query(end)
    } catch (error) {
      await tx.query('ROLLBACK')
      throw error
    } finally {
      tx.release()
    }
  }

  it('a worker runs what is put in its process at once, and each event once', async () => {
    const { box, event, put, listener, delivery } = await scene()
    const ids: string[] = []
    startWorker(box, listener, ({ id }) => ids.push(id), { pollMs: 600_000 })
    await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
    for (let count = 0; count < 20; count += 1) await put()
    await expect.poll(() => box.counts()).toMatchObject({ done: 21, waiting: 0, running: 0 })
    expect(ids[0]).toBe(event.id)
    expect(new Set(ids).size).toBe(21)
    expect(await outcome(delivery, listener)).toBe('409 event_duplicate')
  })

  it('an event that is put while the worker looks for others is not overlooked', async () => {
    const looked = gate()
    const { opened, open } = gate()
    let isFirst = true
    const { box } = await fresh(
      {},
      {
        async query(text: string, values: string[]) {
          const result = await on.pool.query(text, values)
          if (isFirst && text.includes('job.attempts')) {
            isFirst = false
            looked.open()
            await opened
          }
          return result
        },
      },
    )
    const { listener, deliver } = boxListener(box)
    startWorker(box, listener, () => {}, { pollMs: 600_000 })
    await looked.opened
    await box.put(await acceptedEvent(await deliver(), listener))
    open()
    await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
  })

  it('workers and puts agree at the isolation level SERIALIZABLE, too', async () => {
    const strict = new pg.Pool({
      ...on.server.address,
      options: '-c default_transaction_isolation=serializable',
    })
    onTestFinished(() => strict.end())
    const { box } = await fresh({ leaseMs: 60_000 }, strict)
    const { listener, deliver } = boxListener(box)
    const ids: string[] = []
    const handler = ({ id }: { readonly id: string }) => ids.push(id)
    for (let count = 0; count < 3; count += 1) startWorker(box, listener, handler, { concurrency: 3 })
    const put = async () => box.put(await acceptedEvent(await deliver(), listener))
    for (let count = 0; count < 5; count += 1) await Promise.all(Array.from({ length: 6 }, put))
    await expect.poll(() => box.counts()).toMatchObject({ done: 30 })
    expect(ids).toHaveLength(30)
    expect(new Set(ids).size).toBe(30)
  })

  it('of eight workers on one table, one runs each of 200 events', async () => {
    const { box, table, put, listener } = await scene({ leaseMs: 60_000 })
    await Promise.all(Array.from({ length: 199 }, put))
    const ids: string[] = []
    const handler = async ({ id }: { readonly id: string }) => ids.push(id)
    for (let count = 0; count < 8; count += 1) {
      const another = inbox(on.pool, { table, leaseMs: 60_000 })
      startWorker(another, listener, handler, { concurrency: 3 })
    }
    await expect.poll(() => box.counts()).toMatchObject({ done: 200 })
    expect(ids).toHaveLength(200)
    expect(new Set(ids).size).toBe(200)
  })

  it('a worker leaves the events of other listeners, e.g. of an older deployment, waiting', async () => {
    const { box, listener } = await scene()
    const later = boxListener(box, { id: 'orders-2' })
    startWorker(box, later.listener, () => {})
    await box.put(await acceptedEvent(await later.deliver(), later.listener))
    await expect.poll(() => box.counts()).toMatchObject({ done: 1, waiting: 1 })
    startWorker(box, listener, () => {})
    await expect.poll(() => box.counts()).toMatchObject({ done: 2, waiting: 0 })
  })

  it('route() sends each event to the handler of its type, with the run behind it', async () => {
    const { box } = await fresh()
    const secret = 'a-secret-of-a-sender-32-characters'
    const hub = defineListener({ id: 'github', auth: github({ secrets: secret }), store: box.store })
    for (const eventType of ['push', 'issues']) {
      const request = await signAs(github, { secret, eventType, body: { action: eventType } })
      await box.put(await acceptedEvent(toDelivery(request), hub))
    }
    const seen: unknown[] = []
    const worker = box.work(
      hub,
      route(hub, {
        push: ({ type }, { attempt }) => seen.push(['push', type, attempt]),
        '*': ({ type }, { attempt }) => seen.push(['other', type, attempt]),
      }),
    )
    onTestFinished(() => worker.stop())
    await expect.poll(() => box.counts()).toMatchObject({ done: 2 })
    expect(seen.toSorted()).toEqual([
      ['other', 'issues', 1],
      ['push', 'push', 1],
    ])
  })

  it('a worker runs no more than `concurrency` at once', async () => {
    const { box, put, listener } = await scene()
    for (let count = 0; count < 11; count += 1) await put()
    let most = 0
    let running = 0
    startWorker(
      box,
      listener,
      async () => {
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setTimeout(resolve, 5))
        running -= 1
      },
      { concurrency: 3 },
    )
    await expect.poll(() => box.counts()).toMatchObject({ done: 12 })
    expect(most).toBe(3)
  })

  it('a take returns only as many long events as one answer brings in time', async () => {
    const { box, put, listener, table } = await scene({ leaseMs: 60_000 })
    for (let count = 0; count < 3; count += 1) await put()
    await on.pool.query(`UPDATE ${table} SET envelope = envelope || repeat(' ', 6000000)`)
    const taken: number[] = []
    const counting = async (text: string, values: string[]) => {
      const result = await on.pool.query(text, values)
      if (text.includes('taken AS')) taken.push(result.rows.length - 1) // the last one is their number
      return result
    }
    const { told } = startWorker(inbox({ query: counting }, { table }), listener, () => {})
    await expect.poll(() => box.counts()).toMatchObject({ done: 4 })
    expect(taken.filter((count) => count > 0)).toEqual([2, 2])
    expect(told).toEqual([])
  })

  describe('failures', () => {
    it('an event whose handler fails runs again, and is dead after its last attempt, told each time', async () => {
      const { box, listener, delivery, event, states } = await scene({ maxAttempts: 3 })
      const attempts: number[] = []
      const { told } = startWorker(box, listener, (_event, { attempt }) => {
        attempts.push(attempt)
        throw new Error('no')
      })
      await expect.poll(() => told.length).toBe(3)
      expect(attempts).toEqual([1, 2, 3])
      expect(told).toMatchObject([
        { error: { message: 'no' }, listenerId: 'orders', eventId: event.id, attempt: 1, state: 'failed' },
        { attempt: 2, state: 'failed' },
        { attempt: 3, state: 'dead' },
      ])
      expect(await states()).toEqual(['dead'])
      expect(await box.counts()).toEqual({ waiting: 0, running: 0, held: 0, dead: 1, done: 0 })
      expect(await outcome(delivery, listener)).toBe('409 event_duplicate')
    })

    it('again() lets dead events run again, with all their attempts: one, or all', async () => {
      const { box, listener, event, put } = await scene({ maxAttempts: 1 })
      await put()
      let fails = true
      const runs: string[] = []
      startWorker(box, listener, ({ id }, { attempt }) => {
        runs.push(`${attempt} of ${id === event.id ? 'the first' : 'another'}`)
        if (fails) throw new Error('no')
      })
      await expect.poll(() => box.counts()).toMatchObject({ dead: 2 })
      fails = false
      runs.length = 0
      expect(await box.again({ listener: 'orders', eventId: 'unknown' })).toEqual({ changed: 0, refused: 0 })
      expect(await box.again({ listener: 'orders', eventId: event.id })).toEqual({ changed: 1, refused: 0 })
      await expect.poll(() => box.counts()).toMatchObject({ dead: 1, done: 1 })
      expect(await box.again()).toEqual({ changed: 1, refused: 0 })
      await expect.poll(() => box.counts()).toMatchObject({ dead: 0, done: 2 })
      expect(runs).toEqual(['1 of the first', '1 of another'])
      expect(await box.again()).toEqual({ changed: 0, refused: 0 })
    })

    it.each([
      { random: 0, attempt: 1, seconds: 2.5 },
      { random: 1, attempt: 1, seconds: 5 },
      { random: 0, attempt: 3, seconds: 22.5 },
      { random: 1, attempt: 9, seconds: 3600 },
    ])(
      'the delay after attempt $attempt is $seconds s, with $random of the jitter',
      async ({ random, attempt, seconds }) => {
        const { box, table, listener } = await scene()
        await on.pool.query(`UPDATE ${table} SET attempts = ${attempt - 1}`)
        const worker = box.work(listener, () => Promise.reject(new Error('no')), {
          random: () => random,
          onError: null,
        })
        onTestFinished(() => worker.stop())
        const delay = async () => {
          const text = `SELECT extract(epoch FROM due_at - clock_timestamp())::float AS s FROM ${table} WHERE worker IS NULL AND attempts = ${attempt}`
          return (await on.pool.query(text)).rows[0]?.s
        }
        await expect.poll(delay).toBeGreaterThan(seconds - 2)
        expect(await delay()).toBeLessThanOrEqual(seconds)
      },
    )

    it('a handler may throw anything', async () => {
      const { box, listener, states } = await scene({ maxAttempts: 5 })
      const thrown: (() => unknown)[] = [
        () => {
          throw undefined
        },
        () => Promise.reject(null),
        () => ({
          // biome-ignore lint/suspicious/noThenProperty: a thenable that throws
          then() {
            throw new Proxy({}, { get: () => JSON.parse('no JSON') })
          },
        }),
        () => {
          const { proxy, revoke } = Proxy.revocable({}, {})
          revoke()
          throw proxy
        },
        () => Promise.reject(Object.assign(new Error('\0 é \ud800 '.repeat(500)), { name: Symbol('x') })),
      ]
      const { told } = startWorker(box, listener, (_event, { attempt }) => thrown[attempt - 1]?.())
      await expect.poll(() => told.length).toBe(5)
      expect(await states()).toEqual(['dead'])
    })

    it('an event that its listener cannot read any more is dead at once, told, and runs once it can', async () => {
      const { box, delivery } = await scene()
      const strict = boxListener(box, {
        payload: {
          '~standard': {
            version: 1,
            vendor: 'a test',
            validate: () => ({ issues: [{ message: 'no', path: ['b'] }] }),
          },
        },
      })
      const { told, stop } = startWorker(box, strict.listener, () => {
        throw new Error('must not run')
      })
      await expect
        .poll(() => told)
        .toMatchObject([{ error: { code: 'ERR_INBOX' }, state: 'dead', attempt: 1 }])
      await stop()
      const { listener } = boxListener(box)
      expect(await outcome(delivery, listener)).toBe('409 event_duplicate')
      expect(await box.again()).toEqual({ changed: 1, refused: 0 })
      startWorker(box, listener, () => {})
      await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
    })

    it('a schema that throws, e.g. because what it asks is away, is tried again', async () => {
      const { box, deliver } = await fresh().then(({ box }) => ({ box, ...boxListener(box) }))
      let failures = 0
      const { listener } = boxListener(box, {
        payload: {
          '~standard': {
            version: 1,
            vendor: 'a test',
            validate: async (value) => {
              failures -= 1
              if (failures >= 0) throw new Error('away')
              return { value: value as Json }
            },
          },
        },
      })
      await box.put(await acceptedEvent(await deliver(), listener))
      failures = 2
      const { told } = startWorker(box, listener, () => {})
      await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
      expect(told[0]).toMatchObject({
        state: 'failed',
        error: { option: 'payload', cause: { message: 'away' } },
      })
    })

    it('an event that kills each of its processes uses up its attempts, and ends as dead, told', async () => {
      const { box, table, listener } = await scene({ maxAttempts: 2 })
      const killed = inbox(
        {
          // Takes the job, and is never heard of again.
          async query(text: string, values: string[]) {
            const result = await on.pool.query(text, values)
            if (text.includes('taken')) throw new Error('killed')
            return result
          },
        },
        { table, maxAttempts: 2 },
      )
      for (const attempts of [1, 2]) {
        const worker = killed.work(listener, () => {}, { pollMs: 600_000, onError: null })
        await expect.poll(async () => (await rows(table))[0]).toMatchObject({ attempts, state: 'waiting' })
        await worker.stop()
        await age(table, 120_000)
      }
      const { told } = startWorker(box, listener, () => {
        throw new Error('must not run')
      })
      await expect
        .poll(() => told)
        .toMatchObject([{ error: { code: 'ERR_INBOX' }, state: 'dead', attempt: 2 }])
      expect(await box.counts()).toMatchObject({ dead: 1 })
    })
  })

  const hanging = () => new Promise<never>(() => {})
  /** Unlike `expect.poll`, it lets no time of a test pass. */
  async function until(isSo: () => boolean) {
    while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve)) // what is answered has its consequences
  }
  const lost = (why: string) => [{ state: 'lost', error: { message: expect.stringContaining(why) } }]

  /** A run, in a time that passes only as told. `renewal` is asked for each renewal, and may send it. */
  async function timedRun({
    renewal = (send) => send(),
    end = (send) => send(),
    begin = async () => {},
    leaseMs = 60_000,
    maxRunMs,
  }: {
    renewal?: (send: () => Promise<unknown>, count: number) => Promise<unknown>
    end?: (send: () => Promise<unknown>) => Promise<unknown>
    begin?: InboxHandler<Listener>
    leaseMs?: number
    maxRunMs?: number
  }) {
    const { table, listener } = await scene()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    let takenAt = 0
    let unanswered = 0
    let renewals = 0
    const query = (text: string, values: string[]) => {
      const send = () => {
        unanswered += 1
        return on.pool.query(text, values).finally(() => {
          unanswered -= 1
        })
      }
      if (text.includes('fate')) takenAt = performance.now()
      if (text.includes('ended AS (')) return end(send)
      if (!text.includes('beaten')) return send()
      renewals += 1
      return renewal(send, renewals)
    }
    const signals: AbortSignal[] = []
    const { opened, open } = gate()
    const handler: InboxHandler<Listener> = async (event, run) => {
      await begin(event, run)
      signals.push(event.signal)
      await opened
    }
    const timed = inbox({ query } as PostgresClient, { table, leaseMs })
    const { told } = startWorker(timed, listener, handler, { pollMs: 600_000, maxRunMs })
    onTestFinished(open)
    await until(() => signals.length === 1 && unanswered === 0)
    return {
      ...{ table, told, finish: open },
      isAborted: () => signals[0]?.aborted,
      /** Resolves when so many renewals were asked for, and those that were sent are answered. */
      beaten: (count: number) => until(() => renewals === count && unanswered === 0),
      /** Until so long after the lease began. */
      passTo: (milliseconds: number) =>
        vi.advanceTimersByTimeAsync(takenAt + milliseconds - performance.now()),
    }
  }

  describe('leases', () => {
    it('a handler may take longer than its lease: it runs once, by a heartbeat', async () => {
      const { box, table, listener } = await scene({ leaseMs: 1500 })
      let runs = 0
      const { opened, open } = gate()
      const handler = async () => {
        runs += 1
        await opened
      }
      const { told } = startWorker(box, listener, handler)
      startWorker(inbox(on.pool, { table, leaseMs: 1500 }), listener, handler)
      await expect.poll(() => runs).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, 3500)) // by the server's clock
      expect(await box.counts()).toMatchObject({ running: 1 })
      open()
      await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
      expect({ runs, told }).toEqual({ runs: 1, told: [] })
    })

    it('a run whose renewal hangs is told when its lease ends, and its signal is aborted then', async () => {
      const { told, isAborted, beaten, passTo } = await timedRun({ renewal: hanging })
      await passTo(30_000)
      await beaten(1)
      await passTo(59_999)
      expect([isAborted(), told]).toEqual([false, []])
      await passTo(60_000)
      expect([isAborted(), told]).toMatchObject([true, lost('the database did not renew it')])
    })

    it.each(['is answered', 'fails, and the next one hangs'])(
      'a renewal that is sent just before the lease ends has a moment to be answered: it %s',
      async (how) => {
        const [opened, answered] = [gate(), gate()]
        const isAnswered = how === 'is answered'
        const { told, isAborted, beaten, passTo } = await timedRun({
          leaseMs: 20_000,
          async renewal(send, count) {
            if (count === 6) return hanging()
            if (count === 5 && isAnswered) {
              await opened.opened
              return send().finally(answered.open)
            }
            if (count === 1 || count === 5) await new Promise((resolve) => setTimeout(resolve, 1500))
            throw new Error('the database is away')
          },
        })
        for (const [index, sentAt] of [10_000, 13_500, 15_500, 17_500, 19_500].entries()) {
          await passTo(sentAt)
          await beaten(index + 1)
        }
        await passTo(24_499)
        expect([isAborted(), told]).toEqual([false, []])
        if (isAnswered) {
          opened.open()
          await answered.opened
          await beaten(5)
        }
        await passTo(24_500)
        const end = isAnswered ? [false, []] : [true, lost('the database did not renew it')]
        expect([isAborted(), told]).toMatchObject(end)
      },
    )

    it.each(['renews them, late', 'tells why it has lost them, soon'])(
      'a process that is busy until its leases have ended %s',
      async (what) => {
        const isRenewed = what === 'renews them, late'
        const { told, isAborted, beaten, passTo } = await timedRun({
          renewal: (send) => (isRenewed ? send() : hanging()),
        })
        monotonicTime().pass(61)
        vi.advanceTimersByTime(60_000) // both timers in one turn
        await beaten(1)
        await passTo(61_000 + 64_999)
        expect([isAborted(), told]).toEqual([false, []])
        await passTo(61_000 + 65_000)
        expect([isAborted(), told]).toMatchObject(
          isRenewed ? [false, []] : [true, lost('this process was busy')],
        )
      },
    )

    it.each([32, 61])(
      'a renewal that was answered while the process was busy for %i s is read before its lease is given up',
      async (seconds) => {
        const { opened, open } = gate()
        const { told, isAborted, beaten, passTo } = await timedRun({
          renewal: (send, count) => send().finally(() => count > 1 || opened),
        })
        await passTo(30_000)
        await beaten(1)
        setImmediate(open) // sockets are read after the timers
        monotonicTime().pass(seconds - 30)
        vi.advanceTimersByTime(30_000)
        await until(() => true)
        vi.advanceTimersByTime(1) // the timers that are due by then, in one turn
        await until(() => true)
        expect([isAborted(), told]).toEqual([false, []])
        await beaten(3) // the first one was sent twice
        await passTo(120_000)
        expect([isAborted(), told]).toEqual([false, []])
      },
    )

    it.each([
      ['when its lease ends', 1, 60_000],
      ['soon after its lease', 5, 69_000],
    ])(
      'a run whose renewal hangs after others have found its row locked is told %s: after %i',
      async (_when, locked, endsAt) => {
        const { table, told, isAborted, beaten, passTo } = await timedRun({
          renewal: (send, count) => (count <= locked ? send() : hanging()),
        })
        const tx = await on.pool.connect()
        onTestFinished(() => tx.release())
        await tx.query('BEGIN')
        await tx.query(`SELECT FROM ${table} FOR UPDATE`)
        for (let count = 1; count <= locked; count += 1) {
          await passTo(24_000 + count * 6000)
          await beaten(count)
        }
        await tx.query('ROLLBACK')
        await passTo(endsAt - 1)
        expect([isAborted(), told]).toEqual([false, []])
        await passTo(endsAt)
        expect([isAborted(), told]).toMatchObject([true, lost('the database did not renew it')])
      },
    )

    it('a run that another worker has taken over is told, and its signal is aborted', async () => {
      const { box, table, listener } = await scene()
      const { opened, open } = gate()
      const aborted: unknown[] = []
      const { told } = startWorker(box, listener, async ({ signal }) => {
        signal.addEventListener('abort', () => aborted.push(signal.reason))
        await opened
      })
      await expect.poll(() => box.counts()).toMatchObject({ running: 1 })
      await on.pool.query(`UPDATE ${table} SET worker = 'another', due_at = due_at + interval '1 hour'`)
      await expect
        .poll(() => told)
        .toMatchObject([{ error: { code: 'ERR_INBOX' }, state: 'lost', attempt: 1 }])
      expect(aborted).toEqual([told[0]?.error])
      open()
      await expect.poll(() => box.counts()).toMatchObject({ done: 1 }) // a late success counts
    })

    it.each(['resolves', 'throws'])(
      'a heartbeat that its own end has overtaken tells nothing: the handler %s',
      async (how) => {
        const [asked, ended, answered] = [gate(), gate(), gate()]
        const query = async (text: string, values: readonly string[]) => {
          const isBeat = text.includes('beaten')
          const isEnd = text.includes('failed') || text.startsWith('UPDATE')
          if (isBeat) asked.open()
          if (isBeat) await ended.opened
          const result = await on.pool.query(text, [...values])
          if (isBeat) answered.open()
          if (isEnd) ended.open()
          if (isEnd) await answered.opened
          return result
        }
        const { box } = await fresh({ leaseMs: LEASE_MS, maxAttempts: 1 }, { query })
        const { listener, deliver } = boxListener(box)
        await box.put(await acceptedEvent(await deliver(), listener))
        const signals: AbortSignal[] = []
        const { told } = startWorker(box, listener, async ({ signal }) => {
          signals.push(signal)
          await asked.opened
          if (how === 'throws') throw new Error('no')
        })
        await expect
          .poll(async () => {
            const { done, dead } = await box.counts()
            return done + dead
          })
          .toBe(1)
        await expect.poll(() => told.map(({ state }) => state)).toEqual(how === 'throws' ? ['dead'] : [])
        expect(signals.map(({ aborted }) => aborted)).toEqual([false])
      },
    )

    it('a failure after another worker has taken over changes nothing', async () => {
      const { box, table, listener } = await scene()
      const { opened, open } = gate()
      const { told } = startWorker(box, listener, async () => {
        await opened
        throw new Error('late')
      })
      await expect.poll(() => box.counts()).toMatchObject({ running: 1 })
      await on.pool.query(`UPDATE ${table} SET worker = 'another', due_at = due_at + interval '1 hour'`)
      open()
      await expect.poll(() => told.at(-1)).toMatchObject({ error: { message: 'late' }, state: 'lost' })
      expect(await rows(table)).toMatchObject([{ worker: 'another', state: 'waiting', error: null }])
    })

    it('jobs that are handed out after their lease has ended start nothing and use up no attempt, and it is told', async () => {
      const time = monotonicTime()
      const { table, listener } = await scene()
      let isSlow = true
      const query = async (text: string, values: string[]) => {
        const result = await on.pool.query(text, values)
        if (isSlow && text.includes('job.attempts')) {
          isSlow = false
          time.pass(61) // by the server's clock, the lease goes on
        }
        return result
      }
      const attempts: number[] = []
      const slow = inbox({ query }, { table, leaseMs: 60_000 })
      const { told } = startWorker(slow, listener, (_event, { attempt }) => attempts.push(attempt))
      await expect.poll(() => slow.counts()).toMatchObject({ done: 1 })
      expect(attempts).toEqual([1])
      expect(told[0]).toMatchObject({
        error: {
          code: 'ERR_EVENT_STORE',
          message: expect.stringMatching(/Set leaseMs to more than the database/),
        },
      })
    })

    it('jobs that are handed out after the worker has given up start nothing, and use up no attempt', async () => {
      const { table, listener } = await scene()
      const [asked, answered] = [gate(), gate()]
      let givenBack: unknown
      const query = async (text: string, values: string[]) => {
        const result = await on.pool.query(text, values)
        if (text.includes('returned AS')) givenBack = await rows(table)
        if (text.includes('job.attempts')) {
          asked.open()
          await answered.opened
        }
        return result
      }
      const attempts: number[] = []
      const slow = inbox({ query }, { table, leaseMs: 60_000 })
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      onTestFinished(() => void vi.useRealTimers())
      const { told } = startWorker(slow, listener, (_event, { attempt }) => attempts.push(attempt))
      await asked.opened
      await vi.advanceTimersByTimeAsync(10_000)
      expect(told).toMatchObject([{ error: { message: 'the inbox got no answer within 10000 ms' } }])
      answered.open()
      await expect.poll(() => givenBack).toMatchObject([{ state: 'waiting', attempts: 0 }])
      await vi.advanceTimersByTimeAsync(30_000) // the worker tries again
      await expect.poll(() => slow.counts()).toMatchObject({ done: 1 })
      expect(attempts).toEqual([1])
    })

    it('a run that goes on after maxRunMs and finishes first is named to the second one, with how long that took', async () => {
      const { box, listener } = await scene()
      const [first, second] = [gate(), gate()]
      const attempts: number[] = []
      const { told } = startWorker(
        box,
        listener,
        async (_event, { attempt }) => {
          attempts.push(attempt)
          await (attempt === 1 ? first : second).opened
        },
        { maxRunMs: 5 * LEASE_MS },
      )
      await expect.poll(() => attempts).toEqual([1, 2])
      first.open()
      await expect.poll(() => told.length).toBe(2)
      expect(told).toMatchObject([
        { state: 'lost', attempt: 1, error: { message: expect.stringContaining('still runs after') } },
        { state: 'lost', attempt: 2, error: { message: 'another run of this event has finished first' } },
      ])
      for (const { durationMs } of told) expect(durationMs).toBeGreaterThan(1)
      expect(told[0]?.durationMs).toBeGreaterThanOrEqual(5 * LEASE_MS)
      second.open()
    })

    it('a handler that hangs loses its event after maxRunMs, and another run gets it', async () => {
      const { box, listener } = await scene()
      const attempts: number[] = []
      const { opened, open } = gate()
      const { told } = startWorker(
        box,
        listener,
        async (_event, { attempt }) => {
          attempts.push(attempt)
          if (attempt === 1) await opened
        },
        { maxRunMs: LEASE_MS },
      )
      await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
      expect(attempts).toEqual([1, 2])
      expect(told).toMatchObject([{ state: 'lost', attempt: 1 }])
      open()
    })

    it('a success that is still being recorded after maxRunMs counts', async () => {
      const back = gate()
      const { table, told, finish, beaten, passTo } = await timedRun({
        end: (send) => back.opened.then(send),
        maxRunMs: 29_000,
      })
      await passTo(28_000)
      finish()
      await passTo(30_000)
      back.open()
      await expect.poll(() => rows(table)).toMatchObject([{ state: 'done' }])
      await beaten(0)
      expect(told).toEqual([])
    })

    it('a success that cannot be recorded after maxRunMs is lost when its lease ends', async () => {
      let hasEnded = false
      const { told, finish, beaten, passTo } = await timedRun({
        async end() {
          hasEnded = true
          throw new Error('the database refuses it')
        },
        maxRunMs: 59_000,
      })
      await passTo(30_000)
      await beaten(1)
      await passTo(58_000)
      finish()
      await until(() => hasEnded)
      for (let at = 60_000; at < 90_000; at += 1000) await passTo(at)
      expect(told).toEqual([])
      for (let at = 90_000; told.length === 0; at += 1000) await passTo(at)
      expect(told).toMatchObject(lost('the database refuses it'))
      await beaten(1)
    })

    it('a handler that hangs keeps no other event waiting after maxRunMs', async () => {
      const { box, listener, event, deliver } = await scene()
      const { opened, open } = gate()
      const options = { maxRunMs: LEASE_MS, concurrency: 1 }
      const hangs: InboxHandler<Listener> = ({ id }) => (id === event.id ? opened : undefined)
      const { told } = startWorker(box, listener, hangs, options)
      await expect.poll(() => box.counts()).toMatchObject({ running: 1 })
      await box.put(await acceptedEvent(await deliver(), listener))
      await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
      expect(told[0]).toMatchObject({ state: 'lost', attempt: 1 })
      open()
    })
  })

  describe('done(tx)', () => {
    it('what the handler writes in the transaction takes effect with the end of the event', async () => {
      const { box, listener, event, states } = await scene()
      const { told } = startWorker(box, listener, ({ id }, { done }) =>
        inTransaction(async (tx) => {
          await tx.query('INSERT INTO effects VALUES ($1)', [id])
          await done(tx)
        }),
      )
      await expect.poll(states).toEqual(['done'])
      expect(await effectsOf(event.id)).toBe(1)
      expect(told).toEqual([])
    })

    it('a transaction that is rolled back leaves the event to the next attempt, told', async () => {
      const { box, listener, event, states } = await scene()
      const { told } = startWorker(box, listener, ({ id }, { attempt, done }) =>
        inTransaction(
          async (tx) => {
            await tx.query('INSERT INTO effects VALUES ($1)', [id])
            await done(tx)
          },
          attempt === 1 ? 'ROLLBACK' : 'COMMIT',
        ),
      )
      await expect.poll(states).toEqual(['done'])
      expect(await effectsOf(event.id)).toBe(1)
      expect(told).toMatchObject([{ error: { code: 'ERR_INBOX' }, state: 'failed', attempt: 1 }])
    })

    it('of two runs of one event, one commits: the other fails, even if its handler ignores that', async () => {
      const { box, table, listener, event } = await scene()
      const both = gate()
      let runs = 0
      const handler: InboxHandler<Listener> = async ({ id }, { done }) => {
        runs += 1
        if (runs === 2) both.open()
        await both.opened
        await inTransaction(async (tx) => {
          await tx.query('INSERT INTO effects VALUES ($1)', [id])
          await done(tx).catch(() => {})
        })
      }
      startWorker(box, listener, handler)
      await expect.poll(() => runs).toBe(1)
      await on.pool.query(`UPDATE ${table} SET due_at = due_at - interval '1 hour'`)
      startWorker(inbox(on.pool, { table, leaseMs: LEASE_MS }), listener, handler)
      await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
      await expect.poll(() => effectsOf(event.id)).toBe(1)
      expect(runs).toBe(2)
    })

    it('a client without a transaction is refused, so that nothing is marked before it is written', async () => {
      const { box, listener } = await scene({ maxAttempts: 3 })
      const errors: unknown[] = []
      const root = {
        query: async (text: string, values: string[]) => (await on.pool.query(text, values)).rows,
      }
      startWorker(box, listener, async (_event, { attempt, done }) => {
        const single = await on.pool.connect() // without BEGIN
        await done(attempt === 1 ? on.pool : attempt === 2 ? root : single)
          .catch((error) => {
            errors.push(error.message)
            throw error
          })
          .finally(() => single.release())
      })
      await expect.poll(() => box.counts()).toMatchObject({ dead: 1 })
      expect(errors).toEqual([
        expect.stringContaining('must be the client of one open transaction'),
        expect.stringContaining('takes the client of an open transaction'),
        expect.stringContaining('takes the client of an open transaction'),
      ])
    })

    it('in a savepoint the server refuses it, and a handler that ignores that runs again', async () => {
      const { box, listener, event } = await scene()
      const errors: unknown[] = []
      const { told } = startWorker(
        box,
        listener,
        ({ id }, { attempt, done }) =>
          inTransaction(async (tx) => {
            await tx.query('SAVEPOINT one')
            await tx.query('INSERT INTO effects VALUES ($1)', [id])
            if (attempt > 1) await tx.query('RELEASE one')
            await done(tx).catch(async (error) => {
              errors.push(error.message)
              await tx.query('ROLLBACK TO one')
            })
          }),
        { delayMs: () => 1 },
      )
      await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
      expect(await effectsOf(event.id)).toBe(1)
      expect(errors).toEqual([
        expect.stringMatching(/^tx: is in a savepoint.* await done\(tx\) in the outermost/),
      ])
      expect(told).toMatchObject([{ error: { code: 'ERR_INBOX' }, state: 'failed', attempt: 1 }])
    })

    it.each(['REPEATABLE READ', 'SERIALIZABLE'])(
      'under %s, a run that outlives a heartbeat writes nothing, and the error names READ COMMITTED',
      async (level) => {
        const { box, table, listener, event } = await scene()
        const dueAt = async () => (await on.pool.query(`SELECT due_at::text FROM ${table}`)).rows[0].due_at
        const { told } = startWorker(
          box,
          listener,
          ({ id }, { attempt, done }) =>
            inTransaction(async (tx) => {
              await tx.query(`SET TRANSACTION ISOLATION LEVEL ${attempt === 1 ? level : 'READ COMMITTED'}`)
              await tx.query('INSERT INTO effects VALUES ($1)', [id])
              const before = await dueAt()
              await expect.poll(dueAt).not.toBe(before)
              await done(tx)
            }),
          { delayMs: () => 1 },
        )
        await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
        expect(await effectsOf(event.id)).toBe(1)
        expect(told).toMatchObject([
          { error: { message: expect.stringContaining('use READ COMMITTED') }, state: 'failed', attempt: 1 },
        ])
      },
    )

    it('while its transaction is open after done(tx), longer than the lease, nobody else runs the event', async () => {
      const { box, table, listener, event } = await scene()
      const { opened, open } = gate()
      let runs = 0
      const handler: InboxHandler<Listener> = ({ id }, { done }) => {
        runs += 1
        return inTransaction(async (tx) => {
          await tx.query('INSERT INTO effects VALUES ($1)', [id])
          await done(tx)
          await opened
        })
      }
      const { told } = startWorker(box, listener, handler)
      startWorker(inbox(on.pool, { table, leaseMs: LEASE_MS }), listener, handler)
      await expect.poll(() => runs).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, 4 * LEASE_MS)) // by the server's clock
      const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${table}%'`
      expect((await on.pool.query(waiting)).rowCount).toBe(0) // the heartbeat keeps no connection
      open()
      await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
      expect(await effectsOf(event.id)).toBe(1)
      expect({ runs, told }).toEqual({ runs: 1, told: [] })
    })

    it('a run whose done(tx) was rolled back keeps its event while it goes on, and ends it in another transaction', async () => {
      const { box, table, listener, event } = await scene({ leaseMs: 3000 })
      let runs = 0
      let isRenewed = false
      const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
      const handler: InboxHandler<Listener> = async ({ id }, { done }) => {
        runs += 1
        await inTransaction(async (tx) => {
          await done(tx)
          await pause(1700) // the first heartbeat finds the row locked
        }, 'ROLLBACK')
        await pause(1000) // by the server's clock
        const left = `SELECT due_at - clock_timestamp() > interval '1 s' AS renewed FROM ${table}`
        isRenewed = (await on.pool.query(left)).rows[0]?.renewed
        await pause(2500)
        await inTransaction(async (tx) => {
          await tx.query('INSERT INTO effects VALUES ($1)', [id])
          await done(tx)
        })
      }
      const { told } = startWorker(box, listener, handler)
      startWorker(inbox(on.pool, { table, leaseMs: 3000 }), listener, handler)
      await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
      expect(await effectsOf(event.id)).toBe(1)
      expect({ runs, isRenewed, told }).toEqual({ runs: 1, isRenewed: true, told: [] })
    })

    it('a run that was taken over before its done(tx) was rolled back is told as lost, not as done', async () => {
      const { box, table, listener } = await scene({ leaseMs: 60_000 })
      const { opened, open } = gate()
      const { told } = startWorker(box, listener, async (_event, { attempt, done }) => {
        if (attempt > 1) return
        await inTransaction(done, 'ROLLBACK')
        await on.pool.query(`UPDATE ${table} SET worker = 'another'`)
        open()
      })
      await opened
      await expect
        .poll(() => told)
        .toMatchObject([{ error: { code: 'ERR_INBOX' }, state: 'lost', attempt: 1 }])
    })

    it('a run that goes on after its done(tx) was committed loses nothing, and is told after maxRunMs', async () => {
      const begin: InboxHandler<Listener> = (_event, { done }) => inTransaction(done)
      const { told, isAborted, beaten, passTo } = await timedRun({ begin, maxRunMs: 120_000 })
      await passTo(30_000)
      await beaten(1)
      await passTo(119_999)
      expect([isAborted(), told]).toEqual([false, []])
      await passTo(120_001)
      expect([isAborted(), told]).toMatchObject([true, lost('unless its done(tx) was committed')])
    })

    it('a run that goes on after its done(tx) was rolled back hears from its next renewal that it was taken over', async () => {
      const begin: InboxHandler<Listener> = (_event, { done }) => inTransaction(done, 'ROLLBACK')
      const { table, told, isAborted, beaten, passTo } = await timedRun({ begin })
      await on.pool.query(`UPDATE ${table} SET worker = 'another'`)
      await passTo(30_000)
      await beaten(1)
      expect([isAborted(), told]).toMatchObject([true, lost('another worker has taken over the event')])
    })

    it('a handler that hangs after done(tx) is told after maxRunMs', async () => {
      const { box, listener } = await scene()
      const { opened, open } = gate()
      const hangs: InboxHandler<Listener> = (_event, { done }) =>
        inTransaction(async (tx) => {
          await done(tx)
          await opened
        })
      const { told } = startWorker(box, listener, hangs, { maxRunMs: LEASE_MS })
      await expect.poll(() => told).toMatchObject([{ state: 'lost', attempt: 1 }])
      open()
      await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
    })

    it('a success counts although the event was declared dead meanwhile, and it does not run again', async () => {
      const { box, table, listener, event } = await scene()
      const { opened, open } = gate()
      startWorker(box, listener, ({ id }, { done }) =>
        inTransaction(async (tx) => {
          await opened
          await tx.query('INSERT INTO effects VALUES ($1)', [id])
          await done(tx)
        }),
      )
      await expect.poll(() => box.counts()).toMatchObject({ running: 1 })
      await on.pool.query(`UPDATE ${table} SET worker = NULL, state = 'dead'`)
      open()
      await expect.poll(() => box.counts()).toMatchObject({ dead: 0, done: 1 })
      expect(await effectsOf(event.id)).toBe(1)
    })

    it("done(tx) takes the executor of an ORM's transaction", async () => {
      const { box, listener, event, states } = await scene()
      startWorker(box, listener, ({ id }, { done }) =>
        inTransaction(async (tx) => {
          await tx.query('INSERT INTO effects VALUES ($1)', [id])
          await done({ query: async (text, values) => (await tx.query(text, values)).rows })
        }),
      )
      await expect.poll(states).toEqual(['done'])
      expect(await effectsOf(event.id)).toBe(1)
    })

    it('done(tx) takes a transaction of postgres.js', async () => {
      const { box, listener, event } = await scene()
      const sql = postgres(on.server.address)
      onTestFinished(() => sql.end())
      startWorker(box, listener, ({ id }, { done }) =>
        sql.begin(async (tx) => {
          await tx`INSERT INTO effects VALUES (${id})`
          await done(tx)
        }),
      )
      await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
      expect(await effectsOf(event.id)).toBe(1)
    })

    it('PGlite, with its one connection, keeps an inbox: put and done in its transactions', async () => {
      const db = new PGlite()
      const box = inbox(db, { leaseMs: 60_000 })
      await box.migrate()
      await db.query('CREATE TABLE effects (event_id text)')
      const { listener, deliver } = boxListener(box)
      const event = await acceptedEvent(await deliver(), listener)
      await db.transaction(async (tx) => {
        await tx.query('INSERT INTO effects VALUES ($1)', ['received'])
        await box.put(event, { tx })
      })
      expect(await event.commit()).toBe('committed')
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
      onTestFinished(() => void vi.useRealTimers())
      const [written, late] = [gate(), gate()]
      const handler: InboxHandler<Listener> = ({ id }, { done }) =>
        db.transaction(async (tx) => {
          await tx.query('INSERT INTO effects VALUES ($1)', [id])
          written.open()
          await late.opened // nothing can renew meanwhile
          await done(tx)
        })
      const { told, stop } = startWorker(box, listener, handler, { pollMs: 600_000 })
      onTestFinished(late.open)
      await written.opened
      await vi.advanceTimersByTimeAsync(45_000)
      late.open()
      await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
      await stop()
      const { rows: effects } = await db.query('SELECT event_id FROM effects')
      expect(effects).toEqual([{ event_id: 'received' }, { event_id: event.id }])
      expect(told).toEqual([])
      await db.close()
    })
  })

  describe('what is remembered', () => {
    const HOUR_MS = 3_600_000

    it.each([
      { retentionMs: undefined, hours: 168 },
      { retentionMs: HOUR_MS, hours: 168 },
      { retentionMs: 1000 * HOUR_MS, hours: 1000 },
    ])(
      'an event is remembered from its success on, for $hours hours if retentionMs is $retentionMs',
      async ({ retentionMs, hours }) => {
        const { box, table, listener, delivery } = await scene({ retentionMs })
        await age(table, 2000 * HOUR_MS) // as a job, it is remembered for as long as it takes
        expect(await outcome(delivery, listener)).toBe('409 event_duplicate')
        const { stop } = startWorker(box, listener, () => {})
        await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
        await stop()
        await age(table, hours * HOUR_MS - 60_000)
        expect(await outcome(delivery, listener)).toBe('409 event_duplicate')
        await age(table, 60_000)
        expect(await outcome(delivery, listener)).toBe('accepted')
      },
    )

    it('a worker deletes what need not be remembered, and nothing else', async () => {
      const { box, table, listener, put, deliver, states } = await scene({ maxAttempts: 1 })
      const failing = startWorker(box, listener, () => Promise.reject(new Error('no')))
      await expect.poll(() => box.counts()).toMatchObject({ dead: 1 })
      await failing.stop()
      await put() // done and over
      const { stop } = startWorker(box, listener, () => {})
      await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
      await stop()
      const other = boxListener(box, { id: 'nobody works on it' })
      await box.put(await acceptedEvent(await other.deliver(), other.listener)) // waiting
      await acceptedEvent(await deliver(), listener) // claimed, and its process died
      await age(table, 1000 * HOUR_MS)
      const fresh = boxListener(box, { id: 'another' })
      await acceptedEvent(await fresh.deliver(), fresh.listener) // claimed
      expect((await states()).toSorted()).toEqual(['claimed', 'claimed', 'dead', 'done', 'waiting'])
      startWorker(inbox(on.pool, { table }), listener, () => {}) // of another process, which has not swept
      await expect.poll(async () => (await states()).toSorted()).toEqual(['claimed', 'dead', 'waiting'])
    })
  })

  describe('stop()', () => {
    it('stop() waits for what runs, and takes nothing more', async () => {
      const { box, listener, put } = await scene({ leaseMs: 1500 })
      const { opened, open } = gate()
      const { stop } = startWorker(box, listener, () => opened, { concurrency: 1 })
      await put()
      await expect.poll(() => box.counts()).toMatchObject({ running: 1, waiting: 1 })
      const stopping = stop()
      await new Promise((resolve) => setTimeout(resolve, 2500)) // it keeps its lease meanwhile
      expect(await box.counts()).toMatchObject({ running: 1, waiting: 1 })
      open()
      await stopping
      expect(await box.counts()).toMatchObject({ running: 0, waiting: 1, done: 1 })
    })

    it('stop() gives up after drainMs: the handler hears of it, and another process runs the event', async () => {
      const { box, table, listener } = await scene()
      const { opened, open } = gate()
      let isAborted = false
      const { told, stop } = startWorker(
        box,
        listener,
        async ({ signal }) => {
          signal.onabort = () => {
            isAborted = true
          }
          await opened
        },
        { drainMs: 50 },
      )
      await expect.poll(() => box.counts()).toMatchObject({ running: 1 })
      await stop()
      expect({ isAborted, told }).toMatchObject({ isAborted: true, told: [{ state: 'lost' }] })
      startWorker(inbox(on.pool, { table, leaseMs: LEASE_MS }), listener, () => {})
      await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
      open()
    })

    it('a handler that heeds its signal gives the event back before stop() resolves', async () => {
      const { box, table, listener } = await scene()
      const { stop, told } = startWorker(
        box,
        listener,
        ({ signal }) =>
          new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
        { drainMs: 50 },
      )
      await expect.poll(() => box.counts()).toMatchObject({ running: 1 })
      await stop()
      expect(told).toMatchObject([{ state: 'lost' }, { state: 'failed' }])
      expect(await on.rows(table)).toMatchObject([{ state: 'waiting', attempts: 1 }])
    })

    describe('has the last word: what a slow database hands out', () => {
      /** A worker that is told to stop while its first take is in flight, and not to wait for it. */
      async function stopping() {
        const { table, listener } = await scene()
        const [asked, answered] = [gate(), gate()]
        const client = { isAway: false }
        const query = async (text: string, values: string[]) => {
          if (client.isAway) throw new Error('the pool has ended')
          const result = await on.pool.query(text, values)
          if (!text.includes('job.attempts')) return result
          asked.open()
          await answered.opened
          return result
        }
        let runs = 0
        const slow = inbox({ query }, { table, leaseMs: 60_000 })
        const { stop, told } = startWorker(slow, listener, () => (runs += 1), { drainMs: 1 })
        await asked.opened
        return { table, client, told, stop, answer: answered.open, runs: () => runs }
      }
      const givenBack = [{ state: 'waiting', attempts: 0, worker: null }]

      it('in the moment after drainMs is given back before stop() resolves', async () => {
        const { table, told, stop, answer, runs } = await stopping()
        vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
        onTestFinished(() => void vi.useRealTimers())
        const stopped = stop()
        await vi.advanceTimersByTimeAsync(1)
        answer()
        await stopped
        expect(await rows(table)).toMatchObject(givenBack)
        expect([runs(), told]).toEqual([0, []])
      })

      it('later is given back, too', async () => {
        const { table, told, stop, answer, runs } = await stopping()
        await stop()
        answer()
        await expect.poll(() => rows(table)).toMatchObject(givenBack)
        expect([runs(), told]).toEqual([0, []])
      })

      it('when nothing can be given back any more runs when its lease ends, told', async () => {
        const { client, told, stop, answer, runs } = await stopping()
        await stop()
        client.isAway = true
        answer()
        await expect.poll(() => told).toMatchObject([{ state: 'lost', attempt: 1 }])
        expect(runs()).toBe(0)
      })
    })

    it('stop() may be called twice, and while nothing runs', async () => {
      const { box, listener } = boxListenerOf(await fresh())
      const worker = box.work(listener, () => {}, { pollMs: 600_000 })
      await Promise.all([worker.stop(), worker.stop()])
      await worker.stop()
    })
  })

  it('a put and each run are published, without an ID of the event', async () => {
    const moments = recordChannel('inbox')
    const { box, table, listener, event } = await scene({ maxAttempts: 2 })
    startWorker(box, listener, () => Promise.reject(new Error('no')))
    await expect.poll(() => box.counts()).toMatchObject({ dead: 1 })
    await on.pool.query(`UPDATE ${table} SET put_at = put_at - interval '1 day'`)
    await box.again()
    await expect.poll(() => endsOf(moments).length).toBe(5)
    await expect(box.put({ ...event })).rejects.toThrow()
    expect(endsOf(moments)).toMatchObject([
      { listenerId: 'orders', verb: 'put', answer: 'put' },
      { verb: 'run', answer: 'failed', attempt: 1, waitedMs: expect.any(Number) },
      { verb: 'run', answer: 'dead', attempt: 2 },
      { answer: 'failed', attempt: 1 },
      { answer: 'dead', attempt: 2 },
      { verb: 'put', error: { name: 'InboxError' } },
    ])
    expect(endsOf(moments)[3]?.waitedMs).toBeLessThan(3_600_000) // since again()
    expect(JSON.stringify(moments)).not.toContain(event.id)
  })

  const boxListenerOf = ({ box }: { readonly box: Inbox }) => ({ box, ...boxListener(box) })
})

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('a worker whose database is away'), () => {
  it('a worker survives, tells once an outage, and records a success when the database is back', async () => {
    const server = await PostgresServer.start()
    onTestFinished(() => server.remove())
    const sql = postgres({ ...server.address, max: 10, onnotice: () => {} })
    onTestFinished(() => sql.end({ timeout: 1 }))
    const box = inbox(sql, { leaseMs: 20_000 })
    await box.migrate()
    const { listener, deliver } = boxListener(box)
    const { opened, open } = gate()
    let runs = 0
    const { told } = startWorker(box, listener, async () => {
      runs += 1
      await opened
    })
    await box.put(await acceptedEvent(await deliver(), listener))
    await expect.poll(() => runs).toBe(1)
    await server.halt()
    await expect.poll(() => told.length).toBe(1)
    open()
    await new Promise((resolve) => setTimeout(resolve, 500)) // it tries
    await server.resume()
    await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
    expect(told[0]).not.toHaveProperty('attempt')
    await box.put(await acceptedEvent(await deliver(), listener))
    await expect.poll(() => box.counts()).toMatchObject({ done: 2 })
    expect(runs).toBe(2)
    expect(told).toHaveLength(1)
  })
})
