import { PrismaPg } from '@prisma/adapter-pg'
import type { WebhookEvent } from 'hookgate'
import { postgresStore } from 'hookgate/stores/postgres'
import { PrismaClient } from './generated/prisma/client.ts'

const adapter = new PrismaPg({
  connectionString: process.env.DATABASE_URL,
  max: 20,
})
export const prisma = new PrismaClient({ adapter })

export const store = postgresStore({
  query: (text, values) => prisma.$queryRawUnsafe(text, ...values),
})

export async function pay(event: WebhookEvent) {
  await prisma.$transaction(async (tx) => {
    await tx.payment.create({ data: { id: event.id } })
    // the last statement
    await event.commit({
      query: (text: string, values: string[]) =>
        tx.$queryRawUnsafe(text, ...values),
    })
  })
}
