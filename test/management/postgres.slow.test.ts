import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { inbox } from '../../src/inbox/index.ts'
import { defineListener, type EventStore, type WebhookEvent } from '../../src/index.ts'
import { recover } from '../../src/management/index.ts'
import { stripeApi } from '../../src/management/stripe.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { postgresStore } from '../../src/stores/postgres/store.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { FakeStripe, LIVE_KEY, STRIPE_SECRET, STRIPE_URL } from './fake-stripe.ts'

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
const since = hoursAgo(24)

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('recover, on Postgres'), () => {
  let server: PostgresServer
  let pool: pg.Pool

  beforeAll(async () => {
    server = await PostgresServer.start()
    pool = new pg.Pool({ ...server.address, max: 10 })
    pool.on('error', () => {})
  })

  afterAll(async () => {
    await pool?.end()
    await server?.remove()
  })

  async function account(store: EventStore) {
    const sender = await FakeStripe.start()
    onTestFinished(() => sender.server.close())
    const auth = stripe({ secrets: STRIPE_SECRET })
    const listener = defineListener({ id: 'recovered', auth, store, onError: null })
    const options = { api: stripeApi, token: LIVE_KEY, url: STRIPE_URL, since, run: true }
    return { sender, listener, options: { ...options, fetch: sender.server.fetch } }
  }

  it('what is recovered into an inbox is put once, and its worker can tell that nobody signed it', async () => {
    const box = inbox(pool)
    await box.migrate()
    const { sender, listener, options } = await account(box.store)
    for (const hours of [3, 2, 1]) sender.create('invoice.paid', hoursAgo(hours))
    const put = (event: WebhookEvent<unknown>) => box.put(event)
    expect(await recover(listener, put, options)).toMatchObject({ ran: 3, failed: [] })
    expect(await recover(listener, put, options)).toMatchObject({ ran: 0, duplicates: 3 })
    const ran: unknown[] = []
    const worker = box.work(listener, ({ id, auth, type }) => ran.push({ id, auth, type }), { pollMs: 20 })
    onTestFinished(() => worker.stop())
    await expect.poll(() => ran.length).toBe(3)
    const auth = { method: 'api', scheme: 'stripe' }
    expect(ran).toEqual(expect.arrayContaining([{ id: 'evt_1', auth, type: 'invoice.paid' }]))
  })

  it('a commit(tx) whose transaction is rolled back did not run, and runs the next time', async () => {
    const store = postgresStore(pool)
    await store.migrate()
    const { sender, listener, options } = await account(store)
    sender.create('invoice.paid', hoursAgo(1))
    const ending = (end: string) => async (event: WebhookEvent<unknown>) => {
      const tx = await pool.connect()
      try {
        await tx.query('BEGIN')
        await event.commit(tx)
        await tx.query(end)
      } finally {
        tx.release()
      }
    }
    const { ran, failed } = await recover(listener, ending('ROLLBACK'), options)
    expect([ran, failed.map(({ why }) => why)]).toEqual([0, [expect.stringContaining('was not committed')]])
    expect(await recover(listener, ending('COMMIT'), options)).toMatchObject({ ran: 1, failed: [] })
    expect(await recover(listener, ending('COMMIT'), options)).toMatchObject({ ran: 0, duplicates: 1 })
  })
})
