// A process whose handlers never end. Plain JavaScript, because Node 20 runs nothing else. It reaches the parent's store by messages,
// so that both share it. The parent stops it, or asks it to close.
import { createServer } from 'node:http'
import { defineListener, hmac } from 'hookgate'
import { verifyWebhook } from 'hookgate/express'

const waiting = new Map()
let asked = 0

const ask = (verb, args) =>
  new Promise((resolve) => {
    asked += 1
    waiting.set(asked, resolve)
    process.send({ id: asked, verb, args })
  })

const store = Object.fromEntries(
  ['claim', 'commit', 'release', 'renew'].map((verb) => [verb, (...args) => ask(verb, args)]),
)
const listener = defineListener({
  id: 'L1',
  auth: hmac({ secrets: { id: 'main', secret: process.env.SECRET } }),
  store,
  leaseSeconds: Number(process.env.LEASE_SECONDS),
  onError: ({ code, message }) => process.send({ told: `${code}: ${message}` }),
})
const verify = verifyWebhook(listener)
const server = createServer((request, response) =>
  verify(request, response, () => process.send({ entered: true })),
)

process.on('message', ({ id, answer, close }) => {
  if (close) {
    server.close()
    server.closeAllConnections()
    process.disconnect()
  } else {
    waiting.get(id)(answer)
  }
})
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
