import 'reflect-metadata'
import type { WebhookEvent } from 'hookgate'
import { postgresStore } from 'hookgate/stores/postgres'
import { DataSource, EntitySchema } from 'typeorm'

const Payment = new EntitySchema<{ id: string }>({
  name: 'payments',
  columns: { id: { type: 'text', primary: true } },
})
export const dataSource = new DataSource({
  type: 'postgres',
  url: process.env.DATABASE_URL ?? '',
  poolSize: 20,
  entities: [Payment],
})
await dataSource.initialize()

export const store = postgresStore(dataSource)

export async function pay(event: WebhookEvent) {
  await dataSource.transaction(async (tx) => {
    await tx.insert(Payment, { id: event.id })
    await event.commit(tx) // the last statement
  })
}
