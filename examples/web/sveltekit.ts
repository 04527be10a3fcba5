// src/routes/webhooks/orders/+server.ts
import type { RequestHandler } from '@sveltejs/kit'
import { ordersWebhook } from './orders'

let handle: ReturnType<typeof ordersWebhook> | undefined

export const POST: RequestHandler = ({ request, getClientAddress }) => {
  handle ??= ordersWebhook(process.env.WEBHOOK_SECRET ?? '') // not sooner: a build loads this file without secrets
  return handle(request, { ip: getClientAddress() })
}
