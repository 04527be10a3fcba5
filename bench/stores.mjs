const HELP = `node bench/stores.mjs [options]          (after npm run build)

Measures the bytes per event and the time per call of each durable store, on its own servers, and prints the tables of
bench/README.md. Needs redis-server and Postgres. Skips and names what is missing.

Options:
  --events N    events per store (default 100,000; fewer make the bytes less exact)
  --calls N     sequential claims, for the median (default 2,000)
  --help        show this help`

import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '100000' },
    calls: { type: 'string', default: '2000' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(HELP)
  process.exit(0)
}
const costs = await import('./store-costs.mjs')

const size = { events: Number(values.events), calls: Number(values.calls) }
/** Fewer events for stores that wait for a disk. Their bytes are not reported. */
const synced = { ...size, events: Math.min(size.events, size.calls + 2000) }
/** The events in one hash for a listener with the default shards and 30 million events per day. */
const compact = { layout: 'compact', shards: Math.max(1, Math.round(size.events / 460)) }

const SUBJECTS = [
  { name: 'Redis, plain', missing: costs.REDIS_MISSING, measure: () => costs.redisCosts(size) },
  {
    name: "Redis, `layout: 'compact'`",
    missing: costs.REDIS_MISSING,
    measure: () => costs.redisCosts(size, compact),
  },
  {
    name: 'Postgres, `synchronous_commit` off',
    space: 'Postgres, freshly vacuumed',
    missing: costs.WHY_NO_POSTGRES,
    measure: () => costs.postgresCosts(size, 'off'),
  },
  {
    name: 'Postgres, `synchronous_commit` on',
    space: null,
    missing: costs.WHY_NO_POSTGRES,
    measure: () => costs.postgresCosts(synced, 'on'),
  },
  { name: 'SQLite, WAL, `synchronous = NORMAL`', space: 'SQLite', measure: () => costs.sqliteCosts(size) },
  { name: 'SQLite without its index', measure: () => costs.sqliteCosts(size, { index: false }) },
  {
    name: 'SQLite, WAL, `synchronous = FULL`',
    space: null,
    measure: () => costs.sqliteCosts(synced, { synchronous: 'FULL' }),
  },
]

const WEEK_SECONDS = 604_800
const RATES = [100, 1000, 10_000]

function gigabytes(bytes) {
  const size = bytes / 1e9
  return size >= 1000 ? `${(size / 1000).toFixed(2)} TB` : `${size.toFixed(size < 10 ? 1 : 0)} GB`
}

const spaceRow = (name, bytes) =>
  `| ${name} | ${bytes.toFixed(0)} | ${RATES.map((rate) => gigabytes(bytes * rate * WEEK_SECONDS)).join(' | ')} |`

const callRow = (name, { oneMs, aSecond }) =>
  `| ${name} | ${oneMs.toFixed(2)} ms | ${(Math.round(aSecond / 100) * 100).toLocaleString('en')} |`

const space = []
const speed = []
for (const { name, space: spaceName = name, missing, measure } of SUBJECTS) {
  if (missing !== undefined) {
    console.error(`${name}: ${missing}`)
    continue
  }
  const result = await measure()
  speed.push(callRow(name, result))
  if (spaceName === null) continue
  space.push(spaceRow(spaceName, result.bytes))
  if (result.bytesUnvacuumed)
    space.push(spaceRow('Postgres, before its first vacuum', result.bytesUnvacuumed))
}
console.log(
  '| | bytes per event | 100/s (60 M events) | 1,000/s (605 M) | 10,000/s (6 G) |\n|---|---:|---:|---:|---:|',
)
console.log(space.join('\n'))
console.log('\n| one call | one at a time | per second, 64 at once |\n|---|---:|---:|')
console.log(speed.join('\n'))
