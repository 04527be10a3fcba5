import { defineListener, hmac } from 'hookgate'
import { memoryStore } from 'hookgate/stores/memory'
import { webhookHandler } from 'hookgate/web'

/** `(request, { ip }) => Promise<Response>`: what every platform below is given. */
export function ordersWebhook(secret: string) {
  const listener = defineListener({
    id: 'orders',
    auth: hmac({ secrets: { id: '2026-11', secret } }),
    store: memoryStore(), // for one process
    onVerdict(verdict) {
      if (!verdict.ok) console.warn(verdict.reason, verdict.detail) // why it was refused
    },
    onError: console.error, // the errors behind 503 answers
  })
  return webhookHandler(listener, async (event) => {
    console.log('event', event.id, event.payload)
    return Response.json({ received: true }) // or nothing: an empty 200
  })
}
