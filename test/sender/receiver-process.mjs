// A receiver in its own process, which may be killed at any time. Each run of its handler is written to a file before
// the answer.
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { defineListener, hmac } from 'hookgate'
import { verifyWebhook } from 'hookgate/express'
import { redisStore } from 'hookgate/stores/redis'
import { Redis } from 'ioredis'

const [port, redisPort, secret, file] = process.argv.slice(2)
const listener = defineListener({
  id: 'killed',
  auth: hmac({ secrets: secret }),
  store: redisStore(new Redis(Number(redisPort), '127.0.0.1')),
  leaseSeconds: 1,
})
const guard = verifyWebhook(listener)
const server = createServer((request, response) =>
  guard(request, response, (error) => {
    if (error) return response.writeHead(500).end()
    appendFileSync(file, `${request.webhook.id}\n`)
    setImmediate(() => response.end())
  }),
)
server.listen(Number(port), '127.0.0.1', () => process.send?.('ready'))
