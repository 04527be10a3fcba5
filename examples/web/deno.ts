import { ordersWebhook } from './orders.ts'

const handle = ordersWebhook(Deno.env.get('WEBHOOK_SECRET') ?? '')

Deno.serve(
  {
    port: Number(Deno.env.get('PORT') ?? 3000),
    onListen: ({ port }) => console.log(`http://localhost:${port}/webhooks/orders`),
  },
  (request, { remoteAddr }) => handle(request, { ip: remoteAddr.hostname }),
)
