import { http } from '@google-cloud/functions-framework'
import { defineListener } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { stripe } from 'hookgate/schemes/stripe'
import { redisStore } from 'hookgate/stores/redis'
import { Redis } from 'ioredis'

const listener = defineListener({
  id: 'stripe',
  auth: stripe({ secrets: process.env.STRIPE_WEBHOOK_SECRET }), // whsec_…
  store: redisStore(new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379')),
})

const verify = verifyWebhook(listener)

http('stripe', (req, res) =>
  verify(req, res, (error) => {
    if (error) {
      console.error(error) // a mistake in the setup; its message names the fix
      return void res.sendStatus(500)
    }
    const { id, type } = webhookOf(req, listener)
    console.log(type, id)
    res.json({ received: true })
  }),
)
