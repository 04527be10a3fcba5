import express from 'express'
import { rateLimit } from 'express-rate-limit'
import { verifyWebhook } from 'hookgate/express'
import { listener } from './listener.ts'

export const app = express()
app.post(
  '/webhooks/orders',
  rateLimit({ windowMs: 60_000, limit: 100 }), // by req.ip
  verifyWebhook(listener),
  (req, res) => {
    console.log('event', req.webhook.id, req.webhook.payload)
    res.json({ received: true })
  },
)
