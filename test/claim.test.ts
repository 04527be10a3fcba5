import { describe, expect, it } from 'vitest'
import { defineListener, type EventStore, hmac, verify } from '../src/index.ts'
import type { MaybePromise } from '../src/lib/maybe-promise.ts'
import { replayWindowSeconds } from '../src/limits.ts'
import { memoryStore } from '../src/stores/memory.ts'
import { fakeClock } from './support/clock.ts'
import { hmacListener, SECRET, withHeaders } from './support/hmac-listener.ts'
import { acceptedEvent, inWords, outcome } from './support/outcome.ts'
import { spyStore } from './support/spy-store.ts'

const ID = '7f1d3c5e-0a4b-4c8d-9e2f-112233445566'
const DAY = 86_400

/** A store whose calls of one turn take effect in the opposite order, as they may on two connections. */
function overtaking(inner: EventStore): EventStore {
  const waiting: (() => void)[] = []
  const reversed = async <Answer>(ask: () => MaybePromise<Answer>): Promise<Answer> => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve)
      setImmediate(() => waiting.pop()?.())
    })
    return ask()
  }
  return {
    claim: (key, owner, leaseMs) => inner.claim(key, owner, leaseMs),
    commit: (key, owner, retentionMs) => reversed(() => inner.commit(key, owner, retentionMs)),
    release: (key, owner) => reversed(() => inner.release(key, owner)),
  }
}

describe('the two phases', () => {
  it('nothing undoes a commit: a release waits for one in flight', async () => {
    const { listener, deliver } = hmacListener()
    const overtaken = { ...listener, store: overtaking(listener.store) }
    const delivery = await deliver()
    const event = await acceptedEvent(delivery, overtaken)
    const settled = await Promise.all([event.commit(), event.release()])
    expect(settled).toStrictEqual(['committed', false])
    expect(await outcome(delivery, listener)).toBe('409 event_duplicate')
  })

  it('a commit waits for every release in flight', async () => {
    const { listener, deliver } = hmacListener()
    const overtaken = { ...listener, store: overtaking(listener.store) }
    const delivery = await deliver()
    const event = await acceptedEvent(delivery, overtaken)
    const settled = await Promise.all([event.release(), event.release(), event.commit()])
    expect(settled).toStrictEqual([true, false, 'lost'])
    expect(await outcome(delivery, listener)).toBe('accepted')
  })

  it('acceptance claims without committing', async () => {
    const { store, calls } = spyStore(memoryStore({ maxRecords: 10 }))
    const { listener, deliver } = hmacListener({ store })
    await acceptedEvent(await deliver({ eventId: ID }), listener)
    expect(calls).toStrictEqual([`claim ${ID}`])
  })

  it('a committed event is a duplicate, even with another body under a signature of its own', async () => {
    const { listener, deliver } = hmacListener()
    const event = await acceptedEvent(await deliver({ eventId: ID, body: '{"a":1}' }), listener)
    expect(await event.commit()).toBe('committed')
    expect(await outcome(await deliver({ eventId: ID, body: '{"a":1}' }), listener)).toBe(
      '409 event_duplicate',
    )
    expect(await outcome(await deliver({ eventId: ID, body: '{"a":2}' }), listener)).toBe(
      '409 event_duplicate',
    )
  })

  it('an event in progress is refused with a Retry-After', async () => {
    const { listener, deliver } = hmacListener({ leaseSeconds: 7.2 })
    const delivery = await deliver()
    await acceptedEvent(delivery, listener)
    expect(await verify(delivery, listener)).toMatchObject({
      status: 503,
      reason: 'event_in_progress',
      retryAfterSeconds: 8,
    })
  })

  it('a duplicate carries no Retry-After', async () => {
    const { listener, deliver } = hmacListener()
    const delivery = await deliver()
    await (await acceptedEvent(delivery, listener)).commit()
    expect(await verify(delivery, listener)).not.toHaveProperty('retryAfterSeconds')
  })

  it('a released event is accepted again', async () => {
    const { listener, deliver } = hmacListener()
    const delivery = await deliver()
    const event = await acceptedEvent(delivery, listener)
    expect(await event.release()).toBe(true)
    expect(await outcome(delivery, listener)).toBe('accepted')
  })

  it('a delivery that was refused because the event is in progress is not remembered', async () => {
    const { listener, deliver } = hmacListener()
    const delivery = await deliver()
    const event = await acceptedEvent(delivery, listener)
    for (let again = 0; again < 5; again += 1) {
      expect(await outcome(delivery, listener)).toBe('503 event_in_progress')
    }
    await event.release()
    expect(await outcome(delivery, listener)).toBe('accepted')
  })

  it('one of 1,000 equal deliveries at once is accepted', async () => {
    const { listener, deliver } = hmacListener()
    const delivery = await deliver()
    const verdicts = await Promise.all(Array.from({ length: 1000 }, () => verify(delivery, listener)))
    const words = verdicts.map(inWords)
    expect(words.filter((word) => word === 'accepted')).toHaveLength(1)
    expect(words.filter((word) => word === '503 event_in_progress')).toHaveLength(999)
  })
})

describe('commit and release, again and out of order', () => {
  it('a commit that is repeated says already', async () => {
    const { listener, deliver } = hmacListener()
    const event = await acceptedEvent(await deliver(), listener)
    expect([await event.commit(), await event.commit()]).toStrictEqual(['committed', 'already'])
  })

  it('a commit after the release is lost: the event is not done', async () => {
    const { listener, deliver } = hmacListener()
    const delivery = await deliver()
    const event = await acceptedEvent(delivery, listener)
    await event.release()
    expect(await event.commit()).toBe('lost')
    expect(await outcome(delivery, listener)).toBe('accepted')
  })

  it.each([
    ['the store releases it', (store: EventStore) => store.release, 'lost', 'accepted'],
    [
      'the store cannot release it',
      () => () => Promise.reject(new Error('down')),
      'committed',
      '409 event_duplicate',
    ],
  ] as const)('a commit waits for a release in flight: %s', async (_, releaseOf, answer, next) => {
    const inner = memoryStore()
    const { store, calls } = spyStore(inner)
    let goOn = () => {}
    const waiting = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const slow: EventStore = {
      ...store,
      release: (...given) => waiting.then(() => releaseOf(inner).apply(inner, given)),
    }
    const { listener, deliver } = hmacListener({ store: slow })
    const delivery = await deliver({ eventId: ID })
    const event = await acceptedEvent(delivery, listener)
    const released = event.release().catch(() => {})
    const committed = event.commit()
    expect(calls).toStrictEqual([`claim ${ID}`])
    goOn()
    await released
    expect(await committed).toBe(answer)
    expect(await outcome(delivery, listener)).toBe(next)
  })

  it('a release after the commit is false: the event stays done', async () => {
    const { listener, deliver } = hmacListener()
    const delivery = await deliver()
    const event = await acceptedEvent(delivery, listener)
    await event.commit()
    expect(await event.release()).toBe(false)
    expect(await event.commit()).toBe('already')
    expect(await outcome(delivery, listener)).toBe('409 event_duplicate')
  })

  it('a second release is false', async () => {
    const { listener, deliver } = hmacListener()
    const event = await acceptedEvent(await deliver(), listener)
    expect([await event.release(), await event.release()]).toStrictEqual([true, false])
  })
})

describe('a lease that lapses', () => {
  it('a lease protects for leaseSeconds, and lets the retry in afterwards', async () => {
    const { listener, deliver, clock } = hmacListener({ leaseSeconds: 60 })
    const delivery = await deliver()
    await acceptedEvent(delivery, listener)
    clock.advance(60_000)
    expect(await outcome(delivery, listener)).toBe('503 event_in_progress')
    clock.advance(1)
    expect(await outcome(delivery, listener)).toBe('accepted')
  })

  it('a worker whose lease was taken over can neither commit nor release', async () => {
    const { listener, deliver, clock } = hmacListener()
    const delivery = await deliver()
    const slow = await acceptedEvent(delivery, listener)
    clock.advanceSeconds(61)
    const later = await acceptedEvent(delivery, listener)
    expect(await slow.commit()).toBe('lost')
    expect(await slow.release()).toBe(false)
    expect(await outcome(delivery, listener)).toBe('503 event_in_progress')
    expect(await later.commit()).toBe('committed')
    expect(await slow.commit()).toBe('already')
  })

  it('an event that ran twice because its lease was too short is reported to onError', async () => {
    const told: string[] = []
    const durations: number[] = []
    const start = performance.now()
    const { listener, deliver, clock } = hmacListener({
      onError: (error, { eventId, listenerId, durationMs }) => {
        told.push(`${listenerId} ${eventId} ${String(error)}`)
        durations.push(durationMs)
      },
    })
    const delivery = await deliver({ eventId: ID })
    const slow = await acceptedEvent(delivery, listener)
    clock.advanceSeconds(61)
    const later = await acceptedEvent(delivery, listener)
    await later.release()
    expect([await later.commit(), told]).toStrictEqual(['lost', []])
    await acceptedEvent(delivery, listener)
    await slow.commit()
    await slow.commit() // e.g. by the handler, and then by the adapter
    expect(told).toStrictEqual([
      `L1 ${ID} LeaseLostError: the commit came too late, and another delivery ran the event too: its lease of 60 s was lost`,
    ])
    expect(durations[0]).toBeLessThanOrEqual(performance.now() - start)
  })

  it('a worker whose lapsed lease was not taken over still commits, and nothing is reported', async () => {
    const told: unknown[] = []
    const { listener, deliver, clock } = hmacListener({ onError: (error) => told.push(error) })
    const delivery = await deliver()
    const slow = await acceptedEvent(delivery, listener)
    clock.advanceSeconds(120)
    expect([await slow.commit(), await slow.commit(), told]).toStrictEqual(['committed', 'already', []])
    expect(await outcome(delivery, listener)).toBe('409 event_duplicate')
  })
})

describe('retention', () => {
  it('the same ID is a duplicate after 6 d 23 h 59 min, and new after 7 d 0 h 1 min', async () => {
    const { listener, deliver, clock } = hmacListener()
    await (await acceptedEvent(await deliver({ eventId: ID }), listener)).commit()
    clock.advanceSeconds(7 * DAY - 60)
    expect(await outcome(await deliver({ eventId: ID }), listener)).toBe('409 event_duplicate')
    clock.advanceSeconds(120)
    expect(await outcome(await deliver({ eventId: ID }), listener)).toBe('accepted')
  })

  it('retentionSeconds sets another time', async () => {
    const { listener, deliver, clock } = hmacListener({ retentionSeconds: 3600 })
    await (await acceptedEvent(await deliver({ eventId: ID }), listener)).commit()
    clock.advanceSeconds(3600)
    expect(await outcome(await deliver({ eventId: ID }), listener)).toBe('409 event_duplicate')
    clock.advanceSeconds(1)
    expect(await outcome(await deliver({ eventId: ID }), listener)).toBe('accepted')
  })

  it('the shortest allowed one outlasts a delivery from the far end of the tolerance', async () => {
    const { listener, deliver, clock } = hmacListener({ retentionSeconds: replayWindowSeconds() })
    const delivery = await deliver({ timestamp: clock.seconds() + 300 })
    await (await acceptedEvent(delivery, listener)).commit()
    clock.advanceSeconds(599)
    const outcomes = new Set<string>()
    for (let tenths = 0; tenths < 30; tenths += 1) {
      outcomes.add(await outcome(delivery, listener))
      clock.advance(100)
    }
    expect([...outcomes]).toEqual(['409 event_duplicate', '400 timestamp_out_of_range'])
  })

  it("times are judged by the store's clock, however wrong the listener's is", async () => {
    const storeClock = fakeClock()
    const ahead = fakeClock(storeClock.now() + 6 * 60_000)
    const { listener } = hmacListener({
      clock: ahead,
      store: memoryStore({ clock: storeClock, maxRecords: 10 }),
    })
    const { deliver } = hmacListener()
    const delivery = await deliver({ timestamp: ahead.seconds() })
    await acceptedEvent(delivery, listener)
    expect(await outcome(delivery, listener)).toBe('503 event_in_progress')
    storeClock.advance(60_001)
    expect(await outcome(delivery, listener)).toBe('accepted')
  })
})

describe('whose event it is', () => {
  it('the same ID on two listeners of one store is two events', async () => {
    const store = memoryStore({ maxRecords: 10 })
    const first = hmacListener({ id: 'L1', store })
    const second = hmacListener({ id: 'L2', store })
    const delivery = await first.deliver()
    await (await acceptedEvent(delivery, first.listener)).commit()
    expect(await outcome(delivery, second.listener)).toBe('accepted')
    expect(await outcome(delivery, first.listener)).toBe('409 event_duplicate')
  })

  it('each instance with a memory store of its own accepts once', async () => {
    const { deliver, clock } = hmacListener()
    const delivery = await deliver()
    for (const instance of Array.from({ length: 3 }, () => hmacListener({ clock }))) {
      await (await acceptedEvent(delivery, instance.listener)).commit()
      expect(await outcome(delivery, instance.listener)).toBe('409 event_duplicate')
    }
  })

  it('a restart empties a memory store', async () => {
    const before = hmacListener()
    const delivery = await before.deliver()
    await (await acceptedEvent(delivery, before.listener)).commit()
    const after = hmacListener({ clock: before.clock })
    expect(await outcome(delivery, after.listener)).toBe('accepted')
  })

  it('each claim has its own owner, within a listener and across two', async () => {
    const { store, owners } = spyStore(memoryStore({ maxRecords: 100 }))
    const listeners = [hmacListener({ store }), hmacListener({ store, id: 'L2' })]
    for (const { listener, deliver } of [...listeners, ...listeners]) {
      await acceptedEvent(await deliver(), listener)
    }
    expect(new Set(owners).size).toBe(4)
  })

  it.each([
    ['undefined', () => undefined],
    ['an empty text', () => ''],
    ['a number', () => 7],
    ['a promise that rejects', () => Promise.reject(new Error('no randomness'))],
  ])(
    'nothing is claimed if randomUuid returns %s: two processes would be the same owner',
    async (_, draw) => {
      const { store, owners } = spyStore(memoryStore({ maxRecords: 10 }))
      const auth = hmac({ secrets: { id: 'main', secret: SECRET } })
      const { deliver, clock } = hmacListener()
      const randomUuid = draw as () => string // in plain JavaScript
      const listener = defineListener({ id: 'L1', auth, store, clock, randomUuid })
      await expect(verify(await deliver(), listener)).rejects.toMatchObject({ option: 'randomUuid' })
      expect(owners).toEqual([])
    },
  )

  it('all calls about one claim name its owner, which comes from randomUuid', async () => {
    const { store, owners } = spyStore(memoryStore({ maxRecords: 10 }))
    const auth = hmac({ secrets: { id: 'main', secret: SECRET } })
    const { deliver, clock } = hmacListener()
    const listener = defineListener({ id: 'L1', auth, store, clock, randomUuid: () => 'this-process' })
    const event = await acceptedEvent(await deliver(), listener)
    await event.commit()
    await event.release()
    await acceptedEvent(await deliver(), listener)
    expect(owners[0]).toContain('this-process')
    expect(owners.slice(0, 3)).toStrictEqual(Array(3).fill(owners[0]))
    expect(owners[3]).not.toBe(owners[0])
  })

  it('a claim is not taken by a delivery without a signature', async () => {
    const { store, calls } = spyStore(memoryStore({ maxRecords: 10 }))
    const { listener, deliver } = hmacListener({ store })
    const delivery = await deliver()
    await outcome(withHeaders(delivery, { 'webhook-signature': undefined }), listener)
    expect(calls).toStrictEqual([])
  })
})
