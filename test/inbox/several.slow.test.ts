import { describe, expect, it, onTestFinished } from 'vitest'
import { type InboxErrorContext, type InboxHandler, inbox, type WorkOptions } from '../../src/inbox/index.ts'
import type { Listener } from '../../src/index.ts'
import { monotonicTime } from '../support/monotonic-time.ts'
import { acceptedEvent } from '../support/outcome.ts'
import { onPostgres, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { boxListener, inboxServer } from './support.ts'

/** A handler that waits until it is let go. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

const isEnd = (text: string) => text.includes('ended AS')
const isRenewal = (text: string) => text.includes('beaten AS')

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('the statements of a worker, each for several jobs'), () => {
  const on = inboxServer()
  const { fresh, rows, age } = on

  /** An inbox with so many events that wait, in the order of their IDs, and a worker that ends with the test. */
  async function scene(events: number, leaseMs = 60_000) {
    const { box, table } = await fresh({ leaseMs })
    const { listener, deliver } = boxListener(box)
    const ids: string[] = []
    for (let count = 0; count < events; count += 1) {
      const event = await acceptedEvent(await deliver(), listener)
      ids.push(event.id)
      await box.put(event)
    }
    const sent: { readonly text: string; readonly keys: number }[] = []
    const told: (Partial<InboxErrorContext> & { readonly error: unknown })[] = []
    /** @param pass What the client does before it sends a statement. */
    function start(
      handler: InboxHandler<Listener>,
      options: WorkOptions = {},
      pass: (text: string, values: string[]) => unknown = () => {},
    ) {
      const query = async (text: string, values: string[]) => {
        await pass(text, values)
        sent.push({ text, keys: values[1]?.startsWith('[') ? JSON.parse(values[1]).length : 0 })
        return on.pool.query(text, values)
      }
      const worker = inbox({ query }, { table, leaseMs }).work(listener, handler, {
        ...{ pollMs: 20, delayMs: () => 1 },
        onError: (error, context) => told.push({ error, ...context }),
        ...options,
      })
      onTestFinished(() => worker.stop())
      return worker
    }
    return { box, table, listener, deliver, ids, sent, told, start }
  }

  it('of 50 jobs that have ended, one is held by an open transaction: 49 are done at once, by one statement', async () => {
    const { box, ids, sent, start, table } = await scene(50)
    const { opened, open } = gate()
    start(() => opened, { concurrency: 50 })
    await expect.poll(() => box.counts()).toMatchObject({ running: 50 })
    const tx = await on.pool.connect()
    onTestFinished(() => tx.release(true))
    await tx.query('BEGIN')
    await tx.query(`SELECT FROM ${table} WHERE id = $1 FOR UPDATE`, [ids[20]])
    open()
    await expect.poll(() => box.counts()).toMatchObject({ done: 49, running: 1 })
    expect(
      sent.filter(({ text }) => isEnd(text) && text.includes('SKIP LOCKED')).map(({ keys }) => keys),
    ).toEqual([50])
    await expect
      .poll(() => sent.some(({ text }) => isEnd(text) && !text.includes('SKIP LOCKED'))) // what it skipped goes alone
      .toBe(true)
    await tx.query('ROLLBACK')
    await expect.poll(() => box.counts()).toMatchObject({ done: 50, running: 0 })
  })

  it('jobs that succeed and jobs that fail end by one statement, each as it has ended', async () => {
    const { box, ids, sent, start, table, told } = await scene(20)
    const { opened, open } = gate()
    start(
      async ({ id }) => {
        await opened
        if (ids.indexOf(id) % 2 === 1) throw new Error(`no ${ids.indexOf(id)}`)
      },
      { concurrency: 20, delayMs: () => 3_600_000 },
    )
    await expect.poll(() => box.counts()).toMatchObject({ running: 20 })
    open()
    await expect.poll(() => box.counts()).toMatchObject({ done: 10, waiting: 10, running: 0 })
    expect(sent.filter(({ text }) => isEnd(text)).map(({ keys }) => keys)).toEqual([20])
    for (const row of await rows(table)) {
      const at = ids.indexOf(`${row.id}`)
      expect(row).toMatchObject(
        at % 2 === 1
          ? { state: 'waiting', attempts: 1, error: `Error: no ${at}` }
          : { state: 'done', attempts: 1, error: null, envelope: null },
      )
    }
    expect(told).toHaveLength(10)
  })

  it.each([
    ['while the lease goes on', 0],
    ['though a busy process has let it end', 61],
  ])(
    'a statement for several that fails is no one’s end: each then goes alone, %s',
    async (_when, seconds) => {
      const time = monotonicTime()
      const { box, start, told } = await scene(10)
      const { opened, open } = gate()
      start(
        () => opened,
        {},
        (text) => {
          if (isEnd(text) && text.includes('SKIP LOCKED')) throw new Error('refused')
        },
      )
      await expect.poll(() => box.counts()).toMatchObject({ running: 10 })
      time.pass(seconds)
      open()
      await expect.poll(() => box.counts()).toMatchObject({ done: 10 })
      expect(told).toEqual([])
    },
  )

  it('a delay that is no number is told, and holds up no other job', async () => {
    const { box, ids, start, told } = await scene(2)
    const handler = ({ id }: { readonly id: string }) =>
      id === ids[0] ? Promise.reject(new Error('no')) : undefined
    start(handler, { delayMs: () => Number.NaN })
    await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
    await expect.poll(() => told).toMatchObject([{ error: { option: 'delayMs' }, state: 'lost' }])
  })

  it('ten runs renew their leases by one statement', async () => {
    const { box, sent, start } = await scene(10, 1500)
    const { opened, open } = gate()
    start(() => opened)
    await expect.poll(() => sent.filter(({ text }) => isRenewal(text)).length).toBeGreaterThanOrEqual(3)
    open()
    await expect.poll(() => box.counts()).toMatchObject({ done: 10 })
    const renewals = sent.filter(({ text }) => isRenewal(text)).map(({ keys }) => keys)
    expect(renewals.slice(0, 3)).toEqual([10, 10, 10])
  })

  it('a renewal that hangs is sent again while the leases go on', async () => {
    const { box, sent, start, told } = await scene(5, 4000)
    const { opened, open } = gate()
    let hung = 0
    start(
      () => opened,
      {},
      (text) => {
        if (!isRenewal(text) || hung > 0) return
        hung += 1
        return new Promise(() => {})
      },
    )
    await expect.poll(() => sent.filter(({ text }) => isRenewal(text)).map(({ keys }) => keys)).toContain(5)
    open()
    await expect.poll(() => box.counts()).toMatchObject({ done: 5 })
    expect([hung, told]).toEqual([1, []])
  })

  it('a handler does not start under a lease that has ended while another one kept the process busy: it starts later, as the same attempt', async () => {
    const time = monotonicTime()
    const { box, start, told } = await scene(2)
    const attempts: number[] = []
    start((_event, { attempt }) => {
      if (attempts.length === 0) time.pass(61) // by the server's clock, the leases go on
      attempts.push(attempt)
    })
    await expect.poll(() => box.counts()).toMatchObject({ done: 2 })
    expect(attempts).toEqual([1, 1])
    expect(told).toMatchObject([
      { error: { message: expect.stringContaining('before its handler began') }, state: 'lost' },
    ])
  })

  describe('ahead', () => {
    /** Ends all that the worker asks for, as if its process had died. */
    function process() {
      let isDead = false
      const died = gate()
      return {
        died: died.opened,
        get isDead() {
          return isDead
        },
        kill() {
          isDead = true
          died.open()
          return new Promise<never>(() => {})
        },
        pass: () => (isDead ? new Promise(() => {}) : undefined),
      }
    }

    it('what is taken ahead of slow handlers is nothing: it is left to other workers', async () => {
      const { box, start } = await scene(25)
      const { opened, open } = gate()
      start(() => opened)
      await expect.poll(() => box.counts()).toMatchObject({ running: 10 })
      start(() => opened)
      await expect.poll(() => box.counts()).toMatchObject({ running: 20, waiting: 5 })
      open()
      await expect.poll(() => box.counts()).toMatchObject({ done: 25 })
    })

    it('what was taken ahead when the process died has used up no attempt, and no job is lost', async () => {
      const { box, ids, start, table } = await scene(100)
      const killed = process()
      const poison = ids[55]
      const worker = start(
        ({ id }) => (id === poison ? killed.kill() : killed.isDead ? new Promise(() => {}) : undefined),
        { drainMs: 1, onError: null },
        killed.pass,
      )
      await killed.died
      await worker.stop()
      const ahead = (await rows(table)).filter(({ worker }) => `${worker}`.startsWith('ahead '))
      expect(ahead.length).toBeGreaterThan(0)
      expect(ahead.every(({ attempts }) => attempts === 0)).toBe(true)
      await age(table, 120_000)
      const attempts = new Map<string, number>()
      start(({ id }, { attempt }) => attempts.set(id, attempt))
      await expect.poll(() => box.counts()).toMatchObject({ done: 100 })
      expect(attempts.get(`${poison}`)).toBe(2)
      expect(ahead.map(({ id }) => attempts.get(`${id}`))).toEqual(ahead.map(() => 1))
      for (const { attempts } of await rows(table)) expect(attempts).toBeGreaterThan(0)
    })

    it('what is taken ahead is given back at once by stop(), though handlers go on', async () => {
      const { box, start, table } = await scene(60)
      const { opened, open } = gate()
      let runs = 0
      const worker = start(() => {
        runs += 1
        return runs > 31 ? opened : undefined
      })
      await expect
        .poll(async () => (await rows(table)).filter(({ worker }) => `${worker}`.startsWith('ahead ')).length)
        .toBeGreaterThan(0)
      await expect.poll(() => box.counts()).toMatchObject({ done: 31 })
      const stopping = worker.stop()
      await expect.poll(() => box.counts()).toMatchObject({ done: 31, running: 10, waiting: 19 })
      expect(
        (await rows(table)).filter(({ state, attempts }) => state === 'waiting' && attempts === 0),
      ).toHaveLength(19)
      open()
      await stopping
      expect(await box.counts()).toMatchObject({ done: 41, waiting: 19 })
    })

    it('what a take hands out ahead while the worker stops is given back, too', async () => {
      const { box, start, sent, table } = await scene(40)
      const [asked, answered, handlers] = [gate(), gate(), gate()]
      let isStopping = false
      const worker = start(
        () => (isStopping ? handlers.opened : undefined),
        {},
        (text, [, , , most, , starts]) => {
          if (!text.includes('is_spent') || Number(most) <= Number(starts)) return undefined
          asked.open() // by a take that may hand out more than start at once
          return answered.opened
        },
      )
      await asked.opened
      const stopping = worker.stop()
      isStopping = true
      answered.open()
      const isGivenBack = () => sent.some(({ text, keys }) => text.includes('returned AS') && keys > 0)
      await expect.poll(isGivenBack).toBe(true)
      const ahead = async () => (await rows(table)).filter(({ worker }) => `${worker}`.startsWith('ahead '))
      await expect.poll(ahead).toEqual([])
      handlers.open()
      await stopping
      expect(await box.counts()).toMatchObject({ running: 0 })
    })

    it('what waits ahead keeps its lease', async () => {
      const { box, start, table, told } = await scene(40, 1500)
      const { opened, open } = gate()
      let runs = 0
      start(() => {
        runs += 1
        return runs > 20 ? opened : undefined
      })
      await expect.poll(() => runs).toBe(30)
      const count = async (condition: string) =>
        (await on.pool.query(`SELECT FROM ${table} WHERE state = 'waiting' AND ${condition}`)).rowCount
      const live = () => count(`worker LIKE 'ahead %' AND due_at > clock_timestamp()`)
      await expect.poll(() => count(`worker NOT LIKE 'ahead %'`)).toBe(10) // each start was counted
      const held = await live()
      expect(held).toBeGreaterThan(0)
      await new Promise((resolve) => setTimeout(resolve, 3500)) // by the server's clock
      expect(await live()).toBe(held)
      open()
      await expect.poll(() => box.counts()).toMatchObject({ done: 40 })
      expect([runs, told]).toEqual([40, []])
    })

    it('one job that kills its process beside 500 others is dead after its attempts, and none of the others', {
      timeout: 300_000,
    }, async () => {
      const { box, ids, start, table } = await scene(501)
      const poison = ids[250]
      let crashes = 0
      for (let left = 1; left > 0; ) {
        const one = process()
        const worker = start(
          async ({ id }) => {
            if (id === poison) return one.kill()
            await new Promise((resolve) => setTimeout(resolve, 5))
            if (one.isDead) await new Promise(() => {})
          },
          { drainMs: 1, onError: null },
          one.pass,
        )
        const isOver = async () => {
          const { waiting, running } = await box.counts()
          return one.isDead || waiting + running === 0
        }
        await expect.poll(isOver).toBe(true)
        await worker.stop()
        if (one.isDead) crashes += 1
        await age(table, 120_000)
        const { waiting, running } = await box.counts()
        left = waiting + running
      }
      expect(await box.counts()).toMatchObject({ done: 500, dead: 1, waiting: 0, running: 0 })
      expect(crashes).toBeGreaterThanOrEqual(10)
      expect(crashes).toBeLessThanOrEqual(11)
      const most = `SELECT max(attempts)::int AS most FROM ${table} WHERE state = 'done'`
      expect((await on.pool.query(most)).rows[0]?.most).toBeLessThan(10)
    })
  })
})
