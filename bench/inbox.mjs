// How many deliveries a second are verified and put, and how many jobs a second one worker runs, ten at once: by the inbox, by pg-boss
// and by graphile-worker, on one Postgres with fsync and synchronous_commit on.
import { defineListener, hmac, verify } from 'hookgate'
import { signHmac, toDelivery } from 'hookgate/testing'
import { runnerImport } from 'vite'
import { AT_ONCE, SUBJECTS } from './queue-subjects.mjs'
import { least, median, shuffled } from './rounds.mjs'

const SECRET = 'a-secret-of-the-bench-32-characters'
const EVENTS = 2000

export async function measure({ rounds: asked, progress }) {
  const path = new URL('../test/support/postgres-server.ts', import.meta.url).pathname
  const { PostgresServer, WHY_NO_POSTGRES } = (await runnerImport(path)).module
  if (WHY_NO_POSTGRES) {
    console.error(`inbox: ${WHY_NO_POSTGRES}`)
    return []
  }
  const server = await PostgresServer.start('fsync=on', 'synchronous_commit=on', 'shared_buffers=128MB')
  const subjects = []
  for (const open of SUBJECTS) {
    if (open.missing) console.error(open.missing)
    else subjects.push(await open(server.address))
  }
  const rounds = Math.ceil(asked / 9) // a round takes seconds
  const empty = () => new Map(subjects.map(({ name }) => [name, []]))
  const [puts, runs] = [empty(), empty()]
  for (let round = 0; round <= rounds; round += 1) {
    progress(`round ${round + 1} of ${rounds + 1}`)
    for (const subject of shuffled(subjects)) {
      const times = await roundOf(subject)
      if (round === 0) continue // until the code is compiled, and the tables have pages
      puts.get(subject.name).push(times.puts)
      runs.get(subject.name).push(times.runs)
    }
  }
  for (const { close } of subjects) await close()
  await server.remove()
  const [{ name: inbox }] = subjects
  return subjects.map(({ name }) => ({
    name,
    rounds,
    putsPerSecond: 1e6 / least(puts, name),
    runsPerSecond: 1e6 / least(runs, name),
    putsToInbox: median(puts.get(inbox).map((time, round) => time / puts.get(name)[round])),
    runsToInbox: median(runs.get(inbox).map((time, round) => time / runs.get(name)[round])),
  }))
}

/** Microseconds per event. */
async function roundOf({ store, put, work }) {
  const listener = defineListener({ id: 'bench', auth: hmac({ secrets: SECRET }), store })
  const deliveries = []
  for (let event = 0; event < EVENTS; event += 1)
    deliveries.push(
      toDelivery(await signHmac({ secret: SECRET, body: '{"type":"order.paid","total":1250}' })),
    )
  const puts = await microseconds(async () => {
    const lane = async () => {
      for (let delivery = deliveries.pop(); delivery; delivery = deliveries.pop()) {
        const { event } = await verify(delivery, listener)
        await put(event)
        await event.commit()
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
  })
  let left = EVENTS
  let stop
  const runs = await microseconds(
    () =>
      new Promise((resolve) => {
        stop = work(listener, async () => {
          left -= 1
          if (left === 0) resolve()
        })
      }),
  )
  await stop()
  return { puts, runs }
}

async function microseconds(work) {
  const start = performance.now()
  await work()
  return ((performance.now() - start) * 1000) / EVENTS
}
