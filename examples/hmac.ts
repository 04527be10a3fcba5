import { createServer } from 'node:http'
import { defineListener, hmac } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'orders',
  auth: hmac({
    secrets: {
      id: '2026-11',
      secret: process.env.WEBHOOK_SECRET ?? '',
    },
  }),
  store: memoryStore(), // one process only
  onVerdict(verdict) {
    // why it was refused
    if (verdict.reason) console.warn(verdict.reason, verdict.detail)
  },
  onError: console.error, // the errors behind 503 answers
})

const verify = verifyWebhook(listener)

const server = createServer((req, res) => {
  verify(req, res, (error) => {
    if (error) {
      // a mistake in the setup; its message names the fix
      console.error(error)
      return res.writeHead(500).end()
    }
    const { id, payload } = webhookOf(req, listener)
    console.log('event', id, payload)
    // 2xx: the event is done. If you answer 500, it runs again when its
    // sender retries.
    res.end('done')
  })
})

server.listen(Number(process.env.PORT ?? 3000), () => {
  const address = server.address()
  if (address && typeof address === 'object') {
    console.log(`http://localhost:${address.port}/webhooks/orders`)
  }
})
