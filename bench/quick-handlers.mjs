// node bench/quick-handlers.mjs BEFORE AFTER: what a change costs a handler that ends at once, in microseconds, from the arrived body to
// the commit, without sockets. Each argument is the `dist` of a checkout.
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { interleave, median } from './rounds.mjs'
import { signedDelivery } from './workload.mjs'

const OPERATIONS = 1000
const ROUNDS_A_PROCESS = 100
const PROCESSES = Number(process.env.PROCESSES ?? 10)

/** The same for both builds. */
const store = {
  claim: () => 'acquired',
  commit: () => 'committed',
  release: () => true,
  renew: () => true,
}

/** A Node response that a handler has ended. */
class Response {
  statusCode = 200
  writableEnded = true
  on(_name, listener) {
    this.finish = listener
    return this
  }
  prependListener() {
    return this
  }
}

async function variant(name, folder, hooks) {
  const load = (path) => import(pathToFileURL(resolve(folder, path)).href)
  const { defineListener } = await load('src/index.js')
  const { createReceiver, settleAtEnd } = await load('adapters/kit/index.js')
  const auth = { authenticate: () => ({ method: 'hmac', secretId: 'main' }) } // a signature would hide the difference
  const listener = defineListener({ id: 'bench', auth, store, ...hooks })
  const receiver = createReceiver(listener)
  let deliveries = []
  const prepare = () => {
    deliveries = Array.from({ length: OPERATIONS }, (_, serial) => signedDelivery(64, serial))
  }
  const loop = ownLoop()
  return { name, prepare, run: () => loop(receiver, settleAtEnd, Response, deliveries) }
}

/** One per build, so that each gets its own JIT code. */
function ownLoop() {
  return new Function(
    'receiver',
    'settleAtEnd',
    'Response',
    'deliveries',
    `return (async () => {
      for (const delivery of deliveries) {
        const { method, header, body } = delivery
        const incoming = { method, header, sourceIp() {}, readBody: async () => body }
        const outcome = await receiver.receiveAndClaim({}, incoming)
        if (outcome.reply) throw new Error(outcome.reply.body)
        const response = new Response()
        settleAtEnd(response, outcome)
        response.finish()
        await null
        await null
      }
    })()`,
  )
}

/** How many microseconds the second build takes longer than the first, in each round. */
async function differences(first, second, hooks) {
  const variants = [await variant('first', first, hooks), await variant('second', second, hooks)]
  const progress = () => {
    for (const { prepare } of variants) prepare()
  }
  const { wall } = await interleave(variants, { rounds: ROUNDS_A_PROCESS, operations: OPERATIONS, progress })
  return {
    base: median(wall.get('first')),
    longer: wall.get('second').map((time, round) => time - wall.get('first')[round]),
  }
}

const HOOKS = {
  'without hooks': { onVerdict: null, onError: null },
  'with onError': { onVerdict: null, onError() {} },
}

const [before, after, inside] = process.argv.slice(2)
if (!before || !after) {
  console.error(`node bench/quick-handlers.mjs BEFORE AFTER

Two dist folders. PROCESSES=${PROCESSES} by default.`)
  process.exit(2)
}
if (inside) {
  console.log(JSON.stringify(await differences(before, after, HOOKS[inside])))
} else {
  for (const name of Object.keys(HOOKS)) report(name)
}

/** The build loaded second is slower for that reason alone, so every other process swaps the order. */
function report(name) {
  const bases = []
  const longer = Array.from({ length: PROCESSES / 2 }, () => {
    const [there, back] = [run(before, after, name), run(after, before, name)]
    bases.push(there.base)
    return there.longer.map((difference, round) => (difference - back.longer[round]) / 2)
  })
    .flat()
    .toSorted((left, right) => left - right)
  const middle = longer.length >> 1
  const reach = Math.ceil(0.98 * Math.sqrt(longer.length))
  const micros = (value) => `${value.toFixed(3)} µs`
  console.log(
    `${process.version}, ${name}: ${micros(median(longer))} longer than ${micros(median(bases))}, 95 % interval ${micros(longer[middle - reach])} to ${micros(longer[middle + reach])}`,
  )
}

function run(...given) {
  const args = [fileURLToPath(import.meta.url), ...given]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}
