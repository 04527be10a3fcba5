import { ordersWebhook } from './orders.ts'

const handle = ordersWebhook(process.env.WEBHOOK_SECRET ?? '')

const server = Bun.serve({
  port: Number(process.env.PORT ?? 3000),
  routes: {
    '/webhooks/orders': (request, server) => handle(request, { ip: server.requestIP(request)?.address }),
  },
})

console.log(`http://localhost:${server.port}/webhooks/orders`)
