import {
  EntitySchema,
  MikroORM,
  type SqlEntityManager,
} from '@mikro-orm/postgresql'
import type { WebhookEvent } from 'hookgate'
import {
  type PostgresClient,
  postgresStore,
} from 'hookgate/stores/postgres'

const Payment = new EntitySchema<{ id: string }>({
  name: 'Payment',
  tableName: 'payments',
  properties: { id: { type: 'text', primary: true } },
})
export const orm = await MikroORM.init({
  clientUrl: process.env.DATABASE_URL ?? '',
  entities: [Payment],
  pool: { min: 0, max: 20 },
})

const executor = (tx: SqlEntityManager): PostgresClient => ({
  query: (text, values) =>
    tx.execute(
      text.replace(/\$\d+/g, '?'),
      [...text.matchAll(/\$(\d+)/g)].map(
        ([, n]) => values[Number(n) - 1],
      ),
    ),
})

// without fork(), it would join open transactions
export const store = postgresStore(executor(orm.em.fork()))

export async function pay(event: WebhookEvent) {
  await orm.em.fork().transactional(async (tx) => {
    await tx.insert(Payment, { id: event.id })
    await event.commit(executor(tx)) // the last statement
  })
}
