import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { pgTable, text as textColumn } from 'drizzle-orm/pg-core'
import type { WebhookEvent } from 'hookgate'
import { type PostgresClient, postgresStore } from 'hookgate/stores/postgres'
import pg from 'pg'

const payments = pgTable('payments', { id: textColumn().primaryKey() })

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 })
pool.on('connect', (client) => client.on('error', console.error)) // without it, a connection that breaks ends the process
export const db = drizzle({ client: pool })
type Tx = Parameters<Parameters<typeof db.transaction>[0]>[0]

const executor = (tx: typeof db | Tx): PostgresClient => ({
  query: (text, values) =>
    tx.execute(sql.join(text.split(/\$(\d+)/).map((part, n) => (n % 2 ? sql`${values[Number(part) - 1]}` : sql.raw(part))))),
})

export const store = postgresStore(executor(db))
export const events = store.transactionPerEvent<Tx>({ begin: (work) => db.transaction(work), executor })

export async function pay(event: WebhookEvent) {
  await events.transactionOf(event).insert(payments).values({ id: event.id })
}
