import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Incoming } from '../../adapters/kit/incoming.ts'
import { type Place, Places } from '../../adapters/kit/places.ts'
import fc from '../support/property.ts'

const GRACE_MS = 10_000

/** A sender that can leave, and the least of a request around it. */
function sender(): { readonly incoming: Incoming; readonly leave: () => void } {
  const told: (() => void)[] = []
  const incoming: Incoming = {
    method: 'POST',
    header: () => undefined,
    announced: undefined,
    readBody: () => new Uint8Array(0),
    whenGone: (tell) => void told.push(tell),
  }
  return { incoming, leave: () => told.forEach((tell) => void tell()) }
}

function pending(): {
  readonly work: Promise<string>
  readonly succeed: () => void
  readonly fail: (error: Error) => void
} {
  let succeed = () => {}
  let fail: (error: Error) => void = () => {}
  const work = new Promise<string>((resolve, reject) => {
    succeed = () => resolve('made')
    fail = reject
  })
  return { work, succeed, fail }
}

/** Fakes the timers. They stand still until they are advanced. */
function timers(): typeof vi {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  return vi
}

describe('places for bodies', () => {
  it('are limited by maxConcurrentBodies, and the next body learns why', () => {
    const places = new Places(2, 1000, GRACE_MS)
    places.take(1)
    expect(places.fullFor(1)).toBeUndefined()
    places.take(1)
    expect(places.fullFor(1)).toBe('2 bodies are in flight already (maxConcurrentBodies)')
  })

  it('hold at most maxConcurrentBytes', () => {
    const places = new Places(10, 1000, GRACE_MS)
    places.take(400)
    expect(places.fullFor(600)).toBeUndefined()
    expect(places.fullFor(601)).toBe(
      '400 bytes of bodies are in flight, and 601 more are too many (maxConcurrentBytes)',
    )
  })

  it('are given back once, however often giveBack() is called', () => {
    const places = new Places(2, 1000, GRACE_MS)
    const first = places.take(600)
    places.take(400)
    first.giveBack()
    first.giveBack()
    expect(places.fullFor(600)).toBeUndefined()
    expect(places.fullFor(601)).toMatch('maxConcurrentBytes')
    places.take(0)
    expect(places.fullFor(0)).toMatch('maxConcurrentBodies')
  })
})

describe('the place of a body', () => {
  const isFree = (places: Places) => places.fullFor(1000) === undefined

  function taken(): { readonly places: Places; readonly place: Place } {
    const places = new Places(1, 1000, GRACE_MS)
    return { places, place: places.take(1000) }
  }

  it('is given back before a synchronous result is returned', () => {
    const { places, place } = taken()
    expect(place.during(() => (isFree(places) ? 'free' : 'taken'), sender().incoming)).toBe('taken')
    expect(isFree(places)).toBe(true)
  })

  it('is given back when the work throws', () => {
    const { places, place } = taken()
    const work = () => {
      throw new Error('no time')
    }
    expect(() => place.during(work, sender().incoming)).toThrow('no time')
    expect(isFree(places)).toBe(true)
  })

  it.each(['resolves', 'rejects'])('is kept until the work %s', async (how) => {
    const { places, place } = taken()
    const { work, succeed, fail } = pending()
    const made = place.during(() => work, sender().incoming)
    await Promise.resolve()
    expect(isFree(places)).toBe(false)
    if (how === 'resolves') succeed()
    else fail(new Error('no key'))
    await (how === 'resolves' ? expect(made).resolves.toBe('made') : expect(made).rejects.toThrow('no key'))
    expect(isFree(places)).toBe(true)
  })

  it('is kept for work that continues after its sender has left', async () => {
    const clock = timers()
    const { places, place } = taken()
    const { incoming, leave } = sender()
    const { work, succeed } = pending()
    const made = place.during(() => work, incoming)
    leave()
    clock.advanceTimersByTime(GRACE_MS - 1)
    expect(isFree(places)).toBe(false)
    succeed()
    await made
    expect(isFree(places)).toBe(true)
    expect(clock.getTimerCount()).toBe(0)
  })

  it('is not kept forever for work that never ends after its sender has left', () => {
    const clock = timers()
    const { places, place } = taken()
    const { incoming, leave } = sender()
    void place.during(() => new Promise(() => {}), incoming)
    clock.advanceTimersByTime(100 * GRACE_MS)
    expect(isFree(places)).toBe(false)
    leave()
    clock.advanceTimersByTime(GRACE_MS)
    expect(isFree(places)).toBe(true)
  })

  it('starts no timer for a sender that leaves after the work', async () => {
    const clock = timers()
    const { place } = taken()
    const { incoming, leave } = sender()
    await place.during(async () => 'made', incoming)
    leave()
    leave()
    expect(clock.getTimerCount()).toBe(0)
  })
})

const step = fc.record({
  act: fc.constantFrom('take', 'resolve', 'reject', 'throw', 'leave', 'give back', 'wait'),
  which: fc.nat(),
  bytes: fc.integer({ min: 0, max: 400 }),
})

it('no place is lost and none is given back twice, whatever happens to bodies in any order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      try {
        const places = new Places(4, 1000, GRACE_MS)
        const bodies: { place: Place; leave: () => void; work: ReturnType<typeof pending> }[] = []
        for (const { act, which, bytes } of steps) {
          if (act === 'take') {
            if (places.fullFor(bytes) !== undefined) continue
            const { incoming, leave } = sender()
            const work = pending()
            const place = places.take(bytes)
            void Promise.resolve(place.during(() => work.work, incoming)).catch(() => {})
            bodies.push({ place, leave, work })
            continue
          }
          if (act === 'wait') vi.advanceTimersByTime(GRACE_MS / 2)
          const body = bodies[which % bodies.length]
          if (act === 'resolve') body?.work.succeed()
          if (act === 'reject') body?.work.fail(new Error('no key'))
          if (act === 'throw') throwDuring(places)
          if (act === 'leave') body?.leave()
          if (act === 'give back') body?.place.giveBack()
          await Promise.resolve()
        }
        for (const { work } of bodies) work.succeed()
        await Promise.all(bodies.map(({ work }) => work.work.catch(() => {})))
        await Promise.resolve()
        expectEmpty(places)
        expect(vi.getTimerCount()).toBe(0)
      } finally {
        vi.useRealTimers()
      }
    }),
  )
})

function throwDuring(places: Places): void {
  if (places.fullFor(1) !== undefined) return
  const work = () => {
    throw new Error('no time')
  }
  expect(() => places.take(1).during(work, sender().incoming)).toThrow('no time')
}

/** Expects all four places and exactly 1000 bytes to be free. */
function expectEmpty(places: Places): void {
  expect(places.fullFor(1000)).toBeUndefined()
  expect(places.fullFor(1001)).toMatch(/^0 bytes/)
  for (let count = 0; count < 4; count += 1) {
    expect(places.fullFor(0)).toBeUndefined()
    places.take(0)
  }
  expect(places.fullFor(0)).toMatch('4 bodies')
}
