const HELP = `The full-size race and kills of one durable store.

Usage: node test/support/race.mjs SUBJECT [options]     (after npm run build)

  SUBJECT               a file of test/stores/subjects, without .mjs: redis, postgres, sqlite, dynamodb
  --config JSON         where its engine is: '{"port":6379}' (redis), '{"connection":{"port":5432}}' (postgres),
                        '{"client":"libsql","path":"/tmp/events.db"}' (sqlite; with "waitMs":0 the store waits for
                        locks, as in docs/stores/sqlite.md), '{"port":8000}' (dynamodb, after
                        node test/support/dynamodb-engine.mjs FOLDER 0 8000)
  --rounds N            rounds of the race (100); 0 skips it
  --processes N         racing processes (8)
  --deliveries N        of the one event, in each round (1000)
  --renewals N          rounds in which 8 owners renew their leases as these lapse, and all others claim them (100); 0 skips it
  --commits N           events that each of three processes commits at the same time (5000, a multiple of 500); 0 skips it
  --kills N             workers killed (500); 0 skips it
  --lease-ms N          of the killed workers (400)
  --lanes N             killed side by side (4)

Each commit is read back from another process. Exits 1 when an event was taken twice, forgotten or lost.`

import { parseArgs } from 'node:util'
import { runnerImport } from 'vite'

const whole = (value) => ({ type: 'string', default: String(value) })
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: whole(100),
    processes: whole(8),
    deliveries: whole(1000),
    renewals: whole(100),
    commits: whole(5000),
    kills: whole(500),
    'lease-ms': whole(400),
    lanes: whole(4),
    config: whole('{}'),
    help: { type: 'boolean' },
  },
})
if (values.help) {
  console.log(HELP)
  process.exit(0)
}
const [subject] = positionals
if (!subject) throw new Error('name a subject: a file of test/stores/subjects, without .mjs')

const { module } = await runnerImport(new URL('./store-processes.ts', import.meta.url).pathname)
const chosen = { subject, config: JSON.parse(values.config) }
const rounds = Number(values.rounds)
const kills = Number(values.kills)
let failed = false

const seconds = (since) => ((performance.now() - since) / 1000).toFixed(1)

if (rounds > 0) {
  const began = performance.now()
  const processes = Number(values.processes)
  const deliveries = Number(values.deliveries)
  const acceptances = await module.raceProcesses({ ...chosen, rounds, processes, deliveries })
  const right = acceptances.filter((count) => count === 1).length
  failed ||= right !== rounds
  console.log(
    `race: ${rounds} rounds of ${deliveries} deliveries by ${processes} processes: exactly one acceptance in ${right} (${seconds(began)} s)`,
  )
}
const renewals = Number(values.renewals)
if (renewals > 0) {
  const began = performance.now()
  const counts = await module.raceRenewals({
    ...chosen,
    processes: Number(values.processes),
    rounds: renewals,
  })
  failed ||= counts.wrong > 0
  console.log(`renewals: ${JSON.stringify(counts)} (${seconds(began)} s)`)
}
const commits = Number(values.commits)
if (commits > 0) {
  const began = performance.now()
  const counts = await module.commitInProcesses({ ...chosen, processes: 3, events: commits })
  failed ||= counts.forgotten > 0
  console.log(`commits: ${JSON.stringify(counts)} (${seconds(began)} s)`)
}
if (kills > 0) {
  const began = performance.now()
  const counts = await module.killDuring({
    ...chosen,
    kills,
    leaseMs: Number(values['lease-ms']),
    lanes: Number(values.lanes),
  })
  failed ||= counts.lost + counts.runTwiceAfterCommit + counts.takenEarly > 0
  console.log(`kill: ${JSON.stringify(counts)} (${seconds(began)} s)`)
}
process.exitCode = failed ? 1 : 0
