import { describe, expect, it } from 'vitest'
import { type EventStore, ListenerConfigError } from '../../src/index.ts'
import { withLocalCache } from '../../src/stores/local-cache.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { postgresStore } from '../../src/stores/postgres/store.ts'
import { eventStoreSuite } from '../../src/testing/index.ts'
import { fakeClock } from '../support/clock.ts'
import { hmacListener } from '../support/hmac-listener.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'
import { spyStore } from '../support/spy-store.ts'

const LEASE_MS = 60_000
const DAY_MS = 86_400_000

/** The key of the event with this number. */
function keyOf(number: number, listenerId = 'L1') {
  return { listenerId, eventId: `7f1d3c5e-0a4b-4c8d-9e2f-${number.toString(16).padStart(12, '0')}` }
}

/** A store that counts its calls, like a remote one, and two processes with a cache each. */
function cached(maxRecords = 100) {
  const clock = fakeClock()
  const { store, calls } = spyStore(memoryStore({ clock, maxRecords: 1000 }))
  const far: EventStore = {
    claim: async (...given) => store.claim(...given),
    commit: async (...given) => store.commit(...given),
    release: async (...given) => store.release(...given),
    renew: async (...given) => store.renew?.(...given) ?? false,
  }
  const [here, there] = [1, 2].map(() => withLocalCache(far, { clock, maxRecords }))
  if (here === undefined || there === undefined) throw new Error('two were made')
  return { here, there, far, calls, clock }
}

describe('the contract of every store', () => {
  eventStoreSuite(it, () => {
    const clock = fakeClock()
    const other = memoryStore({ clock, maxRecords: 1000 })
    return { store: withLocalCache(other, { clock }), other, advance: clock.advance }
  })
})

describe('the contract of every store, when only one event fits', () => {
  eventStoreSuite(it, () => {
    const clock = fakeClock(0)
    const other = memoryStore({ clock, maxRecords: 1000 })
    return { store: withLocalCache(other, { clock, maxRecords: 1 }), other, advance: clock.advance }
  })
})

describe('round trips', () => {
  it('many duplicates of an event committed here cost none', async () => {
    const { here, calls } = cached()
    await here.claim(keyOf(1), 'a', LEASE_MS)
    await here.commit(keyOf(1), 'a', 7 * DAY_MS)
    calls.length = 0
    for (let storm = 0; storm < 1000; storm += 1) expect(here.claim(keyOf(1), 'b', LEASE_MS)).toBe('done')
    expect(calls).toStrictEqual([])
  })

  it('many duplicates of an event committed elsewhere cost one a minute', async () => {
    const { here, there, calls, clock } = cached()
    await there.commit(keyOf(1), 'a', 7 * DAY_MS)
    calls.length = 0
    for (let second = 0; second < 180; second += 1) {
      expect(await here.claim(keyOf(1), 'b', LEASE_MS)).toBe('done')
      clock.advanceSeconds(1)
    }
    expect(calls).toHaveLength(3)
  })

  it('a renewal costs one, and none once the event is known to be done', async () => {
    const { here, there, calls } = cached()
    await here.claim(keyOf(1), 'a', LEASE_MS)
    calls.length = 0
    for (let beat = 0; beat < 3; beat += 1) expect(await here.renew?.(keyOf(1), 'a', LEASE_MS)).toBe(true)
    expect(calls).toHaveLength(3)
    await here.commit(keyOf(1), 'a', DAY_MS)
    await there.claim(keyOf(1), 'b', LEASE_MS)
    calls.length = 0
    for (const each of [here, there]) expect(await each.renew?.(keyOf(1), 'a', LEASE_MS)).toBe(false)
    expect(calls).toStrictEqual([])
  })

  it('a duplicate is refused through verify() without a round trip', async () => {
    const { here, calls } = cached()
    const { listener, deliver } = hmacListener({ store: here })
    const delivery = await deliver()
    await (await acceptedEvent(delivery, listener)).commit()
    calls.length = 0
    expect(await outcome(delivery, listener)).toBe('409 event_duplicate')
    expect(calls).toStrictEqual([])
  })
})

it('a cache is told of accepted events only if its store wants to be, because adapters then commit before they answer', () => {
  const accepted = () => {}
  const { far } = cached()
  expect(withLocalCache(far)).not.toHaveProperty('accepted')
  expect(withLocalCache({ ...far, accepted })).toHaveProperty('accepted')
})

describe('it does not remember', () => {
  it('renewals: a lease is as long as in the store', async () => {
    const { here, there, clock } = cached()
    await here.claim(keyOf(1), 'a', LEASE_MS)
    clock.advance(LEASE_MS)
    expect(await here.renew?.(keyOf(1), 'a', LEASE_MS)).toBe(true)
    clock.advance(LEASE_MS)
    expect(await there.claim(keyOf(1), 'b', LEASE_MS)).toBe('busy')
    clock.advance(1)
    expect(await here.renew?.(keyOf(1), 'a', LEASE_MS)).toBe(false)
    expect(await there.claim(keyOf(1), 'b', LEASE_MS)).toBe('acquired')
  })

  it('leases: busy is asked every time, and the next owner gets the event', async () => {
    const { here, there, calls } = cached()
    await there.claim(keyOf(1), 'a', LEASE_MS)
    for (let turn = 0; turn < 3; turn += 1) expect(await here.claim(keyOf(1), 'b', LEASE_MS)).toBe('busy')
    expect(calls).toHaveLength(4)
    await there.release(keyOf(1), 'a')
    expect(await here.claim(keyOf(1), 'b', LEASE_MS)).toBe('acquired')
  })

  it('a commit that was lost, or that the store did not decide', async () => {
    const { far, clock } = cached()
    const broken = withLocalCache({ ...far, commit: () => Promise.reject(new Error('gone')) }, { clock })
    await broken.claim(keyOf(1), 'a', LEASE_MS)
    await expect(broken.commit(keyOf(1), 'a', DAY_MS)).rejects.toThrow('gone')
    expect(await broken.claim(keyOf(1), 'b', LEASE_MS)).toBe('busy')
    const late = withLocalCache(far, { clock })
    expect(await late.commit(keyOf(1), 'b', DAY_MS)).toBe('lost')
    expect(await late.claim(keyOf(1), 'b', LEASE_MS)).toBe('busy')
  })

  it('an answer outside the contract, which the core must see', async () => {
    const { far } = cached()
    const nonsense = withLocalCache({ ...far, claim: () => 'OK' as 'done' }) // as in plain JavaScript
    for (const _ of [1, 2]) expect(nonsense.claim(keyOf(1), 'a', LEASE_MS)).toBe('OK')
  })

  it('more than maxRecords: the least recently used one makes room, and is asked for again', async () => {
    const { here, calls } = cached(2)
    for (const number of [1, 2]) await here.commit(keyOf(number), 'a', DAY_MS)
    await here.claim(keyOf(1), 'b', LEASE_MS)
    await here.commit(keyOf(3), 'a', DAY_MS)
    calls.length = 0
    for (const number of [1, 3]) expect(await here.claim(keyOf(number), 'b', LEASE_MS)).toBe('done')
    expect(calls).toHaveLength(0)
    expect(await here.claim(keyOf(2), 'b', LEASE_MS)).toBe('done')
    expect(calls).toHaveLength(1)
  })
})

describe('time', () => {
  it('an event committed here is known to the millisecond of its retention', async () => {
    const { here, clock } = cached()
    await here.commit(keyOf(1), 'a', 7 * DAY_MS)
    clock.advance(7 * DAY_MS)
    expect(await here.claim(keyOf(1), 'b', LEASE_MS)).toBe('done')
    clock.advance(1)
    expect(await here.claim(keyOf(1), 'b', LEASE_MS)).toBe('acquired')
  })

  it('the retention counts from before the commit, which may be slow', async () => {
    const { far, clock } = cached()
    const slow = withLocalCache(
      {
        ...far,
        async commit(...given) {
          const answer = await far.commit(...given)
          clock.advance(500)
          return answer
        },
      },
      { clock },
    )
    await slow.commit(keyOf(1), 'a', 1000)
    clock.advance(501)
    expect(await slow.claim(keyOf(1), 'b', LEASE_MS)).toBe('acquired')
  })

  it('an event that the store called done is forgotten at most a minute late', async () => {
    const { here, there, clock } = cached()
    await there.commit(keyOf(1), 'a', 1000)
    clock.advance(1000)
    expect(await here.claim(keyOf(1), 'b', LEASE_MS)).toBe('done')
    clock.advance(60_000)
    expect(await here.claim(keyOf(1), 'b', LEASE_MS)).toBe('done')
    clock.advance(1)
    expect(await here.claim(keyOf(1), 'b', LEASE_MS)).toBe('acquired')
  })

  it('a store that remembers for less than the retention is asked again when it may have forgotten', async () => {
    const { far, calls, clock } = cached()
    const brief = withLocalCache({ ...far, replayWindowSeconds: 700 }, { clock })
    await brief.commit(keyOf(1), 'a', 7 * DAY_MS)
    calls.length = 0
    clock.advanceSeconds(700)
    expect(await brief.claim(keyOf(1), 'b', LEASE_MS)).toBe('done')
    expect(calls).toHaveLength(0)
    clock.advance(1)
    expect(await brief.claim(keyOf(1), 'b', LEASE_MS)).toBe('done')
    expect(calls).toHaveLength(1)
  })

  it('a repeated commit changes no remembered time', async () => {
    const { here, calls, clock } = cached()
    await here.commit(keyOf(1), 'a', DAY_MS)
    expect(await here.commit(keyOf(1), 'a', DAY_MS)).toBe('already')
    clock.advance(DAY_MS)
    calls.length = 0
    expect(await here.claim(keyOf(1), 'b', LEASE_MS)).toBe('done')
    expect(calls).toHaveLength(0)
  })
})

describe('options', () => {
  it('localCache can renew a lease if its store can', () => {
    const { far } = cached()
    const { renew: _, ...without } = far
    expect('renew' in withLocalCache(far)).toBe(true)
    expect('renew' in withLocalCache(without)).toBe(false)
  })

  it('localCache passes the replay window of the store through, so that defineListener can judge it', () => {
    const { far } = cached()
    expect(withLocalCache(memoryStore({ replayWindowSeconds: 700 })).replayWindowSeconds).toBe(700)
    expect('replayWindowSeconds' in withLocalCache(far)).toBe(false)
    const narrow = withLocalCache({ ...far, replayWindowSeconds: 10 })
    expect(() => hmacListener({ store: narrow })).toThrow(ListenerConfigError)
  })

  it.each([
    ['maxRecords', [0, -1, 1.5, NaN, Infinity, '10', null]],
    ['clock', [0, null, () => 0]],
    ['maxRecord', [10]],
  ])('%s cannot be any of %j', (name, values) => {
    for (const value of values) {
      expect(() => withLocalCache(memoryStore(), { [name]: value })).toThrow(ListenerConfigError)
      expect(() => withLocalCache(memoryStore(), { [name]: value })).toThrow(name)
    }
  })

  it('localCache hands on a commit in a transaction, which may be rolled back, and remembers nothing of it', async () => {
    const key = { listenerId: 'orders', eventId: crypto.randomUUID() }
    const answers = ['a1:9:committed', 'a1:8:acquired']
    const client = { query: async () => ({ rows: [{ answer: answers.shift() }] }) }
    const store = withLocalCache(postgresStore(client))
    expect(await store.commitIn?.(client, key, 'a', 60_000)).toBe('committed')
    expect(await store.claim(key, 'b', 60_000)).toBe('acquired')
    expect('commitIn' in withLocalCache(memoryStore())).toBe(false)
  })

  it('localCache refuses anything that is not a store', () => {
    for (const store of [undefined, null, {}, 'redis://127.0.0.1', () => 'done']) {
      // @ts-expect-error as from JavaScript
      expect(() => withLocalCache(store)).toThrow(ListenerConfigError)
    }
  })
})
