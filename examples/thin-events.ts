import express from 'express'
import { defineListener } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { stripe } from 'hookgate/schemes/stripe'
import { memoryStore } from 'hookgate/stores/memory'
import Stripe from 'stripe'

const client = new Stripe(process.env.STRIPE_SECRET_KEY ?? '')

const listener = defineListener({
  id: 'stripe-thin',
  auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }), // of this event destination
  store: memoryStore(), // one process only; otherwise Redis or Postgres
})

export const app = express()

app.post('/webhooks/stripe-thin', verifyWebhook(listener), async (req, res) => {
  const { rawBody } = webhookOf(req, listener)
  const notification = client.parseEventNotificationWithoutVerification(rawBody) // hookgate has verified it
  if (notification.type === 'v1.billing.meter.error_report_triggered') {
    const event = await notification.fetchEvent() // typed by the SDK, as the event was
    const meter = await notification.fetchRelatedObject() // the object, as it is now
    console.log(meter.display_name, event.data.reason.error_count)
  }
  res.send('done')
})
