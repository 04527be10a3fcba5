import { Hono } from 'hono'
import type { Listener } from 'hookgate'
import { observeWebhook } from 'hookgate/hono'
import { Webhook } from 'standardwebhooks' // or from svix

declare const listener: Listener

const webhook = new Webhook(process.env.WEBHOOK_SECRET ?? '')

interface Paid {
  readonly type: string
  readonly data: { readonly id: string }
}

export const app = new Hono()

app.post('/webhooks/orders', async (c) => {
  const body = await c.req.text()
  void observeWebhook(listener, c, body)
  try {
    webhook.verify(body, c.req.header())
  } catch {
    return c.text('not signed', 400)
  }
  const event: Paid = JSON.parse(body)
  console.log(event.type, event.data.id)
  return c.body(null, 204)
})
