import express from 'express'
import { defineListener } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { stripe } from 'hookgate/schemes/stripe'
import { memoryStore } from 'hookgate/stores/memory'
import type Stripe from 'stripe'

const listener = defineListener({
  id: 'stripe',
  auth: stripe<Stripe.Event>({
    secrets: process.env.STRIPE_WEBHOOK_SECRET,
  }),
  store: memoryStore(), // one process only; otherwise a shared store
})

export const app = express()

app.post('/webhooks/stripe', verifyWebhook(listener), (req, res) => {
  const { payload } = webhookOf(req, listener) // a Stripe.Event
  console.log(payload.type, payload.id)
  res.sendStatus(200)
})
