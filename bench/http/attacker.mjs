// Attacks a server: node attacker.mjs <port>. Reports when all connections are open, and finally their responses.
import { connect } from 'node:net'
import { signedDelivery, tampered } from '../workload.mjs'
import { exchange, openConnections, requestBytes } from './client.mjs'

const STALLED = 1000
const WRONG_PER_SECOND = 2000
const CONNECTIONS = 64
const TICK_MS = 5

const port = Number(process.argv[2])
const wrong = Array.from({ length: WRONG_PER_SECOND }, (_, serial) =>
  requestBytes(tampered(signedDelivery(1024, serial))),
)
const beginning = wrong[0].subarray(0, -1000)
const answers = {}

/** Sends a body that stalls. Starts the next one when the server gives up. */
function stall() {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.write(beginning)
      resolve()
    })
    socket.on('error', () => {}).on('close', stall)
  })
}

async function sendWrong(idle, at) {
  const socket = idle.pop()
  if (socket === undefined) return // the server is behind
  const status = await exchange(socket, wrong[at % wrong.length])
  answers[status] = (answers[status] ?? 0) + 1
  idle.push(socket)
}

await Promise.all(Array.from({ length: STALLED }, stall))
const idle = await openConnections(port, CONNECTIONS)
const start = performance.now()
let sent = 0
setInterval(() => {
  const due = ((performance.now() - start) / 1000) * WRONG_PER_SECOND
  for (; sent < due; sent += 1) void sendWrong(idle, sent)
}, TICK_MS)
process.send('ready')
process.on('message', () => {
  process.send({ answers, seconds: (performance.now() - start) / 1000 }, () => process.exit())
})
