import { requestBytes, sendAll } from './http/client.mjs'
import { startServer } from './http/server-process.mjs'
import { interleave, median, ratio, roundsInAll } from './rounds.mjs'
import { newKey, tokenDelivery } from './tokens.mjs'
import { signedDelivery } from './workload.mjs'

const CONNECTIONS = 32
const SIZE = 1024
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

/** A server process for each variant, one client, 32 connections; requests a second and CPU, to the inline floor's. */
export async function measure({ rounds: wanted, progress }) {
  const rounds = Math.ceil(wanted / 2)
  const rows = []
  for (const family of FAMILIES) {
    rows.push(...(await measureFamily(family, rounds, progress)))
  }
  return rows
}

async function measureFamily({ framework, variants, algorithm }, rounds, progress) {
  const key = algorithm && newKey(algorithm)
  const requests = algorithm ? 300 : 800
  const pools = { ours: [], standard: [] }
  for (let round = 0; round < roundsInAll(rounds); round += 1) {
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
  const where = (text) => progress(`${framework}${algorithm ? ` ${algorithm}` : ''}, ${text}`)
  const { wall } = await interleave(runs, { rounds, operations: requests, progress: where })
  for (const { stop } of servers) stop()
  return variants.map((variant) => ({
    framework: algorithm ? `${framework}, ${algorithm}` : framework,
    name: variant === 'stack' ? STACK : variant,
    perSecond: 1e6 / median(wall.get(variant)),
    toFloor: 1 / ratio(wall, variant, 'floor'),
    toBare: 1 / ratio(wall, variant, 'bare'),
    cpu: median(cpu.get(variant).slice(-rounds)),
    cpuToFloor: cpuRatio(cpu, variant, 'floor', rounds),
    cpuToBare: cpuRatio(cpu, variant, 'bare', rounds),
  }))
}

const cpuRatio = (cpu, name, base, rounds) =>
  ratio(new Map([...cpu].map(([variant, used]) => [variant, used.slice(-rounds)])), name, base)
