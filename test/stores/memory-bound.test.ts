import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { EventStoreError } from '../../src/index.ts'
import { type MemoryStoreOptions, memoryStore } from '../../src/stores/memory.ts'
import { fakeClock } from '../support/clock.ts'
import { hmacListener } from '../support/hmac-listener.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'
import fc from '../support/property.ts'

const DAY_MS = 86_400_000
const LEASE_MS = 60_000

/** The key of the event with this number. */
function keyOf(number: number) {
  return { listenerId: 'L1', eventId: `7f1d3c5e-0a4b-4c8d-9e2f-${number.toString(16).padStart(12, '0')}` }
}

/** A store on a fake clock, and a function that puts an event into it. */
function small(options: MemoryStoreOptions = {}) {
  const clock = fakeClock()
  const evicted: number[] = []
  const store = memoryStore({ clock, maxRecords: 3, onEvict: (age) => evicted.push(age), ...options })
  const remember = (number: number) => store.commit(keyOf(number), 'a', 7 * DAY_MS)
  return { store, clock, evicted, remember }
}

describe('when it is full', () => {
  it('the store throws rather than drop a record inside the replay window', () => {
    const { store, clock, remember, evicted } = small()
    for (const number of [1, 2, 3]) remember(number)
    clock.advanceSeconds(601)
    expect(() => store.claim(keyOf(4), 'b', LEASE_MS)).toThrow(EventStoreError)
    expect(() => remember(5)).toThrow(/maxRecords/)
    for (const number of [1, 2, 3]) expect(store.claim(keyOf(number), 'b', LEASE_MS)).toBe('done')
    expect(evicted).toStrictEqual([])
  })

  it('the store drops the oldest record beyond the replay window, and tells onEvict its age', () => {
    const { store, clock, remember, evicted } = small()
    for (const number of [1, 2, 3]) {
      remember(number)
      clock.advanceSeconds(1)
    }
    clock.advanceSeconds(599)
    expect(store.claim(keyOf(4), 'b', LEASE_MS)).toBe('acquired')
    expect(evicted).toStrictEqual([602])
    expect([2, 3].map((number) => store.claim(keyOf(number), 'b', LEASE_MS))).toStrictEqual(['done', 'done'])
    expect(() => store.claim(keyOf(5), 'b', LEASE_MS)).toThrow(EventStoreError)
  })

  it('the store uses its own replayWindowSeconds', () => {
    const { store, clock, remember } = small({ replayWindowSeconds: 1200 })
    for (const number of [1, 2, 3]) remember(number)
    clock.advanceSeconds(1200)
    expect(() => store.claim(keyOf(4), 'b', LEASE_MS)).toThrow(EventStoreError)
    clock.advanceSeconds(1)
    expect(store.claim(keyOf(4), 'b', LEASE_MS)).toBe('acquired')
  })

  it('the store keeps running leases, and silently drops lapsed ones', () => {
    const { store, clock, evicted } = small()
    for (const number of [1, 2, 3]) store.claim(keyOf(number), 'a', 10 * LEASE_MS)
    clock.advance(10 * LEASE_MS)
    expect(() => store.claim(keyOf(4), 'b', LEASE_MS)).toThrow(EventStoreError)
    clock.advance(1)
    expect(store.claim(keyOf(4), 'b', LEASE_MS)).toBe('acquired')
    expect(evicted).toStrictEqual([])
  })

  it('the store drops the next oldest instead of a lease that is longer than the replay window', () => {
    const { store, clock, remember, evicted } = small()
    store.claim(keyOf(1), 'a', 60 * LEASE_MS)
    for (const number of [2, 3]) remember(number)
    clock.advanceSeconds(601)
    expect(() => store.claim(keyOf(4), 'b', LEASE_MS)).toThrow(EventStoreError)
    clock.advanceSeconds(1)
    expect(store.claim(keyOf(4), 'b', LEASE_MS)).toBe('acquired')
    expect(evicted).toStrictEqual([602])
    expect([1, 3].map((number) => store.claim(keyOf(number), 'b', LEASE_MS))).toStrictEqual(['busy', 'done'])
    expect(remember(1)).toBe('committed')
  })

  it('the store keeps a lease that is renewed again and again, and drops the others', () => {
    const { store, clock, remember, evicted } = small()
    store.claim(keyOf(1), 'a', LEASE_MS)
    for (const number of [2, 3]) remember(number)
    for (let minute = 0; minute < 11; minute += 1) {
      clock.advance(LEASE_MS)
      expect(store.renew?.(keyOf(1), 'a', LEASE_MS)).toBe(true)
    }
    for (const number of [4, 5]) expect(store.claim(keyOf(number), 'b', LEASE_MS)).toBe('acquired')
    expect(evicted).toStrictEqual([660, 660])
    expect(store.claim(keyOf(1), 'b', LEASE_MS)).toBe('busy')
    clock.advance(LEASE_MS + 1)
    expect(store.renew?.(keyOf(1), 'a', LEASE_MS)).toBe(false)
    expect(store.claim(keyOf(1), 'b', LEASE_MS)).toBe('acquired')
  })

  it('a full store renews a lease, and needs no room for it', () => {
    const { store, evicted } = small()
    for (const number of [1, 2, 3]) store.claim(keyOf(number), 'a', LEASE_MS)
    for (const number of [1, 2, 3]) expect(store.renew?.(keyOf(number), 'a', LEASE_MS)).toBe(true)
    expect(store.renew?.(keyOf(4), 'a', LEASE_MS)).toBe(false)
    expect(evicted).toStrictEqual([])
  })

  it('the store throws if there are only leases longer than the replay window', () => {
    const { store, clock } = small()
    for (const number of [1, 2, 3]) store.claim(keyOf(number), 'a', 60 * LEASE_MS)
    clock.advanceSeconds(602)
    expect(() => store.claim(keyOf(4), 'b', LEASE_MS)).toThrow(EventStoreError)
    for (const number of [1, 2, 3]) expect(store.claim(keyOf(number), 'b', LEASE_MS)).toBe('busy')
  })

  it('the store skips 99 longer leases but not 100, so that claiming stays cheap', () => {
    const claimBehind = (leases: number) => {
      const { store, clock, remember } = small({ maxRecords: leases + 1 })
      for (let number = 1; number <= leases; number += 1) store.claim(keyOf(number), 'a', 60 * LEASE_MS)
      remember(0)
      clock.advanceSeconds(602)
      return store.claim(keyOf(1000), 'b', LEASE_MS)
    }
    expect(claimBehind(99)).toBe('acquired')
    expect(() => claimBehind(100)).toThrow(EventStoreError)
  })

  it('the store drops nothing for an event that it already knows', () => {
    const { store, remember } = small()
    for (const number of [1, 2]) remember(number)
    store.claim(keyOf(3), 'a', LEASE_MS)
    expect(store.commit(keyOf(3), 'a', DAY_MS)).toBe('committed')
    expect(store.commit(keyOf(1), 'a', DAY_MS)).toBe('already')
    expect(store.claim(keyOf(2), 'b', LEASE_MS)).toBe('done')
  })

  it('the store counts the age from the commit, and lookups do not change it', () => {
    const { store, clock, remember, evicted } = small()
    for (const number of [1, 2, 3]) remember(number)
    clock.advanceSeconds(602)
    for (let look = 0; look < 10; look += 1) store.claim(keyOf(1), 'b', LEASE_MS)
    store.claim(keyOf(4), 'b', LEASE_MS)
    expect(evicted).toStrictEqual([602])
    expect([2, 3].map((number) => store.claim(keyOf(number), 'b', LEASE_MS))).toStrictEqual(['done', 'done'])
    expect(store.release(keyOf(4), 'b')).toBe(true)
    expect(store.claim(keyOf(1), 'b', LEASE_MS)).toBe('acquired')
  })

  it('the store has room again after a release', () => {
    const { store } = small()
    for (const number of [1, 2, 3]) store.claim(keyOf(number), 'a', LEASE_MS)
    store.release(keyOf(2), 'a')
    expect(store.claim(keyOf(4), 'a', LEASE_MS)).toBe('acquired')
    expect(() => store.claim(keyOf(5), 'a', LEASE_MS)).toThrow(EventStoreError)
  })

  it('the store forgets nothing while it grows, and still drops the oldest first', () => {
    const clock = fakeClock()
    const store = memoryStore({ clock, maxRecords: 12_000 })
    const claim = (number: number) => store.claim(keyOf(number), 'owner', LEASE_MS)
    for (let number = 0; number < 12_000; number += 1) {
      store.commit(keyOf(number), 'owner', DAY_MS)
      clock.advance(100)
    }
    expect(
      Array.from({ length: 12_000 }, (_, number) => claim(number)).filter((it) => it !== 'done'),
    ).toEqual([])
    expect(claim(12_000)).toBe('acquired') // takes the room of the first one
    expect([claim(1), claim(0)]).toEqual(['done', 'acquired'])
  })

  it('a full store makes verify() reject, and never accepts a replay', async () => {
    const { store, clock } = small()
    const { listener, deliver } = hmacListener({ store, clock })
    const accepted = await Promise.all(
      [deliver(), deliver(), deliver()].map(async (made) => {
        const delivery = await made
        await (await acceptedEvent(delivery, listener)).commit()
        return delivery
      }),
    )
    await expect(outcome(await deliver(), listener)).rejects.toThrow(EventStoreError)
    for (const delivery of accepted) expect(await outcome(delivery, listener)).toBe('409 event_duplicate')
  })

  it('the store never holds more than maxRecords, and never forgets a young record', () => {
    const steps = fc.array(fc.tuple(fc.nat(30), fc.nat(400)), { maxLength: 60 })
    fc.assert(
      fc.property(steps, (given) => {
        const { store, clock, remember } = small({ maxRecords: 5 })
        const doneAt = new Map<number, number>()
        for (const [number, seconds] of given) {
          clock.advanceSeconds(seconds)
          try {
            if (remember(number) === 'committed') doneAt.set(number, clock.now())
          } catch (error) {
            expect(error).toBeInstanceOf(EventStoreError)
          }
          const young = [...doneAt].filter(([, at]) => clock.now() - at <= 601_000)
          expect(young.length).toBeLessThanOrEqual(5)
          for (const [known] of young) expect(store.claim(keyOf(known), 'b', LEASE_MS)).toBe('done')
        }
      }),
    )
  })
})

describe('onEvict', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('of the hook')
      },
    ],
    ['rejects', () => Promise.reject(new Error('of the hook'))],
  ])('onEvict changes nothing if it %s', async (_, onEvict) => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const { store, clock, remember } = small({ onEvict })
    for (const number of [1, 2, 3]) remember(number)
    clock.advanceSeconds(602)
    expect(store.claim(keyOf(4), 'b', LEASE_MS)).toBe('acquired')
    await setImmediate()
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })

  it('onEvict may call the store, which claims nothing twice and never exceeds maxRecords', () => {
    const answers: unknown[] = []
    const claimed = (number: number, owner: string) => {
      try {
        return store.claim(keyOf(number), owner, LEASE_MS)
      } catch {
        return 'full'
      }
    }
    const onEvict = () => answers.push(claimed(2, 'hook'), claimed(3, 'hook'))
    const { store, clock, remember } = small({ maxRecords: 1, onEvict })
    remember(1)
    clock.advance(DAY_MS)
    answers.push(claimed(2, 'caller'))
    expect([...answers, claimed(4, 'caller')]).toEqual(['busy', 'full', 'acquired', 'full'])
  })

  it('onEvict is not told of a record whose retention is over', () => {
    const { store, clock, remember, evicted } = small()
    for (const number of [1, 2, 3]) remember(number)
    clock.advance(7 * DAY_MS + 1)
    expect(store.claim(keyOf(4), 'b', LEASE_MS)).toBe('acquired')
    expect(evicted).toStrictEqual([])
  })
})
