import { verify } from 'hookgate'
import { exchange, openConnections } from './http/client.mjs'
import { startServer } from './http/server-process.mjs'
import { requests, strangers } from './strangers.mjs'

const WARM_UP = 3
const FRAMEWORKS = ['Express 5', 'Express 4', 'Fastify', 'Hono']

/** The CPU time of one unauthenticated delivery: the median of several, in milliseconds, after three warm-ups. */
export async function measure({ rounds, progress }) {
  const rows = []
  for (const [name, delivery, listener] of strangers()) {
    progress(name)
    rows.push({ name, ...(await repeat(rounds, () => verifyOnce(delivery, listener))) })
  }
  for (const framework of FRAMEWORKS) {
    const server = await startServer(framework, 'hookgate')
    for (const [name, bytes] of requests()) {
      progress(`${framework}, ${name}`)
      rows.push({
        name: `${framework}, ${name}`,
        ...(await repeat(rounds, () => requestOnce(server, bytes))),
      })
    }
    server.stop()
  }
  return rows.sort((left, right) => right.first - left.first)
}

async function repeat(rounds, once) {
  const spent = []
  for (let round = 0; round < WARM_UP + rounds; round += 1) spent.push(await once())
  const sorted = spent
    .slice(WARM_UP)
    .map(({ milliseconds }) => milliseconds)
    .sort((left, right) => left - right)
  const [{ reason, milliseconds: first }] = spent
  return { reason, first, milliseconds: sorted[sorted.length >> 1] }
}

async function verifyOnce(delivery, listener) {
  const before = process.cpuUsage()
  const verdict = await verify(delivery, listener)
  const { user, system } = process.cpuUsage(before)
  if (verdict.ok) throw new Error('a stranger was accepted')
  return { milliseconds: (user + system) / 1000, reason: verdict.reason }
}

/** Uses a new connection, because Node closes a connection when it refuses its headers. */
async function requestOnce({ port, cpuUsed }, bytes) {
  const [socket] = await openConnections(port, 1)
  await cpuUsed()
  const status = await exchange(socket, bytes)
  const milliseconds = (await cpuUsed()) / 1000
  socket.destroy()
  if (status[0] !== '4') throw new Error(`a stranger was answered ${status}`)
  return { milliseconds, reason: status }
}
