// The full-size race and kills of one durable store, printed:
//   node test/support/race.mjs <subject> --rounds 100 --processes 8 --deliveries 1000 --kills 500 --config JSON
// The subject is a file of test/stores/subjects; `npm run build` first. Leaves with 1 when an event was taken twice or lost.
import { parseArgs } from 'node:util'
import { runnerImport } from 'vite'

const whole = (value) => ({ type: 'string', default: String(value) })
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: whole(100),
    processes: whole(8),
    deliveries: whole(1000),
    kills: whole(500),
    'lease-ms': whole(400),
    lanes: whole(4),
    config: whole('{}'),
  },
})
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
  const acceptances = await module.raceAcross({ ...chosen, rounds, processes, deliveries })
  const right = acceptances.filter((count) => count === 1).length
  failed ||= right !== rounds
  console.log(
    `race: ${rounds} rounds of ${deliveries} deliveries by ${processes} processes: exactly one acceptance in ${right} (${seconds(began)} s)`,
  )
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
