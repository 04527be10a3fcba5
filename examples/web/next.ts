// app/webhooks/orders/route.ts
import { ordersWebhook } from './orders'

let handle: ReturnType<typeof ordersWebhook> | undefined

export const POST = (request: Request) => {
  handle ??= ordersWebhook(process.env.WEBHOOK_SECRET ?? '') // not sooner: a build loads this file without secrets
  return handle(request)
}
