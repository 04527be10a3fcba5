// How fast one subject of bench/inbox.mjs puts and runs events, on its own Postgres.
import { defineListener, hmac, verify } from 'hookgate'
import { signHmac, toDelivery } from 'hookgate/testing'
import { runnerImport } from 'vite'

const SECRET = 'a-secret-of-the-bench-32-characters'
const AT_ONCE = 10

const path = new URL('../test/support/postgres-server.ts', import.meta.url).pathname
const { PostgresServer, WHY_NO_POSTGRES } = (await runnerImport(path)).module

export { WHY_NO_POSTGRES }

/**
 * The best round's deliveries that are verified and put per second, ten at once, and jobs that one worker runs per second.
 *
 * @param open Called with the server's address, e.g. `inboxSubject`.
 */
export async function queueRates(open, { events, rounds }) {
  const server = await PostgresServer.start('fsync=on', 'synchronous_commit=on', 'shared_buffers=128MB')
  const { name, store, put, work, close } = await open(server.address)
  const listener = defineListener({ id: 'bench', auth: hmac({ secrets: SECRET }), store })
  const best = { puts: 0, runs: 0 }
  for (let round = 0; round < rounds; round += 1) {
    const deliveries = []
    for (let event = 0; event < events; event += 1)
      deliveries.push(
        toDelivery(await signHmac({ secret: SECRET, body: '{"type":"order.paid","total":1250}' })),
      )
    const puts = await perSecond(events, async () => {
      const lane = async () => {
        for (let delivery = deliveries.pop(); delivery; delivery = deliveries.pop()) {
          const { event } = await verify(delivery, listener)
          await put(event)
          await event.commit()
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, lane))
    })
    let left = events
    let stop
    const runs = await perSecond(
      events,
      () =>
        new Promise((resolve) => {
          stop = work(listener, async () => {
            left -= 1
            if (left === 0) resolve()
          })
        }),
    )
    await stop()
    best.puts = Math.max(best.puts, puts)
    best.runs = Math.max(best.runs, runs)
  }
  await close()
  await server.remove()
  return { name, ...best }
}

async function perSecond(events, work) {
  const start = performance.now()
  await work()
  return (events / (performance.now() - start)) * 1000
}
