// supabase/functions/stripe/index.ts
import { defineListener } from 'hookgate'
import { stripe } from 'hookgate/schemes/stripe'
import { postgresStore } from 'hookgate/stores/postgres'
import { webhookHandler } from 'hookgate/web'
import postgres from 'postgres'

// The pooler in transaction mode knows no prepared statements.
const sql = postgres(Deno.env.get('DATABASE_URL') ?? '', {
  prepare: false,
})

const listener = defineListener({
  id: 'stripe',
  // whsec_…
  auth: stripe({ secrets: Deno.env.get('STRIPE_WEBHOOK_SECRET') }),
  store: postgresStore(sql, { table: 'hookgate.events' }),
})

const handle = webhookHandler(listener, async (event) => {
  await sql.begin(async (tx) => {
    await tx`INSERT INTO payments (event_id) VALUES (${event.id})`
    await event.commit(tx) // the last statement
  })
  return Response.json({ received: true })
})

Deno.serve((request) => handle(request))
