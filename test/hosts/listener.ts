import { defineListener, hmac } from 'hookgate'
import { memoryStore } from 'hookgate/stores/memory'

export const listener = defineListener({
  id: 'orders',
  auth: hmac({ secrets: { id: '2026-11', secret: process.env.WEBHOOK_SECRET ?? '' } }),
  store: memoryStore(),
})
