// A process whose handlers take HANDLER_MS, or never end without it. Plain JavaScript, because Node 20 runs nothing else. Its store is
// SUBJECT of test/stores/subjects with CONFIG, or that of the parent, by messages. The parent stops it, or asks it to close.
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
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

const { HANDLER_MS, SUBJECT, CONFIG } = process.env
const { store } = SUBJECT
  ? await (await import(`../stores/subjects/${SUBJECT}.mjs`)).open(JSON.parse(CONFIG))
  : {
      store: Object.fromEntries(['claim', 'commit', 'release', 'renew'].map((verb) => [verb, forward(verb)])),
    }

function forward(verb) {
  return (...args) => ask(verb, args)
}

const listener = defineListener({
  id: 'L1',
  auth: hmac({ secrets: { id: 'main', secret: process.env.SECRET } }),
  store,
  leaseSeconds: Number(process.env.LEASE_SECONDS),
  onError: ({ code, message }) => process.send({ told: `${code}: ${message}` }),
})
const verify = verifyWebhook(listener)
const server = createServer((request, response) =>
  verify(request, response, async () => {
    process.send({ entered: true })
    if (!HANDLER_MS) return
    await sleep(Number(HANDLER_MS))
    response.end('done')
  }),
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
