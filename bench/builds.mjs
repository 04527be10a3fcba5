// node bench/builds.mjs BEFORE AFTER [ALGORITHM]: the CPU cost of a change for a delivery of 1 KB. Each of the first two
// arguments is the `dist` of a checkout.
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { interleave, median } from './rounds.mjs'
import { ALGORITHMS, newKey, tokenDelivery } from './tokens.mjs'
import { CIDRS, ENDPOINT, SECRET, signedDelivery } from './workload.mjs'

const OPERATIONS = 500
const ROUNDS_A_PROCESS = 40
const PROCESSES = Number(process.env.PROCESSES ?? 20)

/** The same for both builds: a store of one build would be measured too. */
const NO_STORE = { claim: () => 'acquired', commit: () => 'committed', release: () => true }

/** Deliveries of 1 KB, verified, claimed and committed by a build. Every ID is new. */
async function variant(name, folder, key) {
  const load = (path) => import(pathToFileURL(resolve(folder, path)).href)
  const { defineListener, hmac, verify } = await load('src/index.js')
  const { jwt, localKeySet } = await load('src/jwt.js')
  const auth = key
    ? jwt({ ...ENDPOINT, keySet: localKeySet(key.jwks) })
    : hmac({ secrets: { id: 'main', secret: SECRET } })
  const listener = defineListener({ id: 'bench', auth, store: NO_STORE, allowedCidrs: CIDRS })
  const deliveryOf = (serial) => (key ? tokenDelivery(key, serial) : signedDelivery(1024, serial))
  let deliveries = []
  const prepare = () => {
    deliveries = Array.from({ length: OPERATIONS }, (_, serial) => deliveryOf(serial))
  }
  const loop = ownLoop()
  return { name, prepare, run: () => loop(verify, listener, deliveries) }
}

/** One per build, so that each gets its own JIT code. */
function ownLoop() {
  return new Function(
    'verify',
    'listener',
    'deliveries',
    `return (async () => {
      for (const delivery of deliveries) {
        const verdict = await verify(delivery, listener)
        if (!verdict.ok) throw new Error(verdict.detail)
        await verdict.event.commit()
      }
    })()`,
  )
}

/** How much slower the second build is than the first, per round, in percent. */
async function changes(first, second) {
  const key = ALGORITHMS.includes(method) ? newKey(method) : undefined
  const variants = [await variant('first', first, key), await variant('second', second, key)]
  const progress = () => {
    for (const { prepare } of variants) prepare()
  }
  const { cpu } = await interleave(variants, { rounds: ROUNDS_A_PROCESS, operations: OPERATIONS, progress })
  return cpu.get('second').map((time, round) => Math.log(time / cpu.get('first')[round]))
}

const [before, after, method = 'HMAC', inside] = process.argv.slice(2)
if (!before || !after || !['HMAC', ...ALGORITHMS].includes(method)) {
  console.error(`node bench/builds.mjs BEFORE AFTER [HMAC|${ALGORITHMS.join('|')}]

Two dist folders. PROCESSES=20 by default.`)
  process.exit(2)
}
if (inside) {
  console.log(JSON.stringify(await changes(before, after)))
} else {
  // The build loaded second is slower for that reason alone, so every other process swaps the order.
  const pairs = Array.from({ length: PROCESSES / 2 }, () => {
    const [there, back] = [run(before, after), run(after, before)]
    return there.map((change, round) => ((change - back[round]) / 2) * 100)
  }).flat()
  report(pairs.toSorted((left, right) => left - right))
}

function run(...folders) {
  const args = [fileURLToPath(import.meta.url), ...folders, method, 'inside']
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}

/** The order statistics of the median's 95 % interval. */
function report(sorted) {
  const middle = sorted.length >> 1
  const reach = Math.ceil(0.98 * Math.sqrt(sorted.length))
  const percent = (value) => `${value.toFixed(2)} %`
  console.log(
    `${process.version}, ${method}, ${sorted.length} pairs of rounds of ${OPERATIONS}: ${percent(median(sorted))}`,
  )
  console.log(`95 % interval: ${percent(sorted[middle - reach])} to ${percent(sorted[middle + reach])}`)
}
