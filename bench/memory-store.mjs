// What memoryStore() takes for each event, full and empty:
//   npm run build && node --expose-gc bench/memory-store.mjs
import { randomUUID } from 'node:crypto'
import { memoryStore } from 'hookgate/stores/memory'

const RECORDS = 1_000_000
const RETENTION_MS = 604_800_000

function bytesInUse() {
  globalThis.gc()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

if (typeof globalThis.gc !== 'function') throw new Error('run it with node --expose-gc')
const before = bytesInUse()
const store = memoryStore({ maxRecords: RECORDS })
const empty = bytesInUse()
for (let index = 0; index < RECORDS; index += 1) {
  const key = { listenerId: `listener-${index % 3}`, eventId: randomUUID() }
  store.claim(key, `owner.${index}`, 60_000)
  store.commit(key, `owner.${index}`, RETENTION_MS)
}
const full = bytesInUse()
console.log(`empty: ${empty - before} bytes`)
console.log(`full: ${RECORDS} records, ${((full - empty) / RECORDS).toFixed(0)} bytes each`)
store.release({ listenerId: '', eventId: randomUUID() }, '') // the store has to live until here
