// A program that ends as soon as it has refused a delivery. TIMERS=slow: its timers take a thousand times as long.
import { defineListener } from 'hookgate'
import { github } from 'hookgate/schemes/github'
import { memoryStore } from 'hookgate/stores/memory'
import { webhookHandler } from 'hookgate/web'

if (process.env.TIMERS === 'slow') {
  const { setTimeout } = globalThis
  globalThis.setTimeout = (run, ms) => setTimeout(run, 1000 * ms)
}
const auth = github({ secrets: 'short-0123456789abcdef' })
const listener = defineListener({ id: 'short', auth, store: memoryStore() })
const handle = webhookHandler(listener, () => new Response('done'))
const headers = { 'content-type': 'application/json' }
await handle(new Request('http://shop.example/', { method: 'POST', headers, body: '{}' }))
