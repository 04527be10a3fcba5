// node bench/http-builds.mjs FRAMEWORK BEFORE AFTER: the cost of a change for a request of 1 KB, in the server's CPU
// time. BEFORE and AFTER are built checkouts.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { requestBytes, sendAll } from './http/client.mjs'
import { signedDelivery } from './workload.mjs'

const CONNECTIONS = 32
const REQUESTS = 800
const ROUNDS = 24
const SESSIONS = Number(process.env.SESSIONS ?? 4)
/** Warm-up rounds: 72,000 requests. After 16,000, a build with more functions is still being compiled. */
const WARM_UP = Number(process.env.WARM_UP ?? 90)

const [framework, ...checkouts] = process.argv.slice(2)
if (checkouts.length !== 2) {
  console.error(
    'node bench/http-builds.mjs "Express 5"|"Express 4"|Fastify|Hono BEFORE AFTER (SESSIONS=4 WARM_UP=90 by default)',
  )
  process.exit(2)
}
const changes = []
for (let session = 1; session <= SESSIONS; session += 1) changes.push(...(await compare(session)))
report(changes.toSorted((left, right) => left - right))

/** The CPU ratio of the second build to the first, per round. Both get the same requests, in random order. */
async function compare(session) {
  const servers = await Promise.all(checkouts.map(start))
  const ratios = []
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    if (process.stderr.isTTY)
      process.stderr.write(`\r\x1b[Ksession ${session} of ${SESSIONS}, round ${round + 1}`)
    const requests = Array.from({ length: REQUESTS }, (_, index) =>
      requestBytes(signedDelivery(1024, round * REQUESTS + index)),
    )
    const used = new Map()
    for (const server of Math.random() < 0.5 ? servers : servers.toReversed()) {
      await sendAll(server.sockets, requests)
      used.set(server, await server.cpuUsed())
    }
    if (round >= WARM_UP) ratios.push(used.get(servers[1]) / used.get(servers[0]))
  }
  for (const { stop } of servers) stop()
  return ratios
}

async function start(checkout) {
  const script = pathToFileURL(resolve(checkout, 'bench/http/server-process.mjs')).href
  const { startServer } = await import(script)
  return startServer(framework, 'hookgate', { connections: CONNECTIONS })
}

function report(ratios) {
  const middle = ratios.length / 2
  const spread = 0.98 * Math.sqrt(ratios.length)
  const [low, median, high] = [middle - spread, middle, middle + spread].map((at) =>
    ratios[Math.floor(at)].toFixed(3),
  )
  console.log(
    `${framework}: ${median} x the CPU of before (95 % interval ${low} to ${high}), ${ratios.length} rounds`,
  )
}
