// A process that dies between its handler's effect and the commit. Plain JavaScript, because Node 20 runs nothing else.
// It reaches the parent's store by messages, so the store survives it.
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

process.on('message', ({ id, answer }) => waiting.get(id)(answer))

const verbs = ['claim', 'commit', 'release'].map((verb) => [verb, (...args) => ask(verb, args)])
const auth = hmac({ secrets: { id: 'main', secret: process.env.SECRET } })
const clock = { now: () => Number(process.env.NOW) }
const verify = verifyWebhook(defineListener({ id: 'L1', auth, clock, store: Object.fromEntries(verbs) }))

const server = createServer((request, response) =>
  verify(request, response, async () => {
    await ask('effect', [])
    process.kill(process.pid, 'SIGKILL')
  }),
)
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
