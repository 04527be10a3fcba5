import type { WebhookEvent } from 'hookgate'
import {
  type PostgresClient,
  postgresStore,
} from 'hookgate/stores/postgres'
import {
  DataTypes,
  QueryTypes,
  Sequelize,
  type Transaction,
} from 'sequelize'

export const sequelize = new Sequelize(process.env.DATABASE_URL ?? '', {
  logging: false,
  pool: { max: 20 },
})
const Payment = sequelize.define(
  'Payment',
  { id: { type: DataTypes.TEXT, primaryKey: true } },
  { tableName: 'payments', timestamps: false },
)

const executor = (transaction?: Transaction): PostgresClient => ({
  query: (text, values) =>
    sequelize.query(text, {
      bind: values,
      type: QueryTypes.SELECT,
      useMaster: true,
      transaction: transaction ?? null,
    }),
})

export const store = postgresStore(executor())

export async function pay(event: WebhookEvent) {
  await sequelize.transaction(async (transaction) => {
    await Payment.create({ id: event.id }, { transaction })
    await event.commit(executor(transaction)) // the last statement
  })
}
