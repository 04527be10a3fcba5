import type { WebhookEvent } from 'hookgate'
import {
  type PostgresClient,
  postgresStore,
} from 'hookgate/stores/postgres'
import {
  CompiledQuery,
  Kysely,
  PostgresDialect,
  type Transaction,
} from 'kysely'
import pg from 'pg'

interface Tables {
  payments: { id: string }
}

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: 20,
})
// Without these listeners, a connection that breaks ends the process.
pool
  .on('error', console.error)
  .on('connect', (connection) => connection.on('error', console.error))
export const db = new Kysely<Tables>({
  dialect: new PostgresDialect({ pool }),
})

export const store = postgresStore(pool)

const executor = (tx: Transaction<Tables>): PostgresClient => ({
  query: (text, values) =>
    tx.executeQuery(CompiledQuery.raw(text, values)),
})

export async function pay(event: WebhookEvent) {
  await db.transaction().execute(async (tx) => {
    await tx.insertInto('payments').values({ id: event.id }).execute()
    await event.commit(executor(tx)) // the last statement
  })
}
