import { sql } from 'drizzle-orm'
import { pgTable, text as textColumn } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/postgres-js'
import type { WebhookEvent } from 'hookgate'
import {
  type PostgresClient,
  postgresStore,
} from 'hookgate/stores/postgres'
import postgres from 'postgres'

const payments = pgTable('payments', { id: textColumn().primaryKey() })

const client = postgres(process.env.DATABASE_URL ?? '', {
  max: 20,
  onnotice: () => {},
})
export const db = drizzle({ client })
type Tx = Parameters<Parameters<typeof db.transaction>[0]>[0]

export const store = postgresStore(client)

const executor = (tx: Tx): PostgresClient => ({
  query: (text, values) =>
    tx.execute(
      sql.join(
        text
          .split(/\$(\d+)/)
          .map((part, n) =>
            n % 2 ? sql`${values[Number(part) - 1]}` : sql.raw(part),
          ),
      ),
    ),
})

export async function pay(event: WebhookEvent) {
  await db.transaction(async (tx) => {
    await tx.insert(payments).values({ id: event.id })
    await event.commit(executor(tx)) // the last statement
  })
}
