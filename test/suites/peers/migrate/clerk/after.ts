import type { WebhookEvent } from '@clerk/backend'
import { defineListener } from 'hookgate'
import { clerk } from 'hookgate/schemes/clerk'
import { memoryStore } from 'hookgate/stores/memory'
import { webhookHandler } from 'hookgate/web'

const listener = defineListener({
  id: 'clerk',
  auth: clerk<WebhookEvent>({
    secrets: process.env.CLERK_WEBHOOK_SIGNING_SECRET,
  }),
  store: memoryStore(), // one process only; otherwise a shared store
})

export const POST = webhookHandler(listener, ({ type, payload }) => {
  if (type === 'user.deleted') console.log(type, payload.data.id)
  return new Response('done')
})
