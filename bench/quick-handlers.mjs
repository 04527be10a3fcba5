// node bench/quick-handlers.mjs BEFORE AFTER: what a change costs a handler that ends at once, in microseconds, from the arrived body to
// the commit, without sockets. Each argument is the `dist` of a checkout.
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { interleave, least, median } from './rounds.mjs'
import { signedDelivery } from './workload.mjs'

const OPERATIONS = 200
const ROUNDS_A_PROCESS = 500
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
  const { createReceiver, settleAfter } = await load('adapters/kit/index.js')
  const auth = { authenticate: () => ({ method: 'hmac', secretId: 'main' }) } // a signature would hide the difference
  const listener = defineListener({ id: 'bench', auth, store, ...hooks })
  const receiver = createReceiver(listener)
  let deliveries = []
  const prepare = () => {
    deliveries = Array.from({ length: OPERATIONS }, (_, serial) => signedDelivery(64, serial))
  }
  const loop = ownLoop()
  return { name, prepare, run: () => loop(receiver, settleAfter, Response, deliveries) }
}

/** One per build, so that each gets its own JIT code. */
function ownLoop() {
  return new Function(
    'receiver',
    'settleAfter',
    'Response',
    'deliveries',
    `return (async () => {
      for (const delivery of deliveries) {
        const { method, header, body } = delivery
        const incoming = { method, header, sourceIp() {}, readBody: async () => body }
        const outcome = await receiver.receiveAndClaim({}, incoming)
        if (outcome.reply) throw new Error(outcome.reply.body)
        const response = new Response()
        settleAfter(response, outcome)
        response.finish()
        await null
        await null
      }
    })()`,
  )
}

/** The shortest time of both builds, in microseconds: whatever else the machine does only adds to it. */
async function shortest(first, second, hooks) {
  const variants = [await variant('first', first, hooks), await variant('second', second, hooks)]
  const progress = () => {
    for (const { prepare } of variants) prepare()
  }
  const { wall } = await interleave(variants, { rounds: ROUNDS_A_PROCESS, operations: OPERATIONS, progress })
  return [least(wall, 'first'), least(wall, 'second')]
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
  console.log(JSON.stringify(await shortest(before, after, HOOKS[inside])))
} else {
  for (const name of Object.keys(HOOKS)) report(name)
}

/** The build loaded second is slower for that reason alone, so every other process swaps the order. */
function report(name) {
  const pairs = Array.from({ length: PROCESSES / 2 }, () => {
    const [base, changed] = run(before, after, name)
    const [changedFirst, baseSecond] = run(after, before, name)
    return { base: (base + baseSecond) / 2, longer: (changed - base + changedFirst - baseSecond) / 2 }
  })
  const of = (member) => `${median(pairs.map((pair) => pair[member])).toFixed(3)} µs`
  const each = pairs.map(({ longer }) => longer.toFixed(2)).join(', ')
  console.log(`${process.version}, ${name}: ${of('longer')} longer than ${of('base')} (${each})`)
}

function run(...given) {
  const args = [fileURLToPath(import.meta.url), ...given]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}
