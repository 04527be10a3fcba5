// A program that ends as soon as it has refused a delivery.
import { defineListener } from 'hookgate'
import { github } from 'hookgate/schemes/github'
import { memoryStore } from 'hookgate/stores/memory'
import { webhookHandler } from 'hookgate/web'

const auth = github({ secrets: 'short-0123456789abcdef' })
const listener = defineListener({ id: 'short', auth, store: memoryStore() })
const handle = webhookHandler(listener, () => new Response('done'))
const headers = { 'content-type': 'application/json' }
await handle(new Request('http://shop.example/', { method: 'POST', headers, body: '{}' }))
