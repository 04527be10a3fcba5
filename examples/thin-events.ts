import express from 'express'
import { defineListener } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { stripe } from 'hookgate/schemes/stripe'
import { memoryStore } from 'hookgate/stores/memory'
import Stripe from 'stripe'

const client = new Stripe(process.env.STRIPE_SECRET_KEY ?? '')

const listener = defineListener({
  id: 'stripe-thin',
  // of this event destination
  auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }),
  // one process only; otherwise Redis or Postgres
  store: memoryStore(),
})

export const app = express()

app.post(
  '/webhooks/stripe-thin',
  verifyWebhook(listener),
  async (req, res) => {
    const { rawBody } = webhookOf(req, listener)
    // hookgate has verified it
    const notification =
      client.parseEventNotificationWithoutVerification(rawBody)
    if (
      notification.type === 'v1.billing.meter.error_report_triggered'
    ) {
      // typed by the SDK, as the event was
      const event = await notification.fetchEvent()
      // the object, as it is now
      const meter = await notification.fetchRelatedObject()
      console.log(meter.display_name, event.data.reason.error_count)
    }
    res.send('done')
  },
)
