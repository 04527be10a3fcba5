// A process of latency.mjs: puts events, runs their jobs, or both.
import { once } from 'node:events'
import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import pg from 'pg'

const SECRET = 'a-secret-of-the-bench-32-characters'
/** A worker that has asked nothing for so long is idle. */
const QUIET_MS = 5

const { dist, address, table, puts, runs, pollMs } = JSON.parse(process.argv[2])
const build = (module) => import(pathToFileURL(resolve(dist, 'src', module, 'index.js')).href)
const [{ inbox }, { defineListener, hmac, verify }, { signHmac, toDelivery }] = await Promise.all(
  ['inbox', '.', 'testing'].map(build),
)
const pool = new pg.Pool(address)
let asking = 0
let askedAt = 0
async function query(text, values) {
  asking += 1
  try {
    return await pool.query(text, values)
  } finally {
    asking -= 1
    askedAt = performance.now()
  }
}
const box = inbox({ query }, { table })
await box.migrate()
const listener = defineListener({
  ...{ id: 'bench', auth: hmac({ secrets: SECRET }), store: box.store, onError: null },
  storeTimeoutSeconds: 60, // a busy machine is no failure
})

let onStart
let worker
const does = {
  work() {
    worker = runs ? box.work(listener, () => onStart(process.hrtime.bigint()), { pollMs }) : undefined
  },
  stop: () => worker?.stop(),
  /** One job, `pauseMs` after the last one: when `put` was called, when it returned and when the handler started, as far as they are known. */
  async job({ pauseMs }) {
    const started = new Promise((resolve) => {
      onStart = resolve
    })
    const put = puts ? await putAfter(pauseMs) : {}
    return runs ? { ...put, started: await settled(started) } : put
  },
}

async function putAfter(pauseMs) {
  const signed = await signHmac({ secret: SECRET, body: '{"type":"order.paid","total":1250}' })
  await pause(pauseMs)
  const { event } = await verify(toDelivery(signed), listener)
  const called = process.hrtime.bigint()
  await box.put(event)
  const returned = process.hrtime.bigint()
  await event.commit()
  return { called, returned }
}

async function settled(started) {
  const startedAt = await started
  while (asking > 0 || performance.now() - askedAt < QUIET_MS) await pause(1)
  return startedAt
}

process.send('ready')
process.on('disconnect', () => process.exit())
for (;;) {
  const [{ name, ...given }] = await once(process, 'message')
  process.send((await does[name](given)) ?? {})
}
