import { AsyncLocalStorage } from 'node:async_hooks'
import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Running } from '../../adapters/kit/running.ts'
import { beat, beatMsOf, startBeating } from '../../src/beat.ts'
import { Lease } from '../../src/claim.ts'
import {
  defineListener,
  type EventStore,
  hmac,
  type ListenerOptions,
  type MaybePromise,
} from '../../src/index.ts'
import { hmacListener, SECRET } from '../support/hmac-listener.ts'
import { acceptedEvent } from '../support/outcome.ts'

const SECOND = 1000
const KEY = '7f1d3c5e-0a4b-4c8d-9e2f-112233445566'

/** More turns than a renewal takes. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** A monotonic clock, and the timers of a platform, which fire when it is advanced. */
class World {
  now = (): number => this.#at
  started = 0
  #at = 5000
  #timers: { readonly at: number; readonly callback: () => void }[] = []

  startTimer = (callback: () => void, milliseconds: number): void => {
    this.started += 1
    this.#timers.push({ at: this.#at + milliseconds, callback })
  }

  get pending(): number {
    return this.#timers.length
  }

  async advance(seconds: number): Promise<void> {
    const until = this.#at + seconds * SECOND
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
      if (next === undefined) break
      this.#timers.splice(this.#timers.indexOf(next), 1)
      this.#at = Math.max(this.#at, next.at)
      next.callback()
      await settled()
    }
    this.#at = until
  }

  /** Time passes, and no timer fires: the process is paused, or a handler computes. */
  pause(seconds: number): void {
    this.#at += seconds * SECOND
  }
}

interface Given extends Partial<ListenerOptions> {
  readonly keys?: readonly string[]
  readonly renew?: EventStore['renew'] | undefined
  readonly holds?: EventStore['holds']
}

/** A handler that has just begun, in a world of its own. `calls`: what the store is asked, with the time since the claim. */
function begun({ keys = [KEY], ...given }: Given = {}, world = new World(), isShared = true) {
  const calls: string[] = []
  const told: { readonly code: unknown; readonly text: string; readonly context: unknown }[] = []
  const startedAt = world.now()
  const call = <Answer>(verb: string, answer: Answer) => {
    calls.push(`${verb} ${(world.now() - startedAt) / SECOND}`)
    return answer
  }
  const { renew = () => true, holds, ...options } = given
  const store: EventStore = {
    claim: () => call('claim', 'acquired' as const),
    commit: () => call('commit', 'committed' as const),
    release: () => call('release', true),
    ...(holds && { holds }),
    ...(!('renew' in given && given.renew === undefined) && {
      renew: (...asked) => {
        call('renew', undefined)
        return renew(...asked)
      },
    }),
  }
  const listener = defineListener({
    id: 'L1',
    auth: hmac({ secrets: SECRET }),
    store,
    onError: (error, context) => {
      told.push({ code: Reflect.get(Object(error), 'code'), text: String(error), context })
    },
    ...options,
  })
  const running = new Running(world, world.startTimer, isShared)
  const lease = new Lease(
    { claimKeys: keys, eventId: 'evt_1', listener, retentionMs: undefined },
    'me',
    world,
  )
  keep(running, lease)
  return { calls, lease, running, told, world }
}

/** As an adapter does. */
function keep(running: Running, lease: Lease): void {
  startBeating(lease, lease.warn ?? (() => {}))
  running.add(lease)
  if (lease.heldSince + beatMsOf(lease) < running.dueAt) running.watch(lease)
}

describe('the lease of a running handler', () => {
  it('the lease is renewed each time that half of it has passed, until the handler ends', async () => {
    const { calls, lease, running, told, world } = begun()
    await world.advance(100)
    running.delete(lease)
    await world.advance(100)
    expect(calls).toEqual(['renew 30', 'renew 60', 'renew 90'])
    expect([told, world.pending]).toEqual([[], 0])
  })

  it('the lease of a handler that ends within half of it is not renewed', async () => {
    const { calls, lease, running, world } = begun()
    await world.advance(29.9)
    running.delete(lease)
    await world.advance(100)
    expect([calls, running.size, world.pending]).toEqual([[], 0, 0])
  })

  it.each([0.001, 0.2, 1, 2, 4, 60, 3600])(
    'a lease of %d s is renewed before three quarters of it have passed, and never before half',
    async (leaseSeconds) => {
      const { calls, lease, told, world } = begun({ leaseSeconds, maxRunSeconds: leaseSeconds * 100 })
      await world.advance(leaseSeconds * 10)
      const at = calls.map((call) => Number(call.split(' ')[1]))
      expect(at.length).toBeGreaterThanOrEqual(13)
      for (const [index, time] of at.entries()) {
        const since = time - (at[index - 1] ?? 0)
        expect(since).toBeGreaterThanOrEqual(leaseSeconds / 2 - 1e-9)
        expect(since).toBeLessThanOrEqual(leaseSeconds * 0.75 + 1e-9)
      }
      expect([told, lease.signal.aborted]).toEqual([[], false])
    },
  )

  it('both keys of an event are renewed, and if one is lost, the event is', async () => {
    const owned = new Set(['first', 'second'])
    const asked: string[] = []
    const { told, world } = begun({
      keys: ['first', 'second'],
      renew: ({ eventId }, owner, leaseMs) => {
        asked.push(`${eventId} ${owner} ${leaseMs}`)
        return owned.has(eventId)
      },
    })
    await world.advance(31)
    expect(asked).toEqual(['first me 60000', 'second me 60000'])
    owned.delete('second')
    await world.advance(31)
    expect(told.map(({ code }) => code)).toEqual(['ERR_LEASE_LOST'])
  })

  it('a lease of two keys is lost if the renewal of one hangs until it has ended', async () => {
    const renew: EventStore['renew'] = ({ eventId }) => eventId === 'first' || new Promise(() => {})
    const { calls, told, world } = begun({ keys: ['first', 'second'], renew, storeTimeoutSeconds: 1000 })
    await world.advance(60)
    expect([calls, told]).toEqual([['renew 30', 'renew 30'], []])
    await world.advance(1)
    expect(told.map(({ code }) => code)).toEqual(['ERR_LEASE_LOST'])
  })

  it('an event without a key has no lease to lose, and its handler may run for too long', async () => {
    for (const renew of [undefined, () => false]) {
      const { calls, told, world } = begun({ keys: [], renew })
      world.pause(70)
      await world.advance(829)
      expect([calls, told]).toEqual([[], []])
      await world.advance(2)
      expect(told.map(({ code }) => code)).toEqual(['ERR_RUN_TOO_LONG'])
    }
  })
})

describe('a claim that is answered late', () => {
  const answered = (seconds: number, answer: 'acquired' | 'busy' | 'done', keys?: string[]) => {
    const scene = begun({ leaseSeconds: 1, ...(keys && { keys }) })
    scene.world.pause(seconds)
    return { ...scene, inTime: () => scene.lease.inTime(answer) }
  }

  it('a claim that is answered within its lease starts the handler', () => {
    const { calls, inTime } = answered(1, 'acquired')
    expect([inTime(), calls]).toEqual(['acquired', []])
  })

  it('a claim that is answered later than its lease starts nothing, and is given back by each key', () => {
    const { calls, inTime } = answered(1.001, 'acquired', ['first', 'second'])
    expect(inTime).toThrow(
      expect.objectContaining({
        code: 'ERR_EVENT_STORE',
        message: expect.stringContaining('when its lease of 1 s had ended: set leaseSeconds to more'),
      }),
    )
    expect(calls).toEqual(['release 1.001', 'release 1.001'])
  })

  it('a synchronous store that blocks for longer starts nothing either', () => {
    const world = new World()
    const released: string[] = []
    const store: EventStore = {
      claim() {
        world.pause(1.001)
        return 'acquired'
      },
      commit: () => 'committed',
      release: ({ eventId }) => released.push(eventId) > 0,
    }
    const { lease } = begun({ leaseSeconds: 1, store }, world)
    expect(() => lease.take({ wait: (promise) => promise })).toThrow('when its lease of 1 s had ended')
    expect(released).toEqual([KEY])
  })

  it.each(['busy', 'done'] as const)('a late answer that nothing starts for, %s, counts', (answer) => {
    expect(answered(100, answer).inTime()).toBe(answer)
  })

  it('a claim without a key has no lease, and is never late', () => {
    expect(answered(100, 'acquired', []).inTime()).toBe('acquired')
  })
})

describe('a lease that is lost', () => {
  it('a lease that the store has ended is told once, and asked for no more', async () => {
    const { calls, lease, running, told, world } = begun({ renew: () => false })
    const { signal } = lease
    await world.advance(200)
    expect(calls).toEqual(['renew 30'])
    expect(told).toEqual([
      {
        code: 'ERR_LEASE_LOST',
        text: 'LeaseLostError: the store had ended the lease 30.0 s after the claim, and the next delivery of this event may run',
        context: { listenerId: 'L1', eventId: 'evt_1', durationMs: 30_000 },
      },
    ])
    expect(signal.aborted && signal.reason).toMatchObject({ code: 'ERR_LEASE_LOST' })
    expect([running.size, world.pending]).toEqual([0, 0])
  })

  const FAILURES: { readonly [how: string]: () => MaybePromise<boolean> } = {
    throws: () => {
      throw new Error('ECONNREFUSED')
    },
    rejects: () => Promise.reject(new Error('ECONNREFUSED')),
    'answers nothing': () => undefined as never,
    'answers 1': () => 1 as never,
    'answers a text': async () => 'true' as never,
  }

  it.each(Object.entries(FAILURES))(
    'a store that %s is asked each second, until the lease has ended',
    async (_how, renew) => {
      const { calls, told, world } = begun({ renew })
      await world.advance(60)
      expect(told).toEqual([])
      expect(calls).toEqual(Array.from({ length: 31 }, (_, index) => `renew ${30 + index}`))
      await world.advance(10)
      expect(told.map(({ text }) => text)).toEqual([
        'LeaseLostError: the lease of 60 s ended 61.0 s after the claim: the process was paused, or the store away, and the next delivery of this event may run',
      ])
      expect(calls).toHaveLength(31)
    },
  )

  describe('whose record a transaction has locked', () => {
    it('the store is asked each second, and the lease ends when it would: nothing was renewed', async () => {
      const { calls, told, world } = begun({ renew: () => 'locked' })
      await world.advance(60)
      expect([calls.length, told]).toEqual([31, []])
      await world.advance(10)
      expect(told.map(({ code, text }) => [code, text])).toEqual([
        ['ERR_LEASE_LOST', expect.stringContaining('an open transaction has locked its record')],
      ])
    })

    it('a lock that is gone in time costs nothing', async () => {
      let isLocked = true
      const { told, world } = begun({ renew: () => (isLocked ? 'locked' : true) })
      await world.advance(59)
      isLocked = false
      await world.advance(60)
      expect(told).toEqual([])
    })

    it('a lock before the end of the lease extends nothing: the store decides what became of it after the lock', async () => {
      let answer: boolean | 'locked' = 'locked'
      const { told, world } = begun({ renew: () => answer })
      await world.advance(45)
      answer = false // taken over after a rollback
      await world.advance(1)
      expect(told.map(({ code }) => code)).toEqual(['ERR_LEASE_LOST'])
    })

    it('of two keys, one that is locked keeps the lease from being renewed', async () => {
      const renew: EventStore['renew'] = ({ eventId }) => (eventId === 'first' ? 'locked' : true)
      const { told, world } = begun({ keys: ['first', 'second'], renew })
      await world.advance(61)
      expect(told.map(({ code }) => code)).toEqual(['ERR_LEASE_LOST'])
    })

    it("the lease lasts while the store knows that this handler's own transaction holds the event, and no longer", async () => {
      let isHeld = true
      const { calls, told, world } = begun({ renew: () => 'locked', holds: () => isHeld })
      await world.advance(200)
      expect([calls.length, told]).toEqual([171, []])
      isHeld = false
      await world.advance(1)
      expect(told.map(({ code }) => code)).toEqual(['ERR_LEASE_LOST'])
    })

    it('a store whose `holds` throws holds nothing, and stops no other lease', async () => {
      const holds = () => {
        throw new Error('not to be asked')
      }
      const { told, world } = begun({ renew: () => 'locked', holds })
      await world.advance(61)
      expect(told.map(({ code }) => code)).toEqual(['ERR_LEASE_LOST'])
    })

    it('one of two keys that the transaction does not hold is lost in time', async () => {
      const holds: EventStore['holds'] = ({ eventId }) => eventId === 'first'
      const { told, world } = begun({ keys: ['first', 'second'], renew: () => 'locked', holds })
      await world.advance(61)
      expect(told.map(({ code }) => code)).toEqual(['ERR_LEASE_LOST'])
    })

    it('a handler that hangs in its transaction is told after maxRunSeconds all the same', async () => {
      const { told, world } = begun({ renew: () => 'locked', holds: () => true })
      await world.advance(901)
      expect(told.map(({ code }) => code)).toEqual(['ERR_RUN_TOO_LONG'])
    })
  })

  it('a store that comes back in time renews the lease, and nothing is told', async () => {
    let isAway = true
    const { told, world } = begun({
      renew: isAway ? () => (isAway ? Promise.reject(new Error('away')) : true) : undefined,
    })
    await world.advance(59)
    isAway = false
    await world.advance(60)
    expect(told).toEqual([])
  })

  it('a lease that has ended by our clock is lost, whatever the store answers later', async () => {
    let answer = (_isHeld: boolean) => {}
    const renew = () =>
      new Promise<boolean>((resolve) => {
        answer = resolve
      })
    const { lease, told, world } = begun({ renew, storeTimeoutSeconds: 1000 })
    await world.advance(61)
    expect(told.map(({ code }) => code)).toEqual(['ERR_LEASE_LOST'])
    answer(true)
    await settled()
    await world.advance(61)
    expect([told.length, beat(lease)]).toEqual([1, false])
  })

  it('an answer counts from its question', async () => {
    const answers: ((isHeld: boolean) => void)[] = []
    const renew = () => new Promise<boolean>((resolve) => answers.push(resolve))
    const { told, world } = begun({ renew, storeTimeoutSeconds: 1000 })
    await world.advance(55) // asked at 30
    answers[0]?.(true)
    await settled()
    await world.advance(5) // half of the lease is over at once
    expect(answers).toHaveLength(2)
    await world.advance(30)
    expect(told).toEqual([])
    await world.advance(1) // 91: a lease after the question of 30
    expect(told.map(({ code }) => code)).toEqual(['ERR_LEASE_LOST'])
  })

  it.each([
    [60, [], 1],
    [60.001, ['ERR_LEASE_LOST'], 0],
  ])(
    'a process that was paused for %d s: %j, and the store is asked %d times',
    async (seconds, codes, asked) => {
      const { calls, told, world } = begun()
      world.pause(seconds)
      await world.advance(0)
      expect(told.map(({ code }) => code)).toEqual(codes)
      expect(calls).toHaveLength(asked)
    },
  )

  it('a store whose renew cannot be read has none', async () => {
    const { lease, told, world } = begun()
    const store = Object.defineProperty({ ...lease.listener.store }, 'renew', {
      get() {
        throw new Error('not to be read')
      },
    })
    Reflect.set(lease, 'listener', { ...lease.listener, store })
    await world.advance(62)
    expect(told.map(({ code }) => code)).toEqual(['ERR_NO_ANSWER'])
  })

  it('a hook that commits the event it is told of gets its answer, and is told once', async () => {
    const answers: Promise<unknown>[] = []
    const { lease, world } = begun({
      renew: () => false,
      onError: () => answers.push(lease.commit()),
    })
    await world.advance(200)
    expect(await Promise.all(answers)).toEqual(['committed'])
  })

  it('a store without renew works as before: told when the lease ends', async () => {
    const { calls, lease, told, world } = begun({ renew: undefined })
    const { signal } = lease
    await world.advance(60)
    expect([told, signal.aborted]).toEqual([[], false])
    await world.advance(10)
    expect(told).toEqual([
      {
        code: 'ERR_NO_ANSWER',
        text: 'LeaseLostError: no answer within the lease of 60 s, which this store cannot renew, and the next delivery of this event may run',
        context: { listenerId: 'L1', eventId: 'evt_1', durationMs: 61_000 },
      },
    ])
    expect([calls, signal.aborted]).toEqual([[], true])
  })

  it('a hook that throws stops neither the abort nor the other leases', async () => {
    const world = new World()
    const onError = () => {
      throw new Error('the hook fails')
    }
    const first = begun({ renew: () => false, onError }, world)
    const second = begun({}, world)
    keep(first.running, second.lease)
    await world.advance(65)
    expect(first.lease.signal.aborted).toBe(true)
    expect([second.calls, second.told]).toEqual([['renew 30', 'renew 60'], []])
  })

  it.each([undefined, null])('without onError (%s), the console is told, once', async (onError) => {
    const { lease, world } = begun({ renew: () => false, onError })
    const warned: unknown[][] = []
    lease.warn = ({ id }, code) => warned.push([id, code])
    await world.advance(300)
    expect(warned).toEqual([['L1', 'ERR_LEASE_LOST']])
  })
})

describe('a handler that runs for too long', () => {
  it('it is told once, and its lease is renewed no more', async () => {
    const { calls, lease, running, told, world } = begun({ maxRunSeconds: 100 })
    const { signal } = lease
    await world.advance(99)
    expect([told, signal.aborted]).toEqual([[], false])
    await world.advance(300)
    expect(told).toEqual([
      {
        code: 'ERR_RUN_TOO_LONG',
        text: 'LeaseLostError: the handler ran longer than maxRunSeconds (100), and the next delivery of this event may run',
        context: { listenerId: 'L1', eventId: 'evt_1', durationMs: 100_000 },
      },
    ])
    expect(signal.reason).toMatchObject({ code: 'ERR_RUN_TOO_LONG' })
    expect([calls.length, running.size, world.pending]).toEqual([3, 0, 0])
  })
})

describe('a commit or a release', () => {
  it('it waits for a renewal in flight', async () => {
    for (const verb of ['commit', 'release'] as const) {
      let answer = (_isHeld: boolean) => {}
      const renew = () =>
        new Promise<boolean>((resolve) => {
          answer = resolve
        })
      const { calls, lease, world } = begun({ renew })
      await world.advance(31)
      const settling = lease[verb]()
      await settled()
      expect(calls).toEqual(['renew 30'])
      answer(true)
      expect(await settling).toBe(verb === 'commit' ? 'committed' : true)
      expect(calls).toEqual(['renew 30', `${verb} 31`])
    }
  })

  it('a renewal that hangs holds it up no longer than the store may take', async () => {
    const { lease, world, calls } = begun({ renew: () => new Promise(() => {}), storeTimeoutSeconds: 0.02 })
    await world.advance(30)
    expect(await lease.commit()).toBe('committed')
    expect(calls).toEqual(['renew 30', 'commit 30'])
  })

  it('by hand, it ends the renewals, and nothing is told of a handler that runs on', async () => {
    for (const verb of ['commit', 'release'] as const) {
      const { calls, lease, running, told, world } = begun()
      await world.advance(31)
      await lease[verb]()
      await world.advance(2000)
      expect([calls.slice(1), told, running.size, world.pending]).toEqual([[`${verb} 31`], [], 0, 0])
      await lease.release() // what the adapter does for a handler that fails later
      expect(told).toEqual([])
    }
  })

  it('the lease is renewed on if it failed', async () => {
    const { calls, lease, world } = begun({})
    const failing = {
      ...lease.listener,
      store: { ...lease.listener.store, commit: () => Promise.reject(new Error('away')) },
    }
    Reflect.set(lease, 'listener', failing)
    await expect(lease.commit()).rejects.toThrow('the event store failed to commit')
    await world.advance(65)
    expect(calls).toEqual(['renew 30', 'renew 60'])
  })

  /** The store's answer to a commit after the loss, and what is told in all. */
  const LATE = [
    ['lost', 'the commit came too late, and another delivery ran the event too'],
    ['already', 'the commit came too late, and another delivery ran the event too'],
    ['committed', undefined],
  ] as const

  it.each(LATE)('a commit after a lost lease that is answered %s tells: %s', async (answer, says) => {
    const { lease, told, world } = begun({ renew: () => false })
    const store = { ...lease.listener.store, commit: () => answer }
    Reflect.set(lease, 'listener', { ...lease.listener, store })
    await world.advance(100)
    expect([await lease.commit(), await lease.commit()][0]).toBe(answer)
    expect(told.slice(1).map(({ text }) => text)).toEqual(
      says ? [`LeaseLostError: ${says}: the store had ended the lease 30.0 s after the claim`] : [],
    )
  })

  it('a commit after a lost lease tells of another delivery that had but one of its keys', async () => {
    const { lease, told, world } = begun({ keys: ['bytes', 'id'], renew: () => false })
    const commit: EventStore['commit'] = ({ eventId }) => (eventId === 'id' ? 'already' : 'committed')
    Reflect.set(lease, 'listener', { ...lease.listener, store: { ...lease.listener.store, commit } })
    await world.advance(100)
    expect([await lease.commit(), told.length]).toEqual(['committed', 2])
    expect(told[1]?.text).toMatch(/the commit came too late, and another delivery ran the event too/)
  })

  it('after a release of one of two keys, nothing is committed', async () => {
    const { calls, lease } = begun({ keys: ['bytes', 'id'] })
    const release: EventStore['release'] = ({ eventId }) => eventId === 'bytes'
    Reflect.set(lease, 'listener', { ...lease.listener, store: { ...lease.listener.store, release } })
    expect([await lease.release(), await lease.commit(), calls]).toEqual([false, 'lost', []])
  })

  it('after a release of one of two keys that failed for the other, nothing is committed', async () => {
    const { calls, lease } = begun({ keys: ['bytes', 'id'] })
    const release: EventStore['release'] = ({ eventId }) => {
      if (eventId === 'bytes') throw new Error('ECONNRESET')
      return true
    }
    Reflect.set(lease, 'listener', { ...lease.listener, store: { ...lease.listener.store, release } })
    await expect(lease.release()).rejects.toThrow('the event store failed to release')
    expect([await lease.commit(), calls]).toEqual(['lost', []])
  })

  it('a commit that is lost for one key tells so, if it failed for the other', async () => {
    const { lease, told } = begun({ keys: ['bytes', 'id'] })
    const commit: EventStore['commit'] = ({ eventId }) => {
      if (eventId === 'bytes') throw new Error('ECONNRESET')
      return 'lost'
    }
    Reflect.set(lease, 'listener', { ...lease.listener, store: { ...lease.listener.store, commit } })
    await expect(lease.commit()).rejects.toThrow('the event store failed to commit')
    expect(told.map(({ text }) => text)).toEqual([
      'LeaseLostError: the commit came too late, and another delivery ran the event too: its lease of 60 s was lost',
    ])
  })

  it('a renewal that is refused for one key loses the lease at once, if it failed for the other', async () => {
    const renew: EventStore['renew'] = ({ eventId }) => {
      if (eventId === 'bytes') throw new Error('ECONNRESET')
      return false
    }
    const { told, world } = begun({ keys: ['bytes', 'id'], renew })
    await world.advance(31)
    expect(told.map(({ text }) => text)).toEqual([
      'LeaseLostError: the store had ended the lease 30.0 s after the claim, and the next delivery of this event may run',
    ])
  })

  it('a release does not overtake the commit of one key, because that of the other has failed', async () => {
    const { lease } = begun({ keys: ['bytes', 'id'] })
    const calls: string[] = []
    const commit: EventStore['commit'] = async ({ eventId }) => {
      if (eventId === 'bytes') throw new Error('ECONNRESET')
      await settled()
      calls.push('commit id')
      return 'committed' as const
    }
    const release: EventStore['release'] = ({ eventId }) => {
      calls.push(`release ${eventId}`)
      return false
    }
    const store = { ...lease.listener.store, commit, release }
    Reflect.set(lease, 'listener', { ...lease.listener, store })
    await lease.commit().catch(() => {})
    await lease.release()
    expect(calls).toEqual(['commit id', 'release bytes', 'release id'])
  })

  it('a commit that was carried out although it failed is no run of another delivery, when it is repeated', async () => {
    const { lease, told, world } = begun({ renew: () => false })
    const answers = [() => Promise.reject(new Error('ECONNRESET')), () => 'already']
    const store = { ...lease.listener.store, commit: () => answers.shift()?.() }
    Reflect.set(lease, 'listener', { ...lease.listener, store })
    await expect(lease.commit()).rejects.toThrow('the event store failed to commit')
    await world.advance(40)
    expect([await lease.commit(), told.length]).toEqual(['already', 1]) // of the renewal that was refused
  })

  it('a commit after too long a run says so', async () => {
    const { lease, told, world } = begun({ maxRunSeconds: 100 })
    Reflect.set(lease, 'listener', {
      ...lease.listener,
      store: { ...lease.listener.store, commit: () => 'lost' },
    })
    await world.advance(200)
    await lease.commit()
    expect(told.map(({ code }) => code)).toEqual(['ERR_RUN_TOO_LONG', 'ERR_RUN_TOO_LONG'])
    expect(told[1]?.text).toBe(
      'LeaseLostError: the commit came too late, and another delivery ran the event too: the handler ran longer than maxRunSeconds (100)',
    )
  })

  it.each(['lost', 'already', 'committed'] as const)(
    'a handler that blocked the process for a lease is told of once, if its commit is answered %s',
    async (answer) => {
      const { lease, told, world } = begun()
      Reflect.set(lease, 'listener', {
        ...lease.listener,
        store: { ...lease.listener.store, commit: () => answer },
      })
      world.pause(70)
      expect(await lease.commit()).toBe(answer)
      await world.advance(10)
      expect(told.map(({ code }) => code)).toEqual(['ERR_LEASE_LOST'])
    },
  )
})

describe('the timer', () => {
  it('one timer serves 10,000 handlers, and renews each', async () => {
    const { calls, lease, running, world } = begun()
    const leased = { claimKeys: [KEY], eventId: 'e', listener: lease.listener, retentionMs: undefined }
    for (let more = 1; more < 10_000; more += 1) keep(running, new Lease(leased, 'me', world))
    expect([running.size, world.pending, world.started]).toEqual([10_000, 1, 1])
    await world.advance(31)
    expect([world.pending, calls]).toEqual([1, Array(10_000).fill('renew 30')])
    running.clear()
    await world.advance(1)
    expect(world.pending).toBe(0)
  })

  it('it is due earlier for a shorter lease that comes later', async () => {
    const world = new World()
    const long = begun({}, world)
    await world.advance(0.1)
    const short = begun({ leaseSeconds: 0.4 }, world)
    short.running.delete(short.lease)
    keep(long.running, short.lease)
    await world.advance(0.25)
    expect([short.calls, long.calls]).toEqual([['renew 0.2'], []])
    await world.advance(30)
    expect(long.calls).toEqual(['renew 30'])
    expect(short.told).toEqual([])
  })

  it('where requests share none, each handler has its own, which looks at no other', async () => {
    const world = new World()
    const first = begun({}, world, false)
    const second = begun({}, new World())
    keep(first.running, second.lease)
    expect(world.pending).toBe(2)
    first.running.delete(first.lease)
    await world.advance(2)
    expect([world.pending, first.running.size]).toEqual([1, 1])
    first.running.delete(second.lease)
    await world.advance(2)
    expect(world.pending).toBe(0)
  })
})

it('the timer runs outside of the request that started it', async () => {
  const requests = new AsyncLocalStorage<string>()
  const heard = new Promise<string | undefined>((resolve) => {
    requests.run('the first request', () => {
      const { listener } = begun().lease
      const store = { ...listener.store, renew: () => false }
      const lease = new Lease(
        {
          claimKeys: [KEY],
          eventId: 'evt_1',
          listener: { ...listener, store, leaseMs: 40, onError: () => resolve(requests.getStore()) },
          retentionMs: undefined,
        },
        'me',
      )
      keep(new Running(), lease)
    })
  })
  expect(await heard).toBeUndefined()
})

it('fake timers, installed while a handler runs, stop no timer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { listener } = begun().lease
  const lookedAt = new Promise((resolve) => {
    const store = { ...listener.store, renew: () => Boolean(resolve('looked at')) }
    const onError = () => resolve('looked at') // too late, on a busy machine
    const leased = { claimKeys: [KEY], eventId: 'evt_1', retentionMs: undefined }
    keep(
      new Running(),
      new Lease({ ...leased, listener: { ...listener, store, onError, leaseMs: 40 } }, 'me'),
    )
  })
  expect(await lookedAt).toBe('looked at')
})

describe('event.signal', () => {
  it('it shows up in no log, no copy and no list of members, and is one and the same', async () => {
    const { listener, deliver } = hmacListener()
    const event = await acceptedEvent(await deliver(), listener)
    expect(Object.keys(event)).not.toContain('signal')
    expect(JSON.stringify(event)).not.toContain('signal')
    expect(inspect(event)).not.toMatch(/signal|Lease/)
    expect(inspect(event)).toMatch(/^\{/)
    expect({ ...event }).not.toHaveProperty('signal')
    expect(event.signal).toBe(event.signal)
    expect(event.signal.aborted).toBe(false)
  })

  it('read after the loss, it is aborted at once, with the same reason', async () => {
    const { lease, world } = begun({ renew: () => false })
    await world.advance(31)
    expect(lease.signal.reason).toMatchObject({ code: 'ERR_LEASE_LOST' })
  })
})
