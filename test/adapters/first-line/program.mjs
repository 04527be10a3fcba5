// The README's program, as a process of its own: SENDER, SECRET, BEFORE and ALLOWED say what is mistaken in it.
import { defineListener } from 'hookgate'
import { verifyWebhook } from 'hookgate/express'
import { memoryStore } from 'hookgate/stores/memory'
import { appOf } from './app.mjs'

const { SENDER: id = '', SECRET: secrets, BEFORE, ALLOWED, PUBLIC_URL } = process.env
const { [id]: scheme } = await import(`hookgate/schemes/${id}`)
const listener = defineListener({
  id,
  auth: scheme({ secrets, ...(id === 'twilio' && { publicUrl: PUBLIC_URL }) }),
  store: memoryStore(),
  ...(ALLOWED && { allowedCidrs: [ALLOWED] }),
})
const server = appOf(verifyWebhook, listener, BEFORE).listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/webhooks`)
})
