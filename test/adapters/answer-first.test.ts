import { expect, it } from 'vitest'
import { memoryStore } from '../../src/stores/memory.ts'
import { exchange, toBytes } from '../support/raw-http.ts'
import { type Endpoint, hmacEndpoint } from '../support/sender.ts'
import { TARGETS } from '../support/servers.ts'

/** A store whose commits never settle. */
function silent(clock: Endpoint['clock']) {
  const store = memoryStore({ clock })
  return {
    claim: store.claim.bind(store),
    commit: () => new Promise<never>(() => {}),
    release: store.release.bind(store),
  }
}

/** What had happened when the response arrived. */
async function settledBy(start: (typeof TARGETS)[string]) {
  const endpoint = hmacEndpoint({ storeTimeoutSeconds: 1 }, silent)
  const { address } = await start({ target: endpoint.listener, listener: endpoint.listener })
  const reply = await exchange(address, toBytes(await endpoint.request()))
  const failures = endpoint.failures.entries.length
  await endpoint.calls.reaches(2)
  return { status: reply?.status, verbs: endpoint.calls.entries.map((call) => call.split(' ')[0]), failures }
}

/** Those that run on hosts which freeze after the answer, and can hold it back. */
const [settlingFirst, answeringFirst] = [true, false].map((isFirst) =>
  Object.entries(TARGETS).filter(([name]) => /^web|^Fastify/.test(name) === isFirst),
)

it.each(answeringFirst ?? [])(
  '%s answers before the event is settled: nobody waits for the store',
  async (_, start) => {
    expect(await settledBy(start)).toEqual({ status: 200, verbs: ['claim', 'commit'], failures: 0 })
  },
)

it.each(settlingFirst ?? [])("%s frees the event before a handler's error is answered", async (_, start) => {
  const endpoint = hmacEndpoint({ storeTimeoutSeconds: 0.1 }, (clock) => ({
    ...silent(clock),
    release: () => new Promise<never>(() => {}),
  }))
  const handle = () => Promise.reject(new Error('no database'))
  const { address } = await start({ target: endpoint.listener, listener: endpoint.listener, handle })
  expect((await exchange(address, toBytes(await endpoint.request())))?.status).toBe(500)
  expect(endpoint.failures.entries).toHaveLength(1)
})

it.each(settlingFirst ?? [])(
  '%s settles the event before it answers: nothing may run after it',
  async (_, start) => {
    expect(await settledBy(start)).toEqual({ status: 200, verbs: ['claim', 'commit'], failures: 1 })
  },
)
