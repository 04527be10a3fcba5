import express from 'express'
import { defineListener } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { stripe } from 'hookgate/schemes/stripe'
import { onStop } from 'hookgate/stop'
import { redisStore } from 'hookgate/stores/redis'
import { Redis } from 'ioredis'

const log = (line: object) => console.log(JSON.stringify(line))
const counts = new Map<string, number>()
const count = (outcome: string) =>
  counts.set(outcome, (counts.get(outcome) ?? 0) + 1)

const redis = new Redis(
  process.env.REDIS_URL ?? 'redis://127.0.0.1:6379',
)
redis.on('error', (error) =>
  log({ level: 'error', redis: error.message }),
)

const listener = defineListener({
  id: 'stripe',
  // whsec_…
  auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }),
  store: redisStore(redis),
  onVerdict: (verdict, context) => {
    count(verdict.ok ? 'accepted' : (verdict.reason ?? 'handshake'))
    if (verdict.reason)
      log({
        level: 'warn',
        reason: verdict.reason,
        detail: verdict.detail,
        ...context,
      })
  },
  onError: (error, context) => {
    count('failed')
    log({ level: 'error', message: String(error), ...context })
  },
})

const app = express()

app.get('/metrics', (_req, res) => {
  const lines = [...counts].map(
    ([outcome, total]) =>
      `webhooks_total{outcome="${outcome}"} ${total}\n`,
  )
  res.type('text/plain').send(lines.join(''))
})

app.post('/webhooks/stripe', verifyWebhook(listener), (req, res) => {
  log({ level: 'info', eventId: webhookOf(req, listener).id })
  res.sendStatus(200)
})

const server = app.listen(Number(process.env.PORT ?? 3000), (error) => {
  if (error) throw error // e.g. because the port is in use
  log({ level: 'info', listening: server.address() })
})

// On SIGTERM and Ctrl-C. Running requests are answered and their events
// committed. Then the store's client ends, and the process with it.
onStop(server, () =>
  redis
    .quit()
    .catch((error) => log({ level: 'error', redis: error.message })),
)
