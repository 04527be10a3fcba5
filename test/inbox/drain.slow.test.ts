import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  type Drained,
  type DrainOptions,
  type Inbox,
  type InboxErrorContext,
  type InboxHandler,
  type InboxOptions,
  inbox,
} from '../../src/inbox/index.ts'
import type { Listener } from '../../src/index.ts'
import { SECRET } from '../support/hmac-listener.ts'
import { monotonicTime } from '../support/monotonic-time.ts'
import { acceptedEvent } from '../support/outcome.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { boxListener, inboxServer } from './support.ts'

const LEASE_MS = 300
const EMPTY: Drained = { done: 0, failed: 0, dead: 0, waiting: 0 }
const TAKE = 'is_spent'

interface Told extends Partial<InboxErrorContext> {
  readonly error: unknown
}

/** Drains, and keeps what its hook is told. */
function drained(
  box: Inbox,
  listener: Listener,
  handler: InboxHandler<Listener>,
  options: DrainOptions = {},
) {
  const told: Told[] = []
  const onError = (error: unknown, context: InboxErrorContext) => told.push({ error, ...context })
  const result = box.drain(listener, handler, { delayMs: () => 3_600_000, onError, ...options })
  return { told, result }
}

/** A handler that waits until it is let go. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

/** Timers that fire when the test says so: deadlines pass, and hearts beat, however busy the machine is. */
function timers(): { pass(milliseconds: number): Promise<unknown> } {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  return { pass: (milliseconds) => vi.advanceTimersByTimeAsync(milliseconds) }
}

/** Ends when its signal is aborted. */
const heeding = ({ signal }: { readonly signal: AbortSignal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('a drain of an inbox'), () => {
  const on = inboxServer()
  const { fresh, rows, age } = on

  /** An inbox with so many events that wait. */
  async function scene(events: number, options: InboxOptions = {}) {
    const { box, table } = await fresh(options)
    const sender = boxListener(box)
    const put = async () => box.put(await acceptedEvent(await sender.deliver(), sender.listener))
    for (let count = 0; count < events; count += 1) await put()
    return { box, table, put, ...sender }
  }

  /** Another process: the same table, through a client that may hold back the answers to `take`. */
  const through = (table: string, onTake: (result: unknown) => unknown, options: InboxOptions = {}) =>
    inbox(
      {
        async query(text: string, values: string[]) {
          const result = await on.pool.query(text, values)
          if (text.includes(TAKE)) await onTake(result)
          return result
        },
      },
      { table, ...options },
    )

  it('a drain runs what waits, each event once, and says what it did', async () => {
    const { box, listener } = await scene(5)
    const ids: string[] = []
    const { result, told } = drained(box, listener, ({ id }) => {
      ids.push(id)
      if (ids.length === 2) throw new Error('no')
    })
    expect(await result).toEqual({ done: 4, failed: 1, dead: 0, waiting: 1 })
    expect(new Set(ids).size).toBe(5)
    expect(told).toMatchObject([{ error: { message: 'no' }, state: 'failed', attempt: 1 }])
    expect(await box.counts()).toEqual({ waiting: 1, running: 0, held: 0, dead: 0, done: 4 })
  })

  it('a drain of an inbox in which nothing waits returns at once, and leaves other listeners alone', async () => {
    const { box } = await scene(1)
    const other = boxListener(box, { id: 'another' })
    const handler = vi.fn()
    expect(await box.drain(other.listener, handler)).toEqual(EMPTY)
    expect(handler).not.toHaveBeenCalled()
    expect(await box.counts()).toMatchObject({ waiting: 1 })
  })

  it('a drain counts dead events: out of attempts, out of processes, and those that nobody can read', async () => {
    const { box, table, listener, put } = await scene(1, { maxAttempts: 1 })
    expect(await drained(box, listener, () => Promise.reject(new Error('no'))).result).toEqual({
      ...EMPTY,
      dead: 1,
    })
    await put()
    await on.pool.query(`UPDATE ${table} SET attempts = 1, worker = 'gone' WHERE state = 'waiting'`)
    await put()
    await on.pool.query(`UPDATE ${table} SET envelope = '{}' WHERE state = 'waiting' AND attempts = 0`)
    const { result, told } = drained(box, listener, () => {})
    expect(await result).toEqual({ ...EMPTY, dead: 2 })
    expect(told.map(({ state }) => state)).toEqual(['dead', 'dead'])
  })

  it('what is put while a drain runs is run by it', async () => {
    const { box, listener, put } = await scene(1)
    let isFirst = true
    const { result } = drained(box, listener, async () => {
      if (!isFirst) return
      isFirst = false
      await put()
    })
    expect(await result).toEqual({ ...EMPTY, done: 2 })
  })

  it('a drain runs no more than `concurrency` at once', async () => {
    const { box, listener } = await scene(11)
    let most = 0
    let running = 0
    const handler = async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setTimeout(resolve, 5))
      running -= 1
    }
    expect(await drained(box, listener, handler, { concurrency: 3 }).result).toMatchObject({ done: 11 })
    expect(most).toBe(3)
  })

  it('any number of attempts and of handlers at once is one that Postgres takes', async () => {
    const { box, listener } = await scene(2, { maxAttempts: Number.MAX_SAFE_INTEGER })
    let runs = 0
    const handler = () => {
      runs += 1
      if (runs === 1) throw new Error('no')
    }
    const { result } = drained(box, listener, handler, { concurrency: Number.MAX_SAFE_INTEGER })
    expect(await result).toEqual({ ...EMPTY, done: 1, failed: 1, waiting: 1 })
  })

  it('drains at once share the events: one runs each of 200', async () => {
    const { table, listener } = await scene(200)
    const ids: string[] = []
    const results = await Promise.all(
      Array.from({ length: 8 }, () =>
        inbox(on.pool, { table }).drain(listener, async ({ id }) => void ids.push(id), { concurrency: 3 }),
      ),
    )
    expect(ids).toHaveLength(200)
    expect(new Set(ids).size).toBe(200)
    expect(results.reduce((sum, { done }) => sum + done, 0)).toBe(200)
  })

  it('what a handler writes in the transaction of done(tx) takes effect with the end of the event', async () => {
    const { box, listener } = await scene(1)
    const { result } = drained(box, listener, async ({ id }, { attempt, done }) => {
      const tx = await on.pool.connect()
      await tx.query('BEGIN')
      await tx.query('INSERT INTO effects VALUES ($1, $2)', [id, attempt])
      await done(tx)
      await tx.query('COMMIT')
      tx.release()
    })
    expect(await result).toEqual({ ...EMPTY, done: 1 })
  })

  it('a success whose answer is lost on its way is told as what it is', async () => {
    const { table, listener } = await scene(1)
    let lost = 0
    const query = async (text: string, values: string[]) => {
      const result = await on.pool.query(text, values)
      if (text.includes('ended AS') && lost++ === 0) throw new Error('the connection was reset')
      return result
    }
    const { result, told } = drained(inbox({ query }, { table }), listener, () => {})
    expect(await result).toEqual({ ...EMPTY, done: 1 })
    expect({ told, lost }).toEqual({ told: [], lost: 2 })
  })

  it.each([
    ['failed', {}],
    ['dead', { maxAttempts: 1 }],
  ] as const)(
    'a failure whose answer is lost on its way is told as what it is: %s',
    async (state, options) => {
      const { table, listener } = await scene(1)
      let lost = 0
      const query = async (text: string, values: string[]) => {
        const result = await on.pool.query(text, values)
        if (text.includes('ended AS') && lost++ === 0) throw new Error('the connection was reset')
        return result
      }
      const box = inbox({ query }, { table, ...options })
      const { result, told } = drained(box, listener, () => Promise.reject(new Error('no')))
      expect(await result).toMatchObject({ done: 0, [state]: 1 })
      expect(told).toMatchObject([{ state }])
      expect(lost).toBe(2)
    },
  )

  describe('its deadline', () => {
    it.each([
      ['longer than is left, so a drain leaves the next one waiting', 6, { done: 1, waiting: 1 }],
      ['not as long as is left, so a drain starts the next one', 4, { done: 2, waiting: 0 }],
    ])('a run took %s', async (_, seconds, expected) => {
      const time = monotonicTime()
      const { box, listener } = await scene(2)
      let isFirst = true
      const handler = () => {
        if (isFirst) time.pass(seconds)
        isFirst = false
      }
      const { result } = drained(box, listener, handler, { deadlineMs: 10_000, concurrency: 1 })
      expect(await result).toEqual({ ...EMPTY, ...expected })
    })

    it('what the database hands out when no time is left is given back, and has used up no attempt', async () => {
      const time = monotonicTime()
      const { box, table, listener } = await scene(2)
      const handler = vi.fn()
      const late = through(table, () => time.pass(9.5))
      expect(await drained(late, listener, handler, { deadlineMs: 10_000 }).result).toEqual({
        ...EMPTY,
        waiting: 2,
      })
      expect(handler).not.toHaveBeenCalled()
      expect(await rows(table)).toMatchObject([{ attempts: 0, worker: null }, { attempts: 0 }])
      expect(await drained(box, listener, handler).result).toEqual({ ...EMPTY, done: 2 })
    })

    it('a job that is suspected of killing its processes is still suspected once it was given back', async () => {
      const time = monotonicTime()
      const { box, table, listener } = await scene(1)
      await on.pool.query(`UPDATE ${table} SET attempts = 5, worker = 'of a process that has died'`)
      const late = through(table, () => time.pass(9.5))
      await drained(late, listener, () => {}, { deadlineMs: 10_000 }).result
      expect(await rows(table)).toMatchObject([{ attempts: 5, worker: '' }])
      expect(await drained(box, listener, () => {}).result).toEqual({ ...EMPTY, done: 1 })
    })

    it('what was taken ahead is given back before the drain returns, and has used up no attempt', async () => {
      const time = monotonicTime()
      const { table, listener } = await scene(60)
      const given: string[] = []
      let areAhead = false
      const slow = inbox(
        {
          async query(text: string, values: string[]) {
            const isGiveBack = text.includes('returned AS')
            if (isGiveBack) await new Promise((resolve) => setTimeout(resolve, 300)) // slow
            const result = await on.pool.query(text, values)
            const isMore = text.includes(TAKE) && result.rows.length > 6 // one more than jobs
            if (isMore) setImmediate(() => (areAhead = true)) // once they are taken
            if (isGiveBack) given.push(...(values[1]?.match(/"key"/g) ?? []))
            return result
          },
        },
        { table },
      )
      let [runs, lateRuns, isLate] = [0, 0, false]
      const handler = async () => {
        runs += 1
        if (isLate) lateRuns += 1
        await new Promise((resolve) => setImmediate(resolve))
        if (!areAhead) return
        time.pass(24)
        isLate = true
      }
      const { done, failed, dead, waiting } = await drained(slow, listener, handler, { concurrency: 5 })
        .result
      expect(given.length).toBeGreaterThan(0)
      expect(lateRuns).toBe(0)
      expect({ runs, failed, dead, waiting }).toEqual({ runs: done, failed: 0, dead: 0, waiting: 60 - done })
      const left = (await rows(table)).filter(({ state }) => state === 'waiting')
      expect(left.filter(({ attempts, worker }) => attempts !== 0 || worker !== null)).toEqual([])
    })

    it.each(['in the moment after its deadline', 'after a drain has returned'])(
      'what the database hands out %s is given back, too',
      async (when) => {
        const { box, table, listener } = await scene(1)
        const [asked, answered] = [gate(), gate()]
        const handler = vi.fn()
        const slow = through(table, () => {
          asked.open()
          return answered.opened
        })
        const time = timers()
        const { result } = drained(slow, listener, handler, { deadlineMs: 5000 })
        await asked.opened
        await time.pass(5000)
        const isLater = when === 'after a drain has returned'
        if (isLater) await time.pass(500)
        else answered.open()
        expect(await result).toEqual({ ...EMPTY, waiting: isLater ? 0 : 1 })
        expect(await box.counts()).toMatchObject({ running: isLater ? 1 : 0 })
        answered.open()
        await expect.poll(() => rows(table)).toMatchObject([{ attempts: 0, worker: null, state: 'waiting' }])
        expect(handler).not.toHaveBeenCalled()
      },
    )

    /** A drain whose only handler runs when its deadline passes. */
    async function atDeadline(handler: InboxHandler<Listener>) {
      const given = await scene(1)
      const started = gate()
      const time = timers()
      const { result, told } = drained(given.box, given.listener, (event, run) => {
        started.open()
        return handler(event, run)
      })
      await started.opened
      await time.pass(25_000)
      return { ...given, time, result, told }
    }

    it('a handler that heeds its signal gives the event back before the drain returns', async () => {
      const { result, told, table } = await atDeadline(heeding)
      expect(await result).toEqual({ ...EMPTY, failed: 1, waiting: 1 })
      const error = {
        code: 'ERR_INBOX',
        message: expect.stringMatching(/^the deadline of drain\(\) has passed/),
      }
      expect(told).toMatchObject([{ error, state: 'failed', attempt: 1 }])
      expect(await rows(table)).toMatchObject([{ state: 'waiting', worker: null, attempts: 1 }])
    })

    it('a handler that ends well in the moment after its signal has done the event', async () => {
      const { result } = await atDeadline((event) => heeding(event).catch(() => {}))
      expect(await result).toEqual({ ...EMPTY, done: 1 })
    })

    it('a drain returns without a handler that ignores its signal, and says so; the run keeps its event until it ends', async () => {
      const { opened, open } = gate()
      const { box, table, listener, result, told, time } = await atDeadline(() => opened)
      const query = vi.spyOn(on.pool, 'query')
      onTestFinished(() => query.mockRestore())
      await time.pass(500)
      expect(await result).toEqual(EMPTY)
      const message = expect.stringMatching(/still runs: end it when event\.signal is aborted/)
      expect(told).toMatchObject([{ error: { message }, state: 'running', attempt: 1 }])
      for (let beats = 0; beats < 3; beats += 1) {
        const [before] = await rows(table)
        await time.pass(30_000)
        const dueAt = async () => {
          await time.pass(1) // its timer may have been set only now
          return (await rows(table))[0]?.due_at
        }
        await expect.poll(dueAt).not.toEqual(before?.due_at)
        await Promise.all(query.mock.results.map(({ value }) => value)) // the row is seen before its answer
        await time.pass(1)
      }
      const another = vi.fn()
      expect(await drained(inbox(on.pool, { table }), listener, another).result).toEqual(EMPTY)
      expect(another).not.toHaveBeenCalled()
      open()
      await expect.poll(() => box.counts()).toMatchObject({ done: 1, running: 0 })
      expect(told).toHaveLength(1)
    })

    it('an event whose drain is killed runs again when its lease ends', async () => {
      const { table, listener } = await scene(1)
      const started = gate()
      timers() // as of a killed process: no heartbeat
      void drained(inbox(on.pool, { table, leaseMs: LEASE_MS }), listener, () => {
        started.open()
        return new Promise(() => {})
      })
      await started.opened
      vi.useRealTimers()
      const attempts: number[] = []
      const drain = () =>
        inbox(on.pool, { table }).drain(listener, (_, { attempt }) => attempts.push(attempt))
      await expect.poll(drain).toEqual({ ...EMPTY, done: 1 })
      expect(attempts).toEqual([2])
    })
  })

  describe('its database', () => {
    it('a drain rejects with what the database did, after what ran has ended and is recorded', async () => {
      const { box, table, listener, put } = await scene(1)
      let isAway = false
      const { opened, open } = gate()
      const asked = gate()
      const shaky = inbox(
        {
          async query(text: string, values: string[]) {
            if (!isAway || !text.includes(TAKE)) return on.pool.query(text, values)
            asked.open()
            throw new Error('connect ECONNREFUSED')
          },
        },
        { table },
      )
      const { result } = drained(shaky, listener, async () => {
        isAway = true
        await put() // it wakes only drains of its own inbox
        await opened
      })
      const settled = vi.fn()
      result.catch(settled)
      await expect.poll(() => isAway).toBe(true)
      const sender = boxListener(shaky)
      await shaky.put(await acceptedEvent(await sender.deliver(), sender.listener))
      await asked.opened
      expect(settled).not.toHaveBeenCalled()
      open()
      await expect(result).rejects.toThrow('connect ECONNREFUSED')
      expect(await box.counts()).toMatchObject({ done: 1, waiting: 2, running: 0 })
    })

    it('a drain whose database fails gives back what it took ahead, and starts none of it', async () => {
      const time = monotonicTime()
      const { box, table, listener } = await scene(30)
      let isAway = false
      const asked = gate()
      const query = async (text: string, values: string[]) => {
        if (!text.includes(TAKE)) return on.pool.query(text, values)
        if (isAway) asked.open()
        if (isAway) throw new Error('connect ECONNREFUSED')
        const result = await on.pool.query(text, values)
        time.pass(1) // so that the handlers are quick
        isAway = result.rows.length > 6 // one more than jobs, of which five start
        return result
      }
      const ends: (() => void)[] = []
      let runs = 0
      const handler = () => {
        runs += 1
        return isAway ? new Promise<void>((resolve) => ends.push(resolve)) : undefined
      }
      const options = { concurrency: 5, deadlineMs: 600_000 }
      const { result } = drained(inbox({ query }, { table }), listener, handler, options)
      result.catch(() => {})
      await expect.poll(() => ends.length).toBe(5)
      for (let ended = 1; ended <= 3; ended += 1) {
        ends[ended - 1]?.()
        await expect.poll(() => ends.length).toBe(5 + ended) // one that was ahead
      }
      await asked.opened
      const ahead = async () =>
        (await rows(table)).filter(({ worker }) => `${worker}`.startsWith('ahead ')).length
      await expect.poll(ahead).toBe(0)
      const before = runs
      for (const end of ends) end()
      await expect(result).rejects.toThrow('connect ECONNREFUSED')
      expect(runs).toBe(before)
      expect(await box.counts()).toMatchObject({ running: 0, done: runs, waiting: 30 - runs })
    })

    it('a drain of a table that is missing names migrate()', async () => {
      const box = inbox(on.pool, { table: 'not_made' })
      const { listener } = boxListener(box)
      await expect(box.drain(listener, () => {})).rejects.toThrow(/run `await box\.migrate\(\)` once/)
    })

    it('a drain rejects in time if the database hangs', async () => {
      const { table, listener } = await scene(1)
      const time = timers()
      let asked = 0
      const query = () => {
        asked += 1
        return new Promise(() => {})
      }
      const result = inbox({ query }, { table }).drain(listener, () => {}, { deadlineMs: 5000 })
      const rejected = expect(result).rejects.toThrow('the inbox got no answer within 1500 ms')
      await expect.poll(() => asked).toBe(1)
      await time.pass(5000)
      await expect.poll(() => asked).toBe(2)
      await time.pass(1500)
      await rejected
    })

    it('a client that changes what the server answers runs nothing', async () => {
      const { table, listener } = await scene(1)
      const query = async (text: string, values: string[]) => {
        const { rows } = await on.pool.query(text, values)
        return rows.map(({ answer }) => ({ answer: answer.toLowerCase() }))
      }
      const handler = vi.fn()
      await expect(inbox({ query }, { table }).drain(listener, handler)).rejects.toMatchObject({
        code: 'ERR_EVENT_STORE',
      })
      expect(handler).not.toHaveBeenCalled()
    })

    it('drains delete what need not be remembered, once a minute for each inbox of a process', async () => {
      const { box, table, listener, put } = await scene(1)
      await drained(box, listener, () => {}).result
      await put()
      const states = async () => (await rows(table)).map(({ state }) => state)
      await age(table, 3_600_000_000)
      await drained(box, listener, () => {}).result
      expect(await states()).toEqual(['done', 'done'])
      await drained(inbox(on.pool, { table }), listener, () => {}).result
      expect(await states()).toEqual(['done'])
    })
  })

  it('nobody is told of a listener whose events wait for the next drain', async () => {
    const onError = vi.fn()
    const { box, table } = await fresh()
    const { listener, deliver } = boxListener(box, { onError })
    const put = async () => box.put(await acceptedEvent(await deliver(), listener))
    await box.drain(listener, () => {})
    await put()
    await age(table, 120_000)
    await put() // finds one that has been due for two minutes
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(onError).not.toHaveBeenCalled()
  })

  it('a drain keeps no process alive after it has returned, though a handler still runs', async () => {
    const { table, listener, deliver, box } = await scene(0, { leaseMs: 1000 })
    await box.put(await acceptedEvent(await deliver(), listener))
    const program = `
      import { defineListener, hmac } from 'hookgate'
      import { inbox } from 'hookgate/inbox'
      import pg from 'pg'
      const { connection, table, secret } = JSON.parse(process.argv[1])
      const pool = new pg.Pool(connection)
      const box = inbox(pool, { table, leaseMs: 60_000 })
      const listener = defineListener({ id: 'orders', auth: hmac({ secrets: { id: 'main', secret } }), store: box.store })
      const result = await box.drain(listener, () => new Promise(() => {}), { deadlineMs: 3000, onError: (error, { state }) => console.log(state) })
      console.log(JSON.stringify(result))
      await pool.end()
    `
    const config = JSON.stringify({ connection: on.server.address, table, secret: SECRET })
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program, config], {
      cwd: fileURLToPath(new URL('../../', import.meta.url)),
      timeout: 25_000, // before its heartbeat
    })
    expect(await run).toEqual({ stdout: `running\n${JSON.stringify(EMPTY)}\n`, stderr: '' })
  })
})

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('a drain whose database goes away'), () => {
  it('a drain rejects, and the event that had begun runs again', async () => {
    const server = await PostgresServer.start()
    onTestFinished(() => server.remove())
    const { default: pg } = await import('pg')
    const pool = new pg.Pool(server.address)
    pool.on('error', () => {})
    onTestFinished(() => pool.end())
    const box = inbox(pool, { leaseMs: 1000 })
    await box.migrate()
    const { listener, deliver } = boxListener(box)
    await box.put(await acceptedEvent(await deliver(), listener))
    const { opened, open } = gate()
    let isRunning = false
    const { result } = drained(box, listener, () => {
      isRunning = true
      return opened
    })
    await expect.poll(() => isRunning).toBe(true)
    await server.halt()
    open()
    await expect(result).rejects.toThrow()
    await server.resume()
    await expect.poll(() => drained(box, listener, () => {}).result).toEqual({ ...EMPTY, done: 1 })
  })
})
