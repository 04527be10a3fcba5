import { H3 } from 'h3'
import { webhookHandler } from 'hookgate/web'
import { listener } from './listener.ts'

const handle = webhookHandler(listener, ({ id, type }) => {
  console.log(type, id)
  return Response.json({ received: true })
})

export const app = new H3()
app.post('/webhooks/stripe', ({ req }) => handle(req, { sourceIp: req.ip }))
