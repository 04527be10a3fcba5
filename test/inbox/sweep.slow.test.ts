import { describe, expect, it, onTestFinished } from 'vitest'
import { type InboxErrorContext, inbox } from '../../src/inbox/index.ts'
import { statementsFor } from '../../src/inbox/statements.ts'
import { acceptedEvent } from '../support/outcome.ts'
import { onPostgres, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { boxListener, inboxServer } from './support.ts'

const isSweep = (text: string) => text.includes('swept AS')

/** The answer of a statement, as Postgres writes it. */
const answered = (answer: string) => [{ answer: `a1:${answer.length}:${answer}` }]

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('the sweeps of a worker'), () => {
  const on = inboxServer()
  const { fresh } = on

  /** A worker whose sweeps are answered so, with one event that waits. */
  async function scene(sweep: (count: number) => unknown) {
    const { table } = await fresh()
    let sweeps = 0
    const query = async (text: string, values: string[]) => {
      if (!isSweep(text)) return (await on.pool.query(text, values)).rows
      sweeps += 1
      return sweep(sweeps)
    }
    const box = inbox({ query }, { table })
    const { listener, deliver } = boxListener(box)
    const told: InboxErrorContext[] = []
    const put = async () => box.put(await acceptedEvent(await deliver(), listener))
    const start = () => {
      const worker = box.work(listener, () => {}, {
        pollMs: 20,
        onError: (_error, context) => told.push(context),
      })
      onTestFinished(() => worker.stop())
      return worker
    }
    return { box, told, put, start, count: () => sweeps }
  }

  it('go on while one was full, and end with the first that was not', async () => {
    const { box, count, put, start } = await scene((sweeps) => answered(sweeps < 7 ? '10000' : '9999'))
    start()
    await expect.poll(count).toBe(7)
    for (let events = 1; events <= 5; events += 1) {
      await put()
      await expect.poll(() => box.counts()).toMatchObject({ done: events })
    }
    expect(count()).toBe(7)
  })

  it.each([
    ['hangs', () => new Promise(() => {}), 0],
    ['fails', () => Promise.reject(new Error('permission denied')), 1],
  ])('delay no job: one that %s', async (_, sweep, tells) => {
    const { box, count, put, start, told } = await scene(sweep)
    start()
    await expect.poll(count).toBe(1)
    for (let events = 1; events <= 5; events += 1) {
      await put()
      await expect.poll(() => box.counts()).toMatchObject({ done: events })
    }
    expect([count(), told.length]).toEqual([1, tells])
  })

  it('end with the worker, although more is left', async () => {
    const { count, start } = await scene(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      return answered('10000')
    })
    const worker = start()
    await expect.poll(count).toBeGreaterThan(3)
    await worker.stop()
    const before = count()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(count()).toBe(before)
  })

  it('do not read the whole table for each event, however small it was when the connection first deleted', async () => {
    const { table } = await fresh()
    const client = await on.pool.connect()
    onTestFinished(() => client.release(true))
    const { store } = inbox({ query: (text, values) => client.query(text, values) }, { table })
    const claim = async () => {
      const key = { listenerId: 'orders', eventId: crypto.randomUUID() }
      await store.claim(key, 'a', 600_000)
      return key
    }
    for (let rows = 0; rows < 5; rows += 1) await claim()
    await client.query(`VACUUM ANALYZE ${table}`)
    for (let times = 0; times < 12; times += 1) await store.release(await claim(), 'a') // then, a plan is kept
    await client.query(`INSERT INTO ${table} (key, listener_id, owner, state, due_at)
      SELECT gen_random_uuid(), 'orders', 'a', 'done', now() - interval '1 s' FROM generate_series(1, 500)`)
    const scans = async () => {
      const counted = `SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relname = '${table}'`
      return Number((await client.query(counted)).rows[0].seq_scan)
    }
    await client.query('BEGIN')
    const before = await scans()
    const { rows } = await client.query(statementsFor(table).sweep)
    const after = await scans()
    await client.query('COMMIT')
    expect(rows).toEqual(answered('500'))
    expect(after - before).toBeLessThan(5)
  })

  it('delete 60,000 finished events, and the second keys of a thousand, beside the jobs', async () => {
    const { box, table } = await fresh()
    await on.pool.query(`INSERT INTO ${table} (key, listener_id, owner, state, due_at, attempts)
      SELECT gen_random_uuid(), 'orders', 'o' || n, 'done', now() - interval '1 minute', 1 FROM generate_series(1, 60000) AS n;
      INSERT INTO ${table} (key, listener_id, owner, state, due_at, job)
      SELECT gen_random_uuid(), listener_id, owner, 'done', due_at, key FROM ${table} LIMIT 1000`)
    const { listener, deliver } = boxListener(box)
    await box.put(await acceptedEvent(await deliver(), listener))
    let runs = 0
    const worker = box.work(listener, () => (runs += 1))
    onTestFinished(() => worker.stop())
    const left = async () => Number((await on.pool.query(`SELECT count(*) FROM ${table}`)).rows[0]?.count)
    await expect.poll(left).toBe(1)
    expect(runs).toBe(1)
  })
})
