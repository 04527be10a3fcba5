import { stripeWebhook } from './stripe.ts'

const handle = stripeWebhook(process.env.STRIPE_WEBHOOK_SECRET)

const server = Bun.serve({
  port: Number(process.env.PORT ?? 3000),
  routes: {
    '/webhooks/stripe': (request, server) =>
      handle(request, { sourceIp: server.requestIP(request)?.address }),
  },
})

console.log(`http://localhost:${server.port}/webhooks/stripe`)
