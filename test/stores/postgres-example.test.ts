import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { signHmac } from '../../src/testing/index.ts'
import { SECRET } from '../support/hmac-listener.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'

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
      env: { ...process.env, PORT: '0', WEBHOOK_SECRET: SECRET, DATABASE_URL },
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

  it('an event takes effect once, even if its first attempt could not report that it was done', async () => {
    const port = await run()
    const pool = new pg.Pool(server.address)
    const orders = async () => (await pool.query('SELECT content FROM orders')).rows
    const request = await signHmac({ secret: SECRET, body: '{"order":7}' })
    const send = async () => (await fetch(`http://127.0.0.1:${port}/webhooks/orders`, request)).status
    expect(await send()).toBe(200)
    expect(await send()).toBe(409)
    // If the process dies between COMMIT and its answer, this is the state after the lease.
    await expect
      .poll(async () => (await pool.query('DELETE FROM hookgate_events WHERE owner IS NULL')).rowCount)
      .toBe(1)
    expect(await send()).toBe(200)
    expect(await orders()).toStrictEqual([{ content: { order: 7 } }])
    await pool.end()
  })

  it('a failed event leaves nothing behind, and the next attempt runs', async () => {
    const port = await run()
    const pool = new pg.Pool(server.address)
    await pool.query('DELETE FROM orders')
    await pool.query('ALTER TABLE orders RENAME TO elsewhere')
    const request = await signHmac({ secret: SECRET, body: '{"order":8}' })
    const send = async () => (await fetch(`http://127.0.0.1:${port}/webhooks/orders`, request)).status
    expect(await send()).toBe(500)
    await pool.query('ALTER TABLE elsewhere RENAME TO orders')
    await expect.poll(send).toBe(200)
    expect((await pool.query('SELECT content FROM orders')).rows).toStrictEqual([{ content: { order: 8 } }])
    await pool.end()
  })

  it('outlives a server that crashes in the middle of a transaction, and the event runs afterwards', async () => {
    const port = await run()
    const other = new pg.Client(server.address)
    other.on('error', () => {}) // its server dies too
    await other.connect()
    await other.query('BEGIN')
    await other.query('LOCK TABLE orders IN ACCESS EXCLUSIVE MODE')
    const request = await signHmac({ secret: SECRET, body: '{"order":9}' })
    const send = async () => (await fetch(`http://127.0.0.1:${port}/webhooks/orders`, request)).status
    const attempt = send()
    const waiting = 'SELECT pid FROM pg_locks WHERE NOT granted'
    const pid = await vi.waitUntil(async () => (await other.query(waiting)).rows[0]?.pid, 10_000)
    process.kill(pid, 'SIGKILL') // the server then closes all other connections too, and recovers
    expect(await attempt).toBe(500)
    const pool = new pg.Pool(server.address)
    // The event stays claimed until its release gets through or its lease ends.
    const releasing = () =>
      pool.query('DELETE FROM hookgate_events WHERE owner IS NOT NULL').then(() => 'released', String)
    await expect.poll(releasing).toBe('released')
    await expect.poll(send).toBe(200)
    expect((await pool.query("SELECT FROM orders WHERE content->>'order' = '9'")).rowCount).toBe(1)
    await pool.end()
  })
})
