import { connect } from 'node:net'
import { exchange, openConnections, requestBytes } from './http/client.mjs'
import { startServer } from './http/server-process.mjs'
import { bodyOf, now, signedDelivery, tampered } from './workload.mjs'

const FRAMEWORKS = ['Express 5', 'Express 4', 'Fastify', 'Hono', 'hookgate/web']
const CONNECTIONS = 32
/** Until everything is compiled. The server's store has room for the events of both. */
const WARM_UP = 60_000
const REQUESTS = 100_000
const BATCH = 2000
/** Requests that end their connection. Rarer, as in production. */
const RARE_EVERY = 50

/**
 * The memory that requests leave in a server, after 100,000 of all kinds: accepted, repeated, forged, stale, too large,
 * cut off.
 */
export async function measure({ progress }) {
  const rows = []
  for (const framework of FRAMEWORKS) {
    const server = await startServer(framework, 'hookgate', { execArgv: ['--expose-gc'] })
    const client = { port: server.port, sockets: await openConnections(server.port, CONNECTIONS) }
    const answers = {}
    await sendMixed(client, WARM_UP, 0, {}, progressOf(progress, `${framework}, warming up`))
    const before = await server.bytesInUse()
    await sendMixed(client, REQUESTS, WARM_UP, answers, progressOf(progress, framework))
    const grown = (await server.bytesInUse()) - before
    rows.push({ framework, requests: REQUESTS, answers, grown })
    server.stop()
  }
  return rows
}

const progressOf = (progress, name) => (sent) => progress(`${name}: ${sent.toLocaleString('en')}`)

async function sendMixed(client, count, serial, answers, progress) {
  for (let sent = 0; sent < count; sent += BATCH) {
    progress(sent)
    const requests = Array.from({ length: BATCH }, (_, index) => mixed(serial + sent + index))
    let next = 0
    const lane = async (_, at) => {
      while (next < requests.length) {
        const status = await send(client, at, requests[next++])
        answers[status] = (answers[status] ?? 0) + 1
      }
    }
    await Promise.all(client.sockets.map(lane))
  }
}

/** One of six kinds of request, by number. A repeat uses the last delivery. */
let last
function mixed(serial) {
  if (serial % RARE_EVERY === 0) {
    const body = bodyOf(serial % 100 === 0 ? 70_000 : 20_000, serial)
    return { bytes: requestBytes(signedDelivery(body.length, serial, { body })), cutOff: serial % 100 !== 0 }
  }
  if (serial % 4 === 0 && last) return { bytes: last }
  const timestamp = serial % 4 === 1 ? `${now() - 4000}` : `${now()}`
  const delivery = signedDelivery(1024, serial, { timestamp })
  const bytes = requestBytes(serial % 4 === 2 ? tampered(delivery) : delivery)
  if (serial % 4 === 3) last = bytes
  return { bytes }
}

async function send(client, at, { bytes, cutOff }) {
  if (cutOff) return leaveMidway(client.port, bytes)
  const status = await exchange(client.sockets[at], bytes)
  if (status === '413' || status === '400') await renewed(client, at)
  return status
}

/** A refusal of a large body ends its connection. */
async function renewed(client, at) {
  client.sockets[at].destroy()
  const [socket] = await openConnections(client.port, 1)
  client.sockets[at] = socket
}

function leaveMidway(port, bytes) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () =>
      socket.write(bytes.subarray(0, bytes.length / 2), () => socket.destroy()),
    )
    socket.on('error', () => {}).on('close', () => resolve('cut off'))
  })
}
