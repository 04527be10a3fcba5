import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { inbox } from '../../src/inbox/index.ts'
import { statementsFor } from '../../src/inbox/statements.ts'
import type { ListenerOptions } from '../../src/index.ts'
import { keyText } from '../../src/stores/postgres/statements.ts'
import { acceptedEvent } from '../support/outcome.ts'
import { onPostgres, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { boxListener, inboxServer } from './support.ts'

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('an inbox whose events nobody asks for'), () => {
  const on = inboxServer()
  const { fresh, age } = on

  async function scene(options: Partial<ListenerOptions> = {}) {
    const { box, table } = await fresh()
    const told: unknown[] = []
    const sender = boxListener(box, { onError: (error, context) => told.push([error, context]), ...options })
    const put = async () => box.put(await acceptedEvent(await sender.deliver(), sender.listener))
    /** Puts in another process, which has not looked yet. */
    const putElsewhere = async () => {
      const other = inbox(on.pool, { table })
      const elsewhere = boxListener(other, {
        onError: (error, context) => told.push([error, context]),
        ...options,
      })
      await other.put(await acceptedEvent(await elsewhere.deliver(), elsewhere.listener))
    }
    return { box, table, told, put, putElsewhere, ...sender }
  }

  const NO_WORKER = {
    code: 'ERR_INBOX',
    message: expect.stringContaining(
      'no worker of the listener "orders" has asked for its events for a minute',
    ),
  }

  it('is told by the first put of a process, when an event has waited for a minute', async () => {
    const { table, told, put, putElsewhere } = await scene()
    await put()
    await put()
    await age(table, 61_000)
    await putElsewhere()
    await expect.poll(() => told).toEqual([[expect.objectContaining(NO_WORKER), expect.anything()]])
    await put()
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(told).toHaveLength(1)
  })

  it('is told although the only worker has another id', async () => {
    const { box, table, told, put, putElsewhere } = await scene()
    const other = boxListener(box, { id: 'orders-2' })
    const worker = box.work(other.listener, () => {}, { pollMs: 20 })
    onTestFinished(() => worker.stop())
    await put()
    await age(table, 61_000)
    await putElsewhere()
    await expect.poll(() => told).toMatchObject([[NO_WORKER, { listenerId: 'orders' }]])
  })

  it('is told on the console without onError, and not at all with null', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => warn.mockRestore())
    for (const onError of [null, undefined]) {
      const { table, put, putElsewhere } = await scene({ onError })
      await put()
      await age(table, 61_000)
      await putElsewhere()
      await new Promise((resolve) => setTimeout(resolve, 1500))
    }
    await expect.poll(() => warn.mock.calls).toEqual([[expect.stringContaining('call box.work()')]])
  })

  it('is told of after a minute also if nothing else is put', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { table, told, put } = await scene({ storeTimeoutSeconds: 600 })
    await put()
    await age(table, 61_000)
    await vi.advanceTimersByTimeAsync(61_000)
    // The second look waits for a second of the fake clock after the database's answer, which comes in real time.
    await expect
      .poll(async () => {
        await vi.advanceTimersByTimeAsync(1000)
        return told
      })
      .toHaveLength(1)
  })

  it('is no inbox whose worker is busy, late or quick', async () => {
    const { box, table, told, put } = await scene()
    const busy = new Set<() => void>()
    await put()
    await put()
    const worker = box.work(
      boxListener(box).listener,
      () => new Promise<void>((resolve) => busy.add(resolve)),
      {
        concurrency: 1,
      },
    )
    onTestFinished(async () => {
      for (const end of busy) end()
      await worker.stop()
    })
    await expect.poll(() => busy.size).toBe(1)
    await on.pool.query(`UPDATE ${table} SET due_at = due_at - interval '5 minutes' WHERE worker IS NULL`)
    const putter = inbox(on.pool, { table }) // in another process
    const sender = boxListener(putter, { onError: (error) => told.push(error) })
    await putter.put(await acceptedEvent(await sender.deliver(), sender.listener))
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(told).toEqual([])
  })

  it('is no inbox whose worker runs a job, though 600 others wait to run again before its lease ends', async () => {
    const { table, put, listener } = await scene()
    await put()
    await put()
    const [, running] = await on.rows(table)
    const asked = statementsFor(table).unasked
    const answer = async () =>
      String((await on.pool.query(asked, [await keyText(listener.id)])).rows[0]?.answer)
    await age(table, 61_000)
    expect(await answer()).not.toMatch(/:none$/)
    await on.pool.query(
      `UPDATE ${table} SET worker = 'w', due_at = now() + interval '1 hour' WHERE key = $1`,
      [running?.key],
    )
    await on.pool.query(`INSERT INTO ${table} (key, listener_id, owner, state, due_at)
      SELECT gen_random_uuid(), listener_id, owner, 'waiting', now() + interval '1 minute' FROM ${table}, generate_series(1, 600)
      WHERE worker = 'w'`)
    expect(await answer()).toMatch(/:none$/)
  })
})
