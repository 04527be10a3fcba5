import { Hono } from 'hono'
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { stripe } from 'hookgate/schemes/stripe'
import { memoryStore } from 'hookgate/stores/memory'

/**
 * The app with a secret of its own, and what your handler does with an
 * event.
 */
export function createApp(secrets, handle) {
  const listener = defineListener({
    id: 'stripe',
    auth: stripe({ secrets }),
    store: memoryStore(),
  })
  return new Hono().post(
    '/webhooks/stripe',
    verifyWebhook(listener),
    async (c) => {
      await handle(c.var.webhook)
      return c.body(null, 204)
    },
  )
}
