import { Hono } from 'hono'
import { getConnInfo, handle } from 'hono/aws-lambda'
import { verifyWebhook } from 'hookgate/hono'
import { listener } from './listener.ts'

const app = new Hono()

app.post(
  '/webhooks/orders',
  verifyWebhook(listener, { sourceIp: (c) => getConnInfo(c).remote.address }),
  (c) => {
    console.log('event', c.var.webhook.id, c.var.webhook.payload)
    return c.json({ received: true })
  },
)

export const handler = handle(app)
