// server/routes/webhooks/stripe.post.ts, with listener.ts in
// server/utils
import { verifyWebhook, webhookOf } from 'hookgate/express'

export default defineEventHandler({
  onRequest: fromNodeMiddleware(verifyWebhook(listener)),
  handler({ node }) {
    const { id, type } = webhookOf(node.req, listener)
    console.log(type, id)
    return { received: true }
  },
})
