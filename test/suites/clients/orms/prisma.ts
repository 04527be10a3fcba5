import { PrismaPg } from '@prisma/adapter-pg'
import type { WebhookEvent } from 'hookgate'
import { postgresStore } from 'hookgate/stores/postgres'
import { type Prisma, PrismaClient } from './generated/prisma/client.ts'

const adapter = new PrismaPg({ connectionString: process.env.DATABASE_URL, max: 20 })
export const prisma = new PrismaClient({ adapter })

export const store = postgresStore({ query: (text, values) => prisma.$queryRawUnsafe(text, ...values) })
export const events = store.transactionPerEvent<Prisma.TransactionClient>({
  begin: (work) => prisma.$transaction(work, { timeout: 60_000, maxWait: 2_000 }),
  executor: (tx) => ({ query: (text, values) => tx.$queryRawUnsafe(text, ...values) }),
})

export async function pay(event: WebhookEvent) {
  await events.transactionOf(event).payment.create({ data: { id: event.id } })
}
