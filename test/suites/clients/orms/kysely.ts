import type { WebhookEvent } from 'hookgate'
import { postgresStore } from 'hookgate/stores/postgres'
import { CompiledQuery, Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'

interface Tables {
  payments: { id: string }
}

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 })
// Without these listeners, a connection that breaks ends the process.
pool.on('error', console.error).on('connect', (connection) => connection.on('error', console.error))
export const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })

export const store = postgresStore(pool)
export const events = store.transactionPerEvent<Transaction<Tables>>({
  begin: (work) => db.transaction().execute(work),
  executor: (tx) => ({ query: (text, values) => tx.executeQuery(CompiledQuery.raw(text, values)) }),
})

export async function pay(event: WebhookEvent) {
  await events.transactionOf(event).insertInto('payments').values({ id: event.id }).execute()
}
