import { webhookHandler } from 'hookgate/web'
import { listener } from './listener.ts'

export const handle = webhookHandler(listener, ({ id, type }) => {
  console.log(type, id)
  return Response.json({ received: true })
})
