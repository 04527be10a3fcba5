import express from 'express'
import { defineListener } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { stripe } from 'hookgate/schemes/stripe'
import { pay, store } from './prisma.ts'

const listener = defineListener({
  id: 'stripe',
  // whsec_…
  auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }),
  store,
  onError: console.error, // the errors behind 503 answers
})

export const app = express()
app.post(
  '/webhooks/stripe',
  verifyWebhook(listener),
  async (req, res) => {
    // if it throws, the transaction is rolled back, and the event runs
    // again
    await pay(webhookOf(req, listener))
    res.sendStatus(200)
  },
)
