import type { WebhookEvent } from 'hookgate'
import {
  type PostgresClient,
  postgresStore,
} from 'hookgate/stores/postgres'
import knex, { type Knex } from 'knex'

export const db = knex({
  client: 'pg',
  connection: process.env.DATABASE_URL ?? '',
  pool: { min: 0, max: 20 },
})

const executor = (tx: Knex): PostgresClient => ({
  query: (text, values) =>
    tx.raw(
      text.replace(/\$\d+/g, '?'),
      [...text.matchAll(/\$(\d+)/g)].map(
        ([, n]) => values[Number(n) - 1] ?? '',
      ),
    ),
})

export const store = postgresStore(executor(db))

export async function pay(event: WebhookEvent) {
  await db.transaction(async (tx) => {
    await tx('payments').insert({ id: event.id })
    await event.commit(executor(tx)) // the last statement
  })
}
