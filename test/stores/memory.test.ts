import { describe, expect, it, vi } from 'vitest'
import { ListenerConfigError } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { eventStoreSuite } from '../../src/testing/index.ts'
import { expectAnyId } from '../support/any-id.ts'
import { fakeClock } from '../support/clock.ts'
import fc from '../support/property.ts'

const DAY_MS = 86_400_000
const LEASE_MS = 60_000

/** The key of the event with this number. */
function keyOf(number: number, listenerId = 'L1') {
  return { listenerId, eventId: `7f1d3c5e-0a4b-4c8d-9e2f-${number.toString(16).padStart(12, '0')}` }
}

describe('the contract of every store, on a fake clock', () => {
  eventStoreSuite(it, () => {
    const clock = fakeClock()
    return { store: memoryStore({ clock, maxRecords: 1000 }), advance: clock.advance }
  })
})

describe('the contract of every store, on a clock that starts at 0', () => {
  eventStoreSuite(it, () => {
    const clock = fakeClock(0)
    return { store: memoryStore({ clock, maxRecords: 1000 }), advance: clock.advance }
  })
})

describe('the contract of every store, in real time', () => {
  eventStoreSuite(it, () => memoryStore({ maxRecords: 1000 }))
})

describe('time', () => {
  it('an event is remembered for 7 days to the millisecond', () => {
    const clock = fakeClock()
    const store = memoryStore({ clock, maxRecords: 3 })
    store.commit(keyOf(1), 'a', 7 * DAY_MS)
    clock.advance(7 * DAY_MS)
    expect(store.claim(keyOf(1), 'b', LEASE_MS)).toBe('done')
    clock.advance(1)
    expect(store.claim(keyOf(1), 'b', LEASE_MS)).toBe('acquired')
  })

  it('the time comes from a monotonic clock by default', () => {
    // This tests the default clock, so nothing can be injected.
    vi.useFakeTimers({ toFake: ['Date'] })
    const store = memoryStore({ maxRecords: 3 })
    store.commit(keyOf(1), 'a', 60_000)
    vi.setSystemTime(Date.now() + 8 * DAY_MS)
    const answer = store.claim(keyOf(1), 'b', LEASE_MS)
    vi.useRealTimers()
    expect(answer).toBe('done')
  })
})

describe('keys', () => {
  it('keys take any ID, as verify() maps it', () => expectAnyId(memoryStore()))

  it('two events are one only if both listener and event ID are equal', () => {
    const listener = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 6 }),
      fc.constantFrom('a', 'A', 'a:b', 'a:', '{a}', 'a\u0000', '1:a', '__proto__', 'constructor'),
    )
    const event = fc.oneof(
      fc.uuid({ version: 4 }),
      fc.nat(300).map((number) => keyOf(number).eventId),
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(listener, event), { minLength: 2, maxLength: 40 }), (pairs) => {
        const store = memoryStore({ maxRecords: 100 })
        const seen = new Set<string>()
        for (const [listenerId, eventId] of pairs) {
          const name = JSON.stringify([listenerId, eventId])
          const wanted = seen.has(name) ? 'busy' : 'acquired'
          expect(store.claim({ listenerId, eventId }, `owner ${seen.size} ${wanted}`, LEASE_MS)).toBe(wanted)
          seen.add(name)
        }
      }),
    )
  })

  it('70,000 listeners stay apart', () => {
    const store = memoryStore({ maxRecords: 70_000 })
    const taken = Array.from({ length: 70_000 }, (_, number) =>
      store.claim(keyOf(1, `L${number}`), `${number}`, LEASE_MS),
    )
    expect(taken.every((answer) => answer === 'acquired')).toBe(true)
  })
})

describe('options', () => {
  it.each([
    ['maxRecords', [0, -1, 1.5, NaN, Infinity, '10', null]],
    ['replayWindowSeconds', [0, -1, NaN, Infinity, '600', null]],
    ['onEvict', ['log', null]],
    ['clock', [0, null, () => 0]],
    ['maxRecord', [10]],
  ])('%s cannot be any of %j', (name, values) => {
    for (const value of values) {
      const options = { maxRecords: 10, [name]: value }
      expect(() => memoryStore(options)).toThrow(ListenerConfigError)
      expect(() => memoryStore(options)).toThrow(name)
    }
  })

  it('the replay window is 601 s by default', () => {
    expect(memoryStore({ maxRecords: 10 }).replayWindowSeconds).toBe(601)
    expect(memoryStore({ maxRecords: 10, replayWindowSeconds: 700 }).replayWindowSeconds).toBe(700)
  })
})
