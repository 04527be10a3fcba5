import express from 'express'
import { rateLimit } from 'express-rate-limit'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { listener } from './listener.ts'

export const app = express()
app.post(
  '/webhooks/orders',
  rateLimit({ windowMs: 60_000, limit: 100 }), // by req.ip
  verifyWebhook(listener),
  (req, res) => {
    const { id, payload } = webhookOf(req, listener)
    console.log('event', id, payload)
    res.json({ received: true })
  },
)
