const HELP = `The full-size race and kills of the stores of Cloudflare, on a real workerd with its storage on disk.

Usage: node test/workerd/served/race.mjs [options]     (after npm run build and npm install --no-save --prefix test/suites/runtimes)

  --engines LIST        durable-object,d1 (both)
  --rounds N            rounds of the race (100); 0 leaves it out
  --processes N         that send requests (8)
  --deliveries N        of the one event, in each round (1000)
  --kills N             times that workerd is killed (500); 0 leaves it out
  --interrupted N       deliveries of each engine under way at each kill (4)
  --lease-ms N          of those deliveries (3000)

Exits 1 when an event was taken twice or lost.`

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runnerImport } from 'vite'

const option = (value) => ({ type: 'string', default: String(value) })
const { values } = parseArgs({
  options: {
    engines: option('durable-object,d1'),
    rounds: option(100),
    processes: option(8),
    deliveries: option(1000),
    kills: option(500),
    interrupted: option(4),
    'lease-ms': option(3000),
    help: { type: 'boolean' },
  },
})
if (values.help) {
  console.log(HELP)
  process.exit(0)
}

const load = async (path) => (await runnerImport(new URL(path, import.meta.url).pathname)).module
const { raceProcesses } = await load('../../support/store-processes.ts')
const { killWorkerd } = await load('./kills.ts')
const { startWorkerd } = await load('./workerd-server.ts')

const engines = values.engines.split(',')
const rounds = Number(values.rounds)
const kills = Number(values.kills)
const folder = await mkdtemp(join(tmpdir(), 'hookgate-workerd-'))
let failed = false

try {
  if (rounds > 0) {
    const workerd = await startWorkerd(folder)
    const processes = Number(values.processes)
    const deliveries = Number(values.deliveries)
    for (const engine of engines) {
      const config = { url: workerd.url, engine }
      const acceptances = await raceProcesses({ subject: 'workerd', config, processes, rounds, deliveries })
      const right = acceptances.filter((count) => count === 1).length
      failed ||= right !== rounds
      console.log(
        `race: ${engine}: ${rounds} rounds of ${deliveries} deliveries by ${processes} processes: exactly one acceptance in ${right}`,
      )
    }
    await workerd.kill()
  }
  if (kills > 0) {
    const counts = await killWorkerd({
      folder,
      engines,
      kills,
      deliveries: Number(values.interrupted),
      leaseMs: Number(values['lease-ms']),
      onKill: (kill, counts) => kill % 25 === 24 && console.error(JSON.stringify(counts)),
    })
    for (const [engine, count] of Object.entries(counts)) {
      failed ||= count.lost + count.runTwiceAfterCommit + count.takenEarly > 0
      console.log(`kill: ${engine}: ${JSON.stringify(count)}`)
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
process.exitCode = failed ? 1 : 0
