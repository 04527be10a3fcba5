import 'reflect-metadata'
import type { WebhookEvent } from 'hookgate'
import { postgresStore } from 'hookgate/stores/postgres'
import { DataSource, type EntityManager, EntitySchema } from 'typeorm'

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
export const events = store.transactionPerEvent<EntityManager>({
  begin: (work) => dataSource.transaction(work),
  executor: (tx) => tx,
})

export async function pay(event: WebhookEvent) {
  await events.transactionOf(event).insert(Payment, { id: event.id })
}
