import { expect, test } from 'vitest'
import { InFlight } from '../../../cli/lib/in-flight.ts'
import { tracked } from '../../../cli/listen/store.ts'
import type { EventStore } from '../../../src/index.ts'
import { memoryStore } from '../../../src/stores/memory.ts'

const KEY = { listenerId: 'L1', eventId: '7f1d3c5e-0a4b-4c8d-9e2f-000000000001' }

/** A promise that the test settles. */
function promiseOf<Answer>(answer: Answer) {
  let settle = { resolve: () => {}, reject: (_: Error) => {} }
  const promise = new Promise<Answer>((resolve, reject) => {
    settle = { resolve: () => resolve(answer), reject }
  })
  return { promise, resolve: () => settle.resolve(), reject: (error: Error) => settle.reject(error) }
}

test('a store is settled when all calls have ended, including later and failed ones', async () => {
  const [early, late] = [promiseOf('committed' as const), promiseOf('committed' as const)]
  const inner: EventStore = {
    claim: () => 'busy',
    commit: (_, owner) => (owner === 'a' ? early : late).promise,
    release: () => false,
  }
  const inFlight = new InFlight()
  const store = tracked(inner, inFlight)
  let isSettled = false
  const first = store.commit(KEY, 'a', 1)
  void inFlight.settled().then(() => {
    isSettled = true
  })
  const second = store.commit(KEY, 'b', 1)
  early.resolve()
  await first
  await new Promise(setImmediate)
  expect(isSettled).toBe(false)
  late.reject(new Error('gone'))
  await expect(second).rejects.toThrow('gone')
  await new Promise(setImmediate)
  expect(isSettled).toBe(true)
})

test('a tracked store answers like the store itself, and has the same replay window', async () => {
  const inner = memoryStore({ replayWindowSeconds: 700 })
  const store = tracked(inner, new InFlight())
  expect(store.replayWindowSeconds).toBe(700)
  expect(await store.claim(KEY, 'a', 1000)).toBe('acquired')
  expect(await store.renew?.(KEY, 'a', 1000)).toBe(true)
  expect(await store.renew?.(KEY, 'b', 1000)).toBe(false)
  expect(await store.release(KEY, 'a')).toBe(true)
  expect(await store.commit(KEY, 'a', 1000)).toBe('committed')
  expect(inner.claim(KEY, 'b', 1000)).toBe('done')
})

test('a tracked store can renew a lease if the store itself can, and waits for a renewal in flight', async () => {
  const { renew: _, ...without } = memoryStore()
  expect('renew' in tracked(without, new InFlight())).toBe(false)
  const late = promiseOf(true)
  const inFlight = new InFlight()
  const renewal = tracked({ ...without, renew: () => late.promise }, inFlight).renew?.(KEY, 'a', 1000)
  expect(inFlight.size).toBe(1)
  late.resolve()
  expect(await renewal).toBe(true)
  await inFlight.settled()
})
