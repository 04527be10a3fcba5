// app/webhooks/orders/route.ts
import { ordersWebhook } from './orders.ts'

const handle = ordersWebhook(process.env.WEBHOOK_SECRET ?? '')

export const POST = (request: Request) => handle(request)
