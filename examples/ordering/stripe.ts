import { defineListener } from 'hookgate'
import { stripe } from 'hookgate/schemes/stripe'
import { entityVersions, postgresStore } from 'hookgate/stores/postgres'
import { webhookHandler } from 'hookgate/web'
import type pg from 'pg'
import type Stripe from 'stripe'
import { inTransaction } from './transaction.ts'

const versions = entityVersions()

/** Run this when you deploy. */
export async function migrate(pool: pg.Pool): Promise<void> {
  await postgresStore(pool).migrate()
  await versions.migrate(pool)
  await pool.query(
    'CREATE TABLE IF NOT EXISTS subscriptions (id text PRIMARY KEY, status text NOT NULL)',
  )
}

/** The endpoint: takes a request, returns a response. Keeps the latest status of each subscription. */
export function subscriptions(
  pool: pg.Pool,
  api: Stripe,
  secret: string,
) {
  const auth = stripe<Stripe.Event>({ secrets: secret })
  const listener = defineListener({
    id: 'stripe',
    auth,
    store: postgresStore(pool),
  })
  return webhookHandler(listener, (event) =>
    inTransaction(pool, async (tx) => {
      switch (event.type) {
        case 'customer.subscription.created':
        case 'customer.subscription.updated':
        case 'customer.subscription.deleted': {
          const { created, data } = event.payload
          // Stripe counts in seconds, and a subscription often changes twice in one.
          const answer = await versions.advance(
            tx,
            `stripe:${data.object.id}`,
            created,
          )
          if (answer !== 'older') {
            const { id, status } =
              answer === 'newer'
                ? data.object
                : await api.subscriptions.retrieve(
                    data.object.id,
                    undefined,
                    { timeout: 5000 },
                  )
            await tx.query(
              `INSERT INTO subscriptions VALUES ($1, $2)
               ON CONFLICT (id) DO UPDATE SET status = excluded.status`,
              [id, status],
            )
          }
        }
      }
      await event.commit(tx) // the last statement
    }),
  )
}
