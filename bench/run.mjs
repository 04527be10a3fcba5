// npm run bench -- [suite …] [--quick] [--rounds N] [--before DIST] [--write]
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { tables } from './tables.mjs'

const SUITES = [
  'hmac',
  'schemes',
  'jwt',
  'refusals',
  'http',
  'memory',
  'cpu',
  'hostile',
  'stall',
  'attack',
  'growth',
  'inbox',
  'latency',
]

const HELP = `npm run bench -- [suite ...] [options]

Compares hookgate with the floor of the machine and with its peers, in interleaved rounds. Ratios are medians of
the rounds' ratios, and microseconds are minimums. "npm run bench" builds first.

Suites: ${SUITES.join(', ')} (default: all)
  hmac       a verified delivery of 256 B, 1 KB, 8 KB, 64 KB
  schemes    Stripe, Standard Webhooks, GitHub, next to their own packages; and a wrong signature over 8 KB
  jwt        RS256, ES256, EdDSA; one at a time, and 32 at once
  refusals   wrong signature, stale timestamp, oversize, unknown kid
  http       requests per second and CPU, in Express 4 and 5, Fastify, Hono
  memory     bytes per record of memoryStore()
  cpu        the highest cost of an unauthenticated request
  hostile    the cost of reading a hostile body before authentication, in all schemes
  stall      the longest time for which a large body with a wrong signature keeps all else from running
  growth     the memory that 100,000 mixed requests leave in a server
  inbox      deliveries put and jobs run per second, next to pg-boss and graphile-worker. Needs Postgres and npm run test:queues
  latency    from put to the start of its handler, next to another build. Needs Postgres
  attack     other senders' latency during 1,000 stalled bodies and 2,000 wrong signatures per second (a round is a second)

Options:
  --quick        few rounds, to see that it works
  --rounds N     measured rounds (default 45)
  --before DIST  the dist of another checkout, for latency
  --write        write results/node-<major>.json, and update README.md and the plot
  --help         show this help
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    before: { type: 'string' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const unknown = positionals.filter((name) => !SUITES.includes(name))
const rounds = Number(values.rounds ?? (values.quick ? 6 : 45))
if (values.help || unknown.length > 0 || !Number.isSafeInteger(rounds) || rounds < 1) {
  console.log(HELP)
  if (unknown.length > 0) console.error(`Unknown suite: ${unknown.join(', ')}.`)
  process.exit(values.help ? 0 : 2)
}

const progress = (text) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
}

const file = new URL(`results/node-${process.versions.node.split('.')[0]}.json`, import.meta.url)
const results = {}
for (const suite of SUITES) {
  if (positionals.length > 0 && !positionals.includes(suite)) continue
  const { measure } = await import(`./${suite}.mjs`)
  const rows = await measure({
    rounds,
    before: values.before,
    progress: (text) => progress(`${suite}: ${text}`),
  })
  results[suite] = { node: process.version, rounds: rows[0]?.rounds ?? rounds, rows }
  progress('')
  console.log(`\n${tables[suite](rows)}`)
}
if (values.write) {
  mkdirSync(new URL('.', file), { recursive: true })
  const kept = readKept()
  writeFileSync(file, `${JSON.stringify({ ...kept, ...results }, rounded, 1)}\n`)
  await import('./report.mjs')
}

function readKept() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}

function rounded(_, value) {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value
}
