// src/routes/webhooks/orders/+server.ts
import type { RequestHandler } from '@sveltejs/kit'
import { ordersWebhook } from './orders.ts'

const handle = ordersWebhook(process.env.WEBHOOK_SECRET ?? '')

export const POST: RequestHandler = ({ request, getClientAddress }) =>
  handle(request, { ip: getClientAddress() })
