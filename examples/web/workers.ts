import { env } from 'cloudflare:workers'
import { ordersWebhook } from './orders.ts'

const handle = ordersWebhook(env.WEBHOOK_SECRET)

export default {
  fetch: (request) => handle(request, { ip: request.headers.get('cf-connecting-ip') ?? undefined }),
} satisfies ExportedHandler
