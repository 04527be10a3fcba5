import { Hono } from 'hono'
import { getConnInfo, handle } from 'hono/aws-lambda'
import { verifyWebhook } from 'hookgate/hono'
import { listener } from './listener.ts'

const app = new Hono()

app.post(
  '/webhooks/stripe',
  verifyWebhook(listener, { sourceIp: (c) => getConnInfo(c).remote.address }),
  (c) => {
    console.log(c.var.webhook.type, c.var.webhook.id)
    return c.json({ received: true })
  },
)

export const handler = handle(app)
