// How long it takes from `put` to the start of the handler, for one job at a time and an idle worker, on a Postgres with fsync and
// synchronous_commit on: if the worker's own process puts, which wakes it, and if another one does, so that it polls.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'
import { median, shuffled } from './rounds.mjs'

const JOBS = 20
/** Rounds of the same processes, of which the first one is not measured. Memory layout makes processes differ. */
const ROUNDS_A_SESSION = 6
const RESAMPLES = 2000
/** `pauseMs` is the longest time between two jobs. */
const WAYS = [
  { way: 'by its own process', pollMs: 1000, pauseMs: 5, processes: [{ puts: true, runs: true }] },
  { way: 'by another process', pollMs: 100, pauseMs: 100, processes: [{ puts: true }, { runs: true }] },
]
const script = fileURLToPath(new URL('latency-process.mjs', import.meta.url))
const THIS = fileURLToPath(new URL('../dist', import.meta.url))

export async function measure({ rounds, progress, before }) {
  const path = new URL('../test/support/postgres-server.ts', import.meta.url).pathname
  const { PostgresServer, WHY_NO_POSTGRES } = (await runnerImport(path)).module
  if (WHY_NO_POSTGRES) {
    console.error(`latency: ${WHY_NO_POSTGRES}`)
    return []
  }
  const builds = [{ name: 'this', dist: THIS }, ...(before ? [{ name: 'before', dist: before }] : [])]
  const server = await PostgresServer.start('fsync=on', 'synchronous_commit=on', 'shared_buffers=128MB')
  const rows = []
  for (const given of WAYS) {
    const told = (round) => progress(`put ${given.way}, round ${round + 1} of ${rounds}`)
    const measured = await roundsOf(builds, given, { rounds, address: server.address, told })
    for (const from of ['called', 'returned'])
      rows.push({ way: given.way, from, rounds, ...compared(measured, from) })
  }
  await server.remove()
  return rows
}

/** The jobs of each build, by round. */
async function roundsOf(builds, given, { rounds, address, told }) {
  const measured = new Map(builds.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; ) {
    const subjects = await Promise.all(builds.map((build) => open(build, given, address)))
    for (let ofSession = 0; ofSession < ROUNDS_A_SESSION && round < rounds; ofSession += 1) {
      told(round)
      for (const { name, jobs } of shuffled(subjects)) {
        const found = await jobs()
        if (ofSession > 0) measured.get(name).push(found)
      }
      if (ofSession > 0) round += 1
    }
    await Promise.all(subjects.map(({ close }) => close()))
  }
  return measured
}

async function open({ name, dist }, { pollMs, pauseMs, processes }, address) {
  const started = processes.map(async (does) => {
    const options = { dist, address, table: `inbox_${name}`, pollMs, ...does }
    const child = fork(script, [JSON.stringify(options)], { serialization: 'advanced' })
    child.once('exit', (code) => code && process.exit(code))
    await once(child, 'message')
    return child
  })
  const children = await Promise.all(started)
  async function ask(message) {
    const answers = children.map(async (child) => {
      child.send(message)
      const [answer] = await once(child, 'message')
      return answer
    })
    return Object.assign({}, ...(await Promise.all(answers)))
  }
  /** The worker's first job, for which it also probes its client, is not measured. The pauses cover the time between two polls evenly. */
  async function jobs() {
    await ask({ name: 'work' })
    await ask({ name: 'job', pauseMs: 0 })
    const pauses = Array.from({ length: JOBS }, (_, job) => ((job + Math.random()) / JOBS) * pauseMs)
    const found = []
    for (const pause of shuffled(pauses)) found.push(await ask({ name: 'job', pauseMs: pause }))
    await ask({ name: 'stop' })
    return found
  }
  const close = () =>
    Promise.all(
      children.map(async (child) => {
        child.disconnect()
        await once(child, 'exit')
      }),
    )
  return { name, jobs, close }
}

/** The median of all jobs, in milliseconds, next to the other build's, with the 95 % interval of rounds drawn at random. */
function compared(measured, from) {
  const times = (name) =>
    measured.get(name)?.map((jobs) => jobs.map((job) => Number(job.started - job[from]) / 1e6))
  const [these, others] = [times('this'), times('before')]
  const milliseconds = median(these.flat())
  if (others === undefined) return { milliseconds }
  const ratioOf = (rounds) => medianOf(these, rounds) / medianOf(others, rounds)
  const all = these.map((_, round) => round)
  const ratios = Array.from({ length: RESAMPLES }, () =>
    ratioOf(all.map(() => Math.floor(Math.random() * all.length))),
  ).toSorted((left, right) => left - right)
  const [low, high] = [0.025, 0.975].map((part) => ratios[Math.floor(part * RESAMPLES)])
  return { milliseconds, toBefore: ratioOf(all), low, high }
}

const medianOf = (times, rounds) => median(rounds.flatMap((round) => times[round]))
