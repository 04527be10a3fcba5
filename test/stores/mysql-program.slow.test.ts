import { readFileSync } from 'node:fs'
import mysql from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { webhookHandler } from '../../adapters/web.ts'
import { defineListener, type EventStore, type ListenerOptions, type WebhookEvent } from '../../src/index.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { signAs, toDelivery } from '../../src/testing/index.ts'
import { MariadbServer, onMariadb, WHY_NO_MARIADB } from '../support/mariadb-server.ts'
import { type OpenPort, openPort } from '../support/open-port.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'

const SECRET = 'whsec_of-a-test-with-32-characters-0'
const FILE = new URL('../../examples/transactions/mysql2.ts', import.meta.url)
const PAGE = readFileSync(new URL('../../docs/idempotent.md', import.meta.url), 'utf8')

interface Program {
  readonly store: EventStore & { migrate(): Promise<void> }
  pay(event: WebhookEvent<unknown>): Promise<void>
}

describe.skipIf(WHY_NO_MARIADB)(onMariadb('examples/transactions/mysql2.ts'), () => {
  let server: MariadbServer
  let port: OpenPort
  let pool: mysql.Pool
  let program: Program

  beforeAll(async () => {
    server = await MariadbServer.start()
    port = await openPort(server.socketPath)
    vi.stubEnv('DATABASE_URL', `mysql://root@127.0.0.1:${port.port}/hookgate`)
    pool = mysql.createPool(server.address)
    await pool.query('CREATE TABLE payments (id varchar(80) PRIMARY KEY) ENGINE = InnoDB')
    vi.spyOn(console, 'error').mockReturnValue() // the program tells of connections that the server ends
    program = await import(FILE.href)
    await program.store.migrate()
  })

  afterAll(async () => {
    await pool?.end()
    port?.close()
    await server?.remove()
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })

  /** Sends a statement to the server, past the program. Returns how many rows it had. */
  async function ask(text: string): Promise<number | null> {
    const [rows] = await pool.query(text)
    return Array.isArray(rows) ? rows.length : null
  }

  const payments = (id: string) => ask(`SELECT 1 FROM payments WHERE id = '${id}'`)

  async function stripeEvent(options: Partial<ListenerOptions> = {}) {
    const { store } = program
    const listener = defineListener({ id: 'stripe', auth: stripe({ secrets: SECRET }), store, ...options })
    const id = `evt_${crypto.randomUUID()}`
    const request = await signAs(stripe, { secret: SECRET, body: { id, type: 'invoice.paid' } })
    const handler = webhookHandler(listener, (event) => program.pay(event))
    const send = async () => (await handler(new Request('https://example.com/', request))).status
    return { listener, id, send, delivery: toDelivery(request) }
  }

  it('docs/idempotent.md shows the program to the letter', () => {
    expect(PAGE).toContain(`\`\`\`ts\n${readFileSync(FILE, 'utf8')}\`\`\`\n`)
  })

  it('an event and its payment commit together, and a failure after COMMIT undoes neither', async () => {
    const { listener, id, delivery } = await stripeEvent()
    const event = await acceptedEvent(delivery, listener)
    await program.pay(event)
    await event.release()
    expect(await payments(id)).toBe(1)
    expect(await outcome(delivery, listener)).toBe('200 event_duplicate')
  })

  it('an event that is sent three times at once, and once more, is paid once', async () => {
    const { id, send } = await stripeEvent()
    const answers = await Promise.all([send(), send(), send()])
    expect(answers).toContain(200)
    expect(await send()).toBe(200)
    expect(await payments(id)).toBe(1)
  })

  it('an event that the server refuses to pay is not done, and runs again', async () => {
    const { id, send } = await stripeEvent()
    await ask(`INSERT INTO payments VALUES ('${id}')`)
    await expect(send()).rejects.toThrow(/duplicate/i)
    expect(await payments(id)).toBe(1)
    await ask(`DELETE FROM payments WHERE id = '${id}'`)
    expect(await send()).toBe(200)
    expect(await payments(id)).toBe(1)
  })

  it('a handler that has lost its event pays nothing, and hears so although the store belongs to another copy of the package', async () => {
    const { listener, id, delivery } = await stripeEvent({ leaseSeconds: 0.05 })
    const late = await acceptedEvent(delivery, listener)
    await expect.poll(() => outcome(delivery, listener)).toBe('accepted')
    await expect(program.pay(late)).rejects.toMatchObject({ code: 'ERR_LEASE_LOST' })
    expect(await payments(id)).toBe(0)
  })
})
