import { env } from 'cloudflare:workers'
import { stripeWebhook } from './stripe.ts'

const handle = stripeWebhook(env.STRIPE_WEBHOOK_SECRET)

export default {
  fetch: (request) => handle(request, { sourceIp: request.headers.get('cf-connecting-ip') ?? undefined }),
} satisfies ExportedHandler
