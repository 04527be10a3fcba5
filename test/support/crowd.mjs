// Many senders of one request: node crowd.mjs <port> <senders> <stay | leave>, the request on standard input. Each has
// its own connection. Tells its parent when all have ended except those left waiting.
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'

const AT_ONCE = 100
const [port, senders, manner] = process.argv.slice(2)
const request = await buffer(process.stdin)
let over = 0

/** Resolves when the request is written. A refusal may close the connection earlier. */
function send() {
  return new Promise((resolve) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1' })
    socket.on('error', () => {}).on('data', () => {})
    socket.on('close', () => {
      over += 1
      resolve()
      process.send({ over })
    })
    // A sender that leaves waits until the server has closed its side too.
    socket.write(request, () => (manner === 'leave' ? socket.end() : resolve()))
  })
}

for (let sent = 0; sent < Number(senders); sent += AT_ONCE) {
  await Promise.all(Array.from({ length: AT_ONCE }, send))
}
process.on('disconnect', () => process.exit())
