import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { inbox } from '../../src/inbox/index.ts'
import { type Statements, statementsFor } from '../../src/inbox/statements.ts'
import { monotonicTime } from '../support/monotonic-time.ts'
import { acceptedEvent } from '../support/outcome.ts'
import { onPostgres, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { boxListener, inboxServer } from './support.ts'

const NEVER_MS = 600_000
const NOTED: readonly string[] = ['putOne', 'takePut', 'take', 'takeInOrder', 'end']

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('a worker that a put in its process wakes'), () => {
  const on = inboxServer()
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
  /** `expect.poll` would let the time of a test pass. */
  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await nextTurn()
  }

  /**
   * An idle worker, whose handlers end or hang, and another process on its table. Notes what the worker's process asks, when it is answered.
   *
   * @param between Called before a statement is sent, and before its answer is handed over.
   */
  async function scene({
    pollMs = NEVER_MS,
    handler = async () => {},
    between = {},
  }: {
    pollMs?: number
    handler?: () => Promise<unknown>
    between?: { sending?(name: string): unknown; answering?(name: string): unknown }
  } = {}) {
    const asked: string[] = []
    let statements: Partial<Statements> = {}
    const client = {
      async query(text: string, values: string[]) {
        const [name = ''] = Object.entries(statements).find((entry) => entry[1] === text) ?? []
        await between.sending?.(name)
        const result = await on.pool.query(text, values)
        if (NOTED.includes(name)) asked.push(name)
        await between.answering?.(name)
        return result
      },
    }
    const { box, table } = await on.fresh({}, client)
    statements = statementsFor(table)
    const here = boxListener(box)
    const others = inbox(on.pool, { table })
    const elsewhere = boxListener(others)
    const started: string[] = []
    const worker = box.work(
      here.listener,
      ({ id }) => {
        started.push(id)
        return handler()
      },
      { pollMs, drainMs: 1, onError: null },
    )
    onTestFinished(() => {
      vi.useRealTimers()
      return worker.stop()
    })
    await until(() => asked.includes('take'))
    await nextTurn()
    return {
      ...{ asked, started, table },
      async putHere() {
        const event = await acceptedEvent(await here.deliver(), here.listener)
        await box.put(event)
        return event.id
      },
      async putElsewhere() {
        const event = await acceptedEvent(await elsewhere.deliver(), elsewhere.listener)
        await others.put(event)
        return event.id
      },
    }
  }

  it('takes that job by its key, and looks for others when it has ended', async () => {
    const { asked, started, putHere, putElsewhere } = await scene()
    const there = await putElsewhere()
    const here = await putHere()
    await expect.poll(() => started).toEqual([here, there])
    await expect.poll(() => asked.slice(0, 5)).toEqual(['take', 'putOne', 'takePut', 'end', 'take'])
  })

  it('looks for others in time while that job runs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { started, putHere, putElsewhere } = await scene({
      pollMs: 1000,
      handler: () => new Promise(() => {}),
    })
    await vi.advanceTimersByTimeAsync(600)
    const there = await putElsewhere()
    const here = await putHere()
    await until(() => started.length === 1)
    await nextTurn()
    await vi.advanceTimersByTimeAsync(400)
    await until(() => started.length === 2)
    expect(started).toEqual([here, there])
  })

  it('sets no timer for a time that has passed, which Node warns of', async () => {
    const time = monotonicTime()
    const timers = vi.spyOn(globalThis, 'setTimeout')
    onTestFinished(() => timers.mockRestore())
    const { started, putHere } = await scene({
      pollMs: 1000,
      handler: () => new Promise(() => {}),
      between: { answering: (name) => name === 'takePut' && time.pass(40) },
    })
    await putHere()
    await until(() => started.length === 1)
    await nextTurn()
    expect(Math.min(...timers.mock.calls.map(([, delayMs = 0]) => delayMs))).toBe(0)
  })

  it('starts both of two jobs that are put at once, though neither ends', async () => {
    let isOpen = () => {}
    const answered = new Promise<void>((resolve) => {
      isOpen = resolve
    })
    let puts = 0
    const { started, putHere } = await scene({
      handler: () => new Promise(() => {}),
      between: {
        answering(name) {
          if (name !== 'putOne') return undefined
          puts += 1
          if (puts === 2) isOpen()
          return answered
        },
      },
    })
    const ids = await Promise.all([putHere(), putHere()])
    await expect.poll(() => started.toSorted()).toEqual(ids.toSorted())
  })

  it('starts a job that is put while another one runs', async () => {
    const { asked, started, putHere } = await scene({ handler: () => new Promise(() => {}) })
    const ids = [await putHere()]
    await expect.poll(() => started).toEqual(ids)
    ids.push(await putHere())
    await expect.poll(() => started).toEqual(ids)
    expect(asked).toEqual(['take', 'putOne', 'takePut', 'putOne', 'take'])
  })

  it('starts a job that is put after the take of an earlier one has failed', async () => {
    let hasFailed = false
    const { started, putHere } = await scene({
      handler: () => new Promise(() => {}),
      between: {
        sending(name) {
          if (name !== 'takePut' || hasFailed) return
          hasFailed = true
          throw new Error('the connection was reset')
        },
      },
    })
    const ids = [await putHere()]
    await until(() => hasFailed)
    await nextTurn()
    ids.push(await putHere())
    await expect.poll(() => started.toSorted()).toEqual(ids.toSorted())
  })

  it('looks for others at once if another worker was faster, and leaves it that job', async () => {
    const found: string[] = []
    const { asked, started, table, putHere, putElsewhere } = await scene({
      between: {
        async sending(name) {
          if (name !== 'takePut') return
          await on.pool.query(
            `UPDATE ${table} SET worker = 'another', attempts = 1, due_at = now() + interval '1 minute'`,
          )
          found.push(await putElsewhere())
        },
      },
    })
    await putHere()
    await expect.poll(() => started).toHaveLength(1)
    expect(started).toEqual(found)
    expect(asked.slice(0, 4)).toEqual(['take', 'putOne', 'takePut', 'take'])
  })
})
