import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { stripe } from '../../src/schemes/stripe.ts'
import { signAs } from '../../src/testing/index.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'

const SECRET = 'whsec_of-a-test-with-32-characters-0'
const EXAMPLE = fileURLToPath(new URL('../../dist/examples/postgres-transaction.js', import.meta.url))

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('examples/postgres-transaction.ts'), () => {
  let server: PostgresServer

  beforeAll(async () => {
    server = await PostgresServer.start()
  })

  afterAll(() => server?.remove())

  /** Runs the built example on a free port until the test ends. */
  async function run(): Promise<number> {
    const DATABASE_URL = server.url
    const example = spawn(process.execPath, [EXAMPLE], {
      env: { ...process.env, PORT: '0', STRIPE_WEBHOOK_SECRET: SECRET, DATABASE_URL },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void example.kill('SIGKILL'))
    let printed = ''
    return new Promise((resolve, reject) => {
      example.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString()
        const found = /localhost:(\d+)\//.exec(printed)
        if (found) resolve(Number(found[1]))
      })
      example.once('exit', () => reject(new Error(`the example ended: ${printed}`)))
    })
  }

  const signed = (id: string) => signAs(stripe, { secret: SECRET, body: { id, type: 'invoice.paid' } })

  it('an event takes effect once, even if its process could not say so', async () => {
    const port = await run()
    const pool = new pg.Pool(server.address)
    const request = await signed('evt_7')
    const send = async () => (await fetch(`http://127.0.0.1:${port}/webhooks/stripe`, request)).status
    expect(await send()).toBe(200)
    expect(await send()).toBe(200)
    expect((await pool.query('SELECT event_id FROM payments')).rows).toStrictEqual([{ event_id: 'evt_7' }])
    await pool.end()
  })

  it('a failed event leaves nothing behind, and the next attempt runs', async () => {
    const port = await run()
    const pool = new pg.Pool(server.address)
    await pool.query('ALTER TABLE payments RENAME TO elsewhere')
    const request = await signed('evt_8')
    const send = async () => (await fetch(`http://127.0.0.1:${port}/webhooks/stripe`, request)).status
    expect(await send()).toBe(500)
    await pool.query('ALTER TABLE elsewhere RENAME TO payments')
    await expect.poll(send).toBe(200)
    expect((await pool.query("SELECT FROM payments WHERE event_id = 'evt_8'")).rowCount).toBe(1)
    await pool.end()
  })

  it('the program outlives a server that crashes in the middle of a transaction, and the event runs after its lease', async () => {
    const port = await run()
    const other = new pg.Client(server.address)
    other.on('error', () => {}) // its server dies too
    await other.connect()
    await other.query('BEGIN')
    await other.query('LOCK TABLE payments IN ACCESS EXCLUSIVE MODE')
    const request = await signed('evt_9')
    const send = async () => (await fetch(`http://127.0.0.1:${port}/webhooks/stripe`, request)).status
    const attempt = send()
    const waiting = 'SELECT pid FROM pg_locks WHERE NOT granted'
    let pid = 0
    await expect.poll(async () => (pid = (await other.query(waiting)).rows[0]?.pid ?? 0)).toBeGreaterThan(0)
    process.kill(pid, 'SIGKILL') // the server then closes all other connections too, and recovers
    expect(await attempt).toBe(500)
    const pool = new pg.Pool(server.address)
    const endLease = () =>
      pool.query('UPDATE hookgate_events SET expires_at = now() WHERE NOT done').catch(() => {})
    await expect.poll(() => endLease().then(send)).toBe(200)
    expect((await pool.query("SELECT FROM payments WHERE event_id = 'evt_9'")).rowCount).toBe(1)
    await pool.end()
  })
})
