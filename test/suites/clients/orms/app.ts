import express from 'express'
import { defineListener } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { stripe } from 'hookgate/schemes/stripe'
import { events, pay } from './prisma.ts'

const listener = defineListener({
  id: 'stripe',
  auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }), // whsec_…
  store: events,
  onError: console.error, // the errors behind 503 answers
})

export const app = express()
app.post('/webhooks/stripe', verifyWebhook(listener), async (req, res) => {
  const event = webhookOf(req, listener)
  await pay(event) // if it throws, the transaction is rolled back
  await event.commit() // before the answer: if it fails, the sender has to know
  res.sendStatus(200)
})
