import type { WebhookEvent } from 'hookgate'
import { postgresStore } from 'hookgate/stores/postgres'
import postgres from 'postgres'

const sql = postgres(process.env.DATABASE_URL ?? '', { max: 20 })

export const store = postgresStore(sql)

export async function pay(event: WebhookEvent) {
  await sql.begin(async (tx) => {
    await tx`INSERT INTO payments VALUES (${event.id})`
    await event.commit(tx) // the last statement
  })
}
