import { DynamoDB } from '@aws-sdk/client-dynamodb'
import { Hono } from 'hono'
import { getConnInfo, handle } from 'hono/aws-lambda'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { stripe } from 'hookgate/schemes/stripe'
import { dynamodbStore } from 'hookgate/stores/dynamodb'

const listener = defineListener({
  id: 'stripe',
  // whsec_…
  auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }),
  store: dynamodbStore(new DynamoDB({ maxAttempts: 2 })),
})

const app = new Hono()

app.post(
  '/webhooks/stripe',
  verifyWebhook(listener, {
    sourceIp: (c) => getConnInfo(c).remote.address,
  }),
  (c) => {
    console.log(c.var.webhook.type, c.var.webhook.id)
    return c.json({ received: true })
  },
)

export const handler = handle(app)
