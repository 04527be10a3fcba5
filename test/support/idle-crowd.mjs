// Many idle senders: node idle-crowd.mjs <port> <senders>, the head of the request on standard input. Each sends the head and
// one byte on its own connection, and stays. Tells its parent how many have done so, every hundred, and how many were closed.
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'

const AT_ONCE = 100
const [port, senders] = process.argv.slice(2)
const start = Buffer.concat([await buffer(process.stdin), Buffer.from('"')])
let closed = 0

function begin() {
  return new Promise((resolve) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1' })
    socket.on('error', () => {}).on('data', () => {})
    socket.on('close', () => {
      closed += 1
      resolve()
    })
    socket.write(start, resolve)
  })
}

for (let begun = 0; begun < Number(senders); begun += AT_ONCE) {
  await Promise.all(Array.from({ length: AT_ONCE }, begin))
  process.send({ begun: begun + AT_ONCE, closed })
}
process.on('disconnect', () => process.exit())
