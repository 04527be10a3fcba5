import { requestBytes, sendAll } from './http/client.mjs'
import { startServer } from './http/server-process.mjs'
import { interleave, median, ratio } from './rounds.mjs'
import { newKey, tokenDelivery } from './tokens.mjs'
import { signedDelivery } from './workload.mjs'

const CONNECTIONS = 32
const SIZE = 1024
/** Requests per server and round. */
const REQUESTS = 800
/**
 * A process keeps compiling its code for about 16,000 requests. These rounds do not count, except that the first is
 * "new".
 */
const WARM_UP = 24
const NEW = 10
const STACK = 'standardwebhooks + lru-cache'
const EXPRESS = ['bare', 'floor', 'floor behind express.raw', 'hookgate', 'stack']
const OTHERS = ['bare', 'floor', 'hookgate', 'stack']
const FAMILIES = [
  { framework: 'Express 5', variants: EXPRESS },
  { framework: 'Express 4', variants: EXPRESS },
  { framework: 'Fastify', variants: OTHERS },
  { framework: 'Hono', variants: OTHERS },
  { framework: 'Hono', variants: ['bare', 'floor', 'hookgate', 'hono jwk + lru-cache'], algorithm: 'ES256' },
]

/** Memory layout makes processes differ by several per cent, so each variant has several processes in turn. */
const SESSIONS = 4

/** One server process per variant, one client, 32 connections. Compares throughput and CPU with the inline floor. */
export async function measure({ rounds: wanted, progress }) {
  const rows = []
  for (const family of FAMILIES) {
    const { framework, variants, algorithm } = family
    const name = `${framework}${algorithm ? `, ${algorithm}` : ''}`
    const wall = new Map(variants.map((variant) => [variant, []]))
    const cpu = new Map(variants.map((variant) => [variant, []]))
    const cpuWhenNew = new Map(variants.map((variant) => [variant, []]))
    for (let session = 1; session <= SESSIONS; session += 1) {
      const rounds = Math.ceil(wanted / 2 / SESSIONS)
      const where = (text) => progress(`${name}, servers ${session} of ${SESSIONS}, ${text}`)
      const times = await measureServers(family, rounds, where)
      for (const variant of variants) {
        wall.get(variant).push(...times.wall.get(variant))
        cpu.get(variant).push(...times.cpu.get(variant).slice(WARM_UP))
        cpuWhenNew.get(variant).push(...times.cpu.get(variant).slice(0, NEW))
      }
    }
    rows.push(...variants.map((variant) => rowOf(name, variant, { wall, cpu, cpuWhenNew })))
  }
  return rows
}

function rowOf(framework, variant, { wall, cpu, cpuWhenNew }) {
  return {
    framework,
    name: variant === 'stack' ? STACK : variant,
    perSecond: 1e6 / median(wall.get(variant)),
    toFloor: 1 / ratio(wall, variant, 'floor'),
    toBare: 1 / ratio(wall, variant, 'bare'),
    cpu: median(cpu.get(variant)),
    cpuToFloor: ratio(cpu, variant, 'floor'),
    cpuToBare: ratio(cpu, variant, 'bare'),
    cpuToFloorWhenNew: ratio(cpuWhenNew, variant, 'floor'),
  }
}

/** Microseconds per request and round, of wall time and of server CPU. The latter includes the first rounds. */
async function measureServers({ framework, variants, algorithm }, rounds, progress) {
  const key = algorithm && newKey(algorithm)
  const requests = REQUESTS
  const all = WARM_UP + rounds
  const pools = poolsOf(all, requests, key)
  const servers = await Promise.all(
    variants.map((variant) => startServer(framework, variant, { connections: CONNECTIONS, key })),
  )
  const cpu = new Map(variants.map((variant) => [variant, []]))
  const runs = servers.map(({ variant, sockets, cpuUsed }) => ({
    name: variant,
    run: async (round) => {
      await sendAll(sockets, pools[variant === 'stack' ? 'standard' : 'ours'][round])
      cpu.get(variant).push((await cpuUsed()) / requests)
    },
  }))
  const { wall } = await interleave(runs, { rounds, warmUp: WARM_UP, operations: requests, progress })
  for (const { stop } of servers) stop()
  return { wall, cpu }
}

/** The requests of each round, signed with hookgate's scheme and, except for tokens, with the peers' scheme. */
function poolsOf(rounds, requests, key) {
  const pools = { ours: [], standard: [] }
  for (let round = 0; round < rounds; round += 1) {
    const made = Array.from({ length: requests }, (_, index) => {
      const serial = round * requests + index
      return key ? tokenDelivery(key, serial) : signedDelivery(SIZE, serial)
    })
    pools.ours.push(made.map(requestBytes))
    pools.standard.push(
      key
        ? []
        : made.map(({ standard, body }) =>
            requestBytes({ headers: { 'content-type': 'application/json', ...standard }, body }),
          ),
    )
  }
  return pools
}
