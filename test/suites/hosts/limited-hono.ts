import { getConnInfo } from '@hono/node-server/conninfo'
import { Hono } from 'hono'
import { rateLimiter } from 'hono-rate-limiter'
import { verifyWebhook } from 'hookgate/hono'
import { listener } from './listener.ts'

export const app = new Hono()
app.use(
  '/webhooks/stripe',
  rateLimiter({
    windowMs: 60_000,
    limit: 100,
    keyGenerator: (c) => getConnInfo(c).remote.address ?? '',
  }),
)
app.post('/webhooks/stripe', verifyWebhook(listener), (c) => {
  const { id, type } = c.var.webhook
  console.log(type, id)
  return c.json({ received: true })
})
