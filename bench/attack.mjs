import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { exchange, requestBytes, sendAll } from './http/client.mjs'
import { startServer } from './http/server-process.mjs'
import { signedDelivery } from './workload.mjs'

const FRAMEWORKS = ['Express 5', 'Fastify', 'Hono']
const CONNECTIONS = 64
const PER_SECOND = 500
const WARM_UP = 10_000

/** The latency of other senders in milliseconds, alone and during an attack. A round is one second. */
export async function measure({ rounds: seconds, progress }) {
  const rows = []
  for (const framework of FRAMEWORKS) {
    progress(`${framework}, warming up`)
    const server = await startServer(framework, 'hookgate', { connections: CONNECTIONS })
    const nextRequests = signer()
    await sendAll(server.sockets, nextRequests(WARM_UP))
    const requests = [nextRequests(seconds * PER_SECOND), nextRequests(seconds * PER_SECOND)]
    progress(`${framework}, alone`)
    const alone = await sendSteadily(server.sockets, requests[0])
    const stopAttack = await attack(server.port)
    progress(`${framework}, attacked`)
    const attacked = await sendSteadily(server.sockets, requests[1])
    rows.push({ framework, sent: requests[1].length, alone, attacked, strangers: await stopAttack() })
    server.stop()
  }
  return rows
}

function signer() {
  let serial = 0
  return (count) => Array.from({ length: count }, () => requestBytes(signedDelivery(1024, serial++)))
}

/** Sends at a fixed rate. A request counts from when it was due, even if it had to wait for the previous one. */
async function sendSteadily(sockets, requests) {
  const times = []
  let refused = 0
  const start = performance.now()
  const lane = async (socket, first) => {
    for (let at = first; at < requests.length; at += sockets.length) {
      const due = start + (at * 1000) / PER_SECOND
      const early = due - performance.now()
      if (early > 0) await delay(early)
      const from = early > 0 ? performance.now() : due
      if ((await exchange(socket, requests[at])) !== '200') refused += 1
      times.push(performance.now() - from)
    }
  }
  await Promise.all(sockets.map(lane))
  times.sort((left, right) => left - right)
  const quantile = (share) => times[Math.floor(times.length * share)]
  return { median: quantile(0.5), p99: quantile(0.99), worst: times.at(-1), refused }
}

/** @returns a function that ends the attack and reports how many attackers were answered per second, and with what. */
async function attack(port) {
  const child = fork(fileURLToPath(new URL('http/attacker.mjs', import.meta.url)), [`${port}`])
  child.once('exit', (code) => code && process.exit(code))
  await once(child, 'message')
  return async () => {
    child.send('stop')
    const [{ answers, seconds }] = await once(child, 'message')
    const total = Object.values(answers).reduce((sum, count) => sum + count, 0)
    return { perSecond: total / seconds, statuses: Object.keys(answers).join(' ') }
  }
}
