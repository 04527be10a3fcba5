import express from 'express'
import { rateLimit } from 'express-rate-limit'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { listener } from './listener.ts'

export const app = express()
app.post(
  '/webhooks/stripe',
  rateLimit({ windowMs: 60_000, limit: 100 }), // by req.ip
  verifyWebhook(listener),
  (req, res) => {
    const { id, type } = webhookOf(req, listener)
    console.log(type, id)
    res.json({ received: true })
  },
)
