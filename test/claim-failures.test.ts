import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type EventStore, EventStoreError, type ListenerOptions, verify } from '../src/index.ts'
import { memoryStore } from '../src/stores/memory.ts'
import { hmacListener } from './support/hmac-listener.ts'
import { acceptedEvent, outcome } from './support/outcome.ts'
import { spyStore } from './support/spy-store.ts'

const never = () => new Promise<never>(() => {})
const boom = new Error('the connection is gone')

/**
 * A listener on a working store with some of its verbs replaced. They may answer anything, as plain JavaScript could.
 */
function failing(verbs: { [Verb in keyof EventStore]?: unknown }, options: Partial<ListenerOptions> = {}) {
  const store = { ...spyStore(memoryStore({ maxRecords: 10 })).store, ...verbs } as EventStore
  return hmacListener({ store, storeTimeoutSeconds: 0.03, ...options })
}

async function errorOf(work: Promise<unknown>): Promise<EventStoreError> {
  try {
    await work
  } catch (error) {
    if (error instanceof EventStoreError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

const throws = () => {
  throw boom
}

describe('a store that cannot claim', () => {
  it.each([
    ['throws', throws],
    ['rejects', () => Promise.reject(boom)],
  ])('a store that %s makes verify() reject with an EventStoreError that has the cause', async (_, claim) => {
    const { listener, deliver } = failing({ claim })
    const error = await errorOf(verify(await deliver(), listener))
    expect(error).toMatchObject({ name: 'EventStoreError', code: 'ERR_EVENT_STORE', cause: boom })
    expect(error.retryAfterSeconds).toBeGreaterThan(0)
    expect(error.message).toContain('claim')
  })

  it('a store that hangs is given up after storeTimeoutSeconds', async () => {
    const { listener, deliver } = failing({ claim: never })
    const start = performance.now()
    const error = await errorOf(verify(await deliver(), listener))
    expect(error.message).toContain('within 30 ms')
    expect(performance.now() - start).toBeGreaterThan(25)
  })

  it.each([undefined, null, true, false, 1, 0, 'OK', 'ACQUIRED', '', {}, ['acquired'], 'committed'])(
    'a store that answers %j, synchronously or not, decides nothing',
    async (nonsense) => {
      for (const claim of [() => nonsense, async () => nonsense]) {
        const { listener, deliver } = failing({ claim })
        expect((await errorOf(verify(await deliver(), listener))).message).toContain('acquired, busy, done')
      }
    },
  )

  it("the store's own EventStoreError is passed on", async () => {
    const own = new EventStoreError('full')
    for (const claim of [
      () => Promise.reject(own),
      () => Promise.resolve().then(() => Promise.reject(own)),
    ]) {
      const { listener, deliver } = failing({ claim })
      expect(await errorOf(verify(await deliver(), listener))).toBe(own)
    }
  })

  it('a store is asked again at the next delivery, without a restart', async () => {
    const working = memoryStore({ maxRecords: 10 })
    let down = true
    const claim: EventStore['claim'] = (...given) => (down ? throws() : working.claim(...given))
    const { listener, deliver } = failing({ ...spyStore(working).store, claim })
    const delivery = await deliver()
    await errorOf(verify(delivery, listener))
    down = false
    expect(await outcome(delivery, listener)).toBe('accepted')
  })

  it('a failed claim is told to onError and not to onVerdict', async () => {
    const errors: unknown[][] = []
    const verdicts: unknown[] = []
    const { listener, deliver } = failing(
      { claim: throws },
      { onError: (...given) => errors.push(given), onVerdict: (verdict) => verdicts.push(verdict) },
    )
    const delivery = await deliver({ sourceIp: '10.0.0.1' })
    const error = await errorOf(verify(delivery, listener))
    expect(errors).toStrictEqual([
      [
        error,
        {
          listenerId: 'L1',
          eventId: delivery.header('webhook-event-id'),
          sourceIp: '10.0.0.1',
          durationMs: expect.any(Number),
        },
      ],
    ])
    expect(verdicts).toStrictEqual([])
  })

  it.each([
    ['throws', throws],
    ['rejects', () => Promise.reject(boom)],
  ])('verify() still rejects if onError %s', async (_, onError) => {
    const { listener, deliver } = failing({ claim: () => 'nonsense' }, { onError })
    expect((await errorOf(verify(await deliver(), listener))).message).toContain('claim')
  })
})

it('a claim whose answer was lost is released', async () => {
  const { store, calls } = spyStore(memoryStore({ maxRecords: 10 }))
  let lost = true
  const claim: EventStore['claim'] = async (...given) => {
    const answer = await store.claim(...given)
    if (!lost) return answer
    lost = false
    throw boom
  }
  const { listener, deliver } = failing({ ...store, claim })
  const delivery = await deliver()
  await errorOf(verify(delivery, listener))
  await setImmediate()
  expect(calls.map((call) => call.split(' ')[0])).toStrictEqual(['claim', 'release'])
  expect(await outcome(delivery, listener)).toBe('accepted')
})

describe('a claim that comes too late', () => {
  /** A store whose first claim succeeds at once but answers only when it is told to. */
  function lateStore() {
    const { store, calls } = spyStore(memoryStore({ maxRecords: 10 }))
    let answer: () => void = () => {}
    let late = true
    const claim: EventStore['claim'] = async (...given) => {
      const taken = await store.claim(...given)
      if (late) {
        late = false
        await new Promise<void>((resolve) => {
          answer = resolve
        })
      }
      return taken
    }
    return { store: { ...store, claim }, calls, answer: () => answer() }
  }

  it('a late claim is released, so that the retry is accepted at once', async () => {
    const { store, calls, answer } = lateStore()
    const { listener, deliver } = failing(store)
    const delivery = await deliver()
    await errorOf(verify(delivery, listener))
    expect(await outcome(delivery, listener)).toBe('503 event_in_progress')
    answer()
    await setImmediate()
    expect(calls.map((call) => call.split(' ')[0])).toStrictEqual(['claim', 'claim', 'release'])
    expect(await outcome(delivery, listener)).toBe('accepted')
  })

  it('a late claim is not released twice, nor if it came in time', async () => {
    const { store, calls } = spyStore(memoryStore({ maxRecords: 10 }))
    const claim: EventStore['claim'] = async (...given) => store.claim(...given)
    const { listener, deliver } = failing({ ...store, claim })
    await acceptedEvent(await deliver(), listener)
    await sleep(40)
    expect(calls).toHaveLength(1)
  })

  it.each([
    ['throws', throws],
    ['rejects', () => Promise.reject(boom)],
    ['hangs', never],
  ])('a late claim does no harm if the release %s', async (_, release) => {
    const { store, answer } = lateStore()
    const { listener, deliver } = failing({ ...store, release })
    await errorOf(verify(await deliver(), listener))
    answer()
    await setImmediate()
  })

  it('a late claim does no harm if it finally fails', async () => {
    let fail: (error: Error) => void = () => {}
    const claim = () =>
      new Promise((_, reject) => {
        fail = reject
      })
    const { listener, deliver } = failing({ claim })
    await errorOf(verify(await deliver(), listener))
    fail(boom)
    await setImmediate()
  })
})

describe('a claim that is answered later than its lease', () => {
  const slow = (answerAfterMs: number) => {
    const { store, calls } = spyStore(memoryStore({ maxRecords: 10 }))
    const claim: EventStore['claim'] = async (...given) => {
      const answer = await store.claim(...given)
      await sleep(answerAfterMs)
      return answer
    }
    return { store: { ...store, claim }, calls }
  }

  it('is given back, and the sender gets 503: another delivery may run the event by now', async () => {
    const { store, calls } = slow(80)
    const { listener, deliver } = hmacListener({ store, leaseSeconds: 0.03 })
    const error = await errorOf(verify(await deliver(), listener))
    expect(error.message).toContain('set leaseSeconds to more than the store may take')
    expect(calls.map((call) => call.split(' ')[0])).toStrictEqual(['claim', 'release'])
  })

  it('is accepted if the lease lasts', async () => {
    const { listener, deliver } = hmacListener({ store: slow(30).store, leaseSeconds: 60 })
    expect(await outcome(await deliver(), listener)).toBe('accepted')
  })
})

describe.each(['commit', 'release'] as const)('a store that cannot %s', (verb) => {
  it.each([
    ['throws', throws, boom],
    ['rejects', () => Promise.reject(boom), boom],
    ['hangs', never, undefined],
    ['answers nonsense', () => 'nonsense', undefined],
    ['answers nonsense later', async () => undefined, undefined],
  ])('a store that %s makes it reject with an EventStoreError', async (_, broken, cause) => {
    const { listener, deliver } = failing({ [verb]: broken })
    const event = await acceptedEvent(await deliver(), listener)
    const error = await errorOf(event[verb]())
    expect(error.message).toContain(verb)
    expect(error.cause).toBe(cause)
  })

  it('a store may be asked again', async () => {
    const working = memoryStore({ maxRecords: 10 })
    let down = true
    const broken = (...given: Parameters<EventStore['commit']>) => (down ? throws() : working[verb](...given))
    const { listener, deliver } = failing({ ...spyStore(working).store, [verb]: broken })
    const event = await acceptedEvent(await deliver(), listener)
    await errorOf(event[verb]())
    down = false
    expect(await event[verb]()).toBe(verb === 'commit' ? 'committed' : true)
  })
})

it('a failed commit is not followed by a release', async () => {
  for (const commit of [() => Promise.reject(boom), never]) {
    const { store, calls } = spyStore(memoryStore({ maxRecords: 10 }))
    const { listener, deliver } = failing({ ...store, commit })
    const delivery = await deliver()
    await errorOf((await acceptedEvent(delivery, listener)).commit())
    await setImmediate()
    expect(calls.map((call) => call.split(' ')[0])).toStrictEqual(['claim'])
    expect(await outcome(delivery, listener)).toBe('503 event_in_progress')
  }
})

it('a failed release does not make the commit lost', async () => {
  const { listener, deliver } = failing({ release: throws })
  const event = await acceptedEvent(await deliver(), listener)
  await errorOf(event.release())
  expect(await event.commit()).toBe('committed')
})
