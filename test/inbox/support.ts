import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { type Inbox, type InboxOptions, inbox, type PostgresClient } from '../../src/inbox/index.ts'
import { type Delivery, defineListener, hmac, type Listener, type ListenerOptions } from '../../src/index.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { signAs, signHmac, toDelivery } from '../../src/testing/index.ts'
import { SECRET } from '../support/hmac-listener.ts'
import { acceptedEvent } from '../support/outcome.ts'
import { PostgresServer } from '../support/postgres-server.ts'

/** A server for the tests of a file, with a pool, and tables of their own. */
export function inboxServer(): {
  readonly pool: pg.Pool
  readonly server: PostgresServer
  /** An inbox on a new table, through the pool unless another client is given. */
  fresh(options?: InboxOptions, client?: PostgresClient): Promise<{ box: Inbox; table: string }>
  /** The rows of a table, oldest first. */
  rows(table: string): Promise<Record<string, unknown>[]>
  /** Makes everything in the table older. */
  age(table: string, milliseconds: number): Promise<unknown>
} {
  let server: PostgresServer
  let pool: pg.Pool
  let tables = 0
  beforeAll(async () => {
    server = await PostgresServer.start()
    pool = new pg.Pool({ ...server.address, max: 20 })
    pool.on('error', () => {})
    await pool.query('CREATE TABLE effects (event_id text, attempt int)')
  })
  afterAll(async () => {
    await pool?.end()
    await server?.remove()
  })
  return {
    get pool() {
      return pool
    },
    get server() {
      return server
    },
    async fresh(options = {}, client = pool) {
      tables += 1
      const table = `inbox_${tables}`
      const box = inbox(client, { table, ...options })
      await box.migrate()
      return { box, table }
    },
    rows: async (table) => (await pool.query(`SELECT * FROM ${table} ORDER BY put_at, key`)).rows,
    age: (table, milliseconds) =>
      pool.query(`UPDATE ${table} SET due_at = due_at - ${milliseconds} * interval '1 millisecond'`),
  }
}

/** A listener that puts its events into this inbox, and a sender that knows its secret. */
export function boxListener(
  box: Inbox,
  options: Partial<ListenerOptions> = {},
): { listener: Listener; deliver(body?: string | Uint8Array): Promise<Delivery> } {
  const listener = defineListener({
    id: 'orders',
    auth: hmac({ secrets: { id: 'main', secret: SECRET } }),
    store: box.store,
    storeTimeoutSeconds: 60, // a busy machine is no failure
    ...options,
  })
  return {
    listener,
    deliver: async (body = '{"a":1}') => toDelivery(await signHmac({ secret: SECRET, body })),
  }
}

/** What each body of `shop` holds, and nothing that is printed may. */
export const CUSTOMER = 'the-name-of-a-customer'

/** A listener for Stripe that puts its events into this inbox, and a sender of them. */
export function shop(
  box: Inbox,
  id = 'stripe',
): {
  readonly listener: Listener
  deliver(eventId: string, type?: string): Promise<Delivery>
  /** Puts an event, and returns its ID. */
  put(type?: string, eventId?: string): Promise<string>
} {
  const listener = defineListener({
    ...{ id, auth: stripe({ secrets: SECRET }), store: box.store },
    storeTimeoutSeconds: 60, // a busy machine is no failure
  })
  let sent = 0
  const deliver = async (eventId: string, type = 'invoice.paid') => {
    const event = { id: eventId, object: 'event', type, created: 1_790_000_000 }
    const body = JSON.stringify({ ...event, data: { object: { name: CUSTOMER } } })
    return toDelivery(await signAs(stripe, { secret: SECRET, body }))
  }
  return {
    listener,
    deliver,
    async put(type, eventId = `evt_${++sent}`) {
      await box.put(await acceptedEvent(await deliver(eventId, type), listener))
      return eventId
    },
  }
}
