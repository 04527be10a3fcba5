// Prints the bytes per event of memoryStore(), claimed and committed, and the time of its slowest claim. memory.mjs
// runs it with --expose-gc.
import { randomUUID } from 'node:crypto'
import { memoryStore } from 'hookgate/stores/memory'

/** The default of `maxRecords`. */
const RECORDS = 100_000
const MANY = 1_000_000
const DAYS_7 = 604_800_000

function bytesInUse() {
  globalThis.gc()
  globalThis.gc()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

function fill(name, records, commits) {
  const before = bytesInUse()
  const store = memoryStore({ maxRecords: records })
  const empty = bytesInUse()
  const start = performance.now()
  for (let index = 0; index < records; index += 1) {
    const key = { listenerId: `listener-${index % 3}`, eventId: randomUUID() }
    const owner = `owner.${index}`
    store.claim(key, owner, 60_000)
    if (commits) store.commit(key, owner, DAYS_7)
  }
  const seconds = (performance.now() - start) / 1000
  const full = bytesInUse()
  store.release({ listenerId: '', eventId: randomUUID() }, '') // keeps the store alive until here
  return {
    name,
    records,
    bytes: (full - before) / records,
    empty: empty - before,
    perSecond: records / seconds,
  }
}

/**
 * The slowest claim while a store fills up, in milliseconds. Each claim counts with its minimum over five fills. Growth
 * always happens at the same claim, noise does not.
 */
function slowestClaim() {
  const least = new Float64Array(RECORDS).fill(Number.POSITIVE_INFINITY)
  for (let filled = 0; filled < 5; filled += 1) {
    const store = memoryStore({ maxRecords: RECORDS })
    for (let index = 0; index < RECORDS; index += 1) {
      const key = { listenerId: `listener-${index % 3}`, eventId: randomUUID() }
      const start = performance.now()
      store.claim(key, 'owner', 60_000)
      least[index] = Math.min(least[index], performance.now() - start)
      store.commit(key, 'owner', DAYS_7)
    }
  }
  return least.reduce((slowest, milliseconds) => Math.max(slowest, milliseconds))
}

const rows = [
  fill('done, full', RECORDS, true),
  fill('leased, full', RECORDS, false),
  fill('done, full', MANY, true),
]
console.log(JSON.stringify({ rows, slowestClaim: slowestClaim() }))
