// Prints what memoryStore() takes for each event, claimed only and committed. Run by memory.mjs with --expose-gc.
import { randomUUID } from 'node:crypto'
import { memoryStore } from 'hookgate/stores/memory'

const RECORDS = 1_000_000
const DAYS_7 = 604_800_000

function bytesInUse() {
  globalThis.gc()
  globalThis.gc()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

function fill(name, records, commits) {
  const before = bytesInUse()
  const store = memoryStore({ maxRecords: RECORDS })
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
  store.release({ listenerId: '', eventId: randomUUID() }, '') // the store has to live until here
  return {
    name,
    records,
    bytes: (full - empty) / records,
    empty: empty - before,
    perSecond: records / seconds,
  }
}

console.log(
  JSON.stringify([
    fill('done, full', RECORDS, true),
    fill('done, just grown', 530_000, true),
    fill('leased, full', RECORDS, false),
  ]),
)
