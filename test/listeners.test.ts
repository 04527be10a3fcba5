import { describe, expect, it } from 'vitest'
import { type Listener, ListenerConfigError, ListenerLoadError } from '../src/index.ts'
import { type ListenersOptions, listeners } from '../src/listeners.ts'
import { fakeClock } from './support/clock.ts'
import { hmacListener } from './support/hmac-listener.ts'
import fc from './support/property.ts'

const TTL_MS = 60_000
const STALE_MS = 300_000
const UNKNOWN_MS = 10_000

const newListener = (id: string) => hmacListener({ id }).listener

/** A database of tenants that answers at once or when the test says so, and the cache in front of it. */
function tenants(options: Partial<ListenersOptions> = {}) {
  const clock = fakeClock()
  const rows = new Map<string, Listener>()
  const loads: string[] = []
  const failures: unknown[] = []
  const held: (() => void)[] = []
  const state = { fails: false, holds: false }
  const cache = listeners({
    clock,
    onError: (error, { listenerId }) => failures.push([listenerId, error]),
    async load(id) {
      loads.push(id)
      const { fails } = state
      const row = rows.get(id)
      if (state.holds) await new Promise<void>((resolve) => held.push(resolve))
      if (fails) throw new Error('connect ECONNREFUSED 10.1.2.3:5432')
      return row
    },
    ...options,
  })
  return {
    cache,
    clock,
    rows,
    loads,
    failures,
    state,
    add: (id: string) => rows.set(id, newListener(id)).get(id),
    /** Ends all loads that are held back. */
    async release() {
      for (const end of held.splice(0)) end()
      await settled()
    },
  }
}

/** Resolves when nothing more can happen without the clock. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
}

describe('a known listener', () => {
  it('a known listener is loaded once, and then found synchronously', async () => {
    const { cache, add, loads } = tenants()
    const listener = add('L1')
    expect(await cache.find('L1')).toBe(listener)
    for (const _ of [1, 2, 3]) expect(cache.find('L1')).toBe(listener)
    expect(loads).toEqual(['L1'])
  })

  it.each([Infinity, NaN])('one load serves a delivery while the clock says %s', async (now) => {
    const { cache, add, loads } = tenants({ clock: { now: () => now } })
    add('L1')
    await Promise.allSettled([cache.find('L1')])
    expect(loads).toEqual(['L1'])
  })

  it('a known listener is loaded once for all waiting deliveries, separately for each ID', async () => {
    const { cache, add, loads, state, release } = tenants()
    const [one, two] = [add('L1'), add('L2')]
    state.holds = true
    const found = Promise.all([cache.find('L1'), cache.find('L1'), cache.find('L2'), cache.find('L1')])
    await release()
    expect(await found).toEqual([one, one, two, one])
    expect(loads).toEqual(['L1', 'L2'])
  })

  it('a known listener is renewed in the background when it is ttlSeconds old, and not before', async () => {
    const { cache, add, clock, loads, state, release } = tenants()
    const before = add('L1')
    await cache.find('L1')
    const after = add('L1')
    clock.advance(TTL_MS - 1)
    expect(cache.find('L1')).toBe(before)
    expect(loads).toHaveLength(1)
    clock.advance(1)
    state.holds = true
    for (const _ of [1, 2, 3]) expect(cache.find('L1')).toBe(before)
    expect(loads).toHaveLength(2)
    await release()
    expect(cache.find('L1')).toBe(after)
    expect(loads).toHaveLength(2)
  })

  it('a known listener counts its age from the start of its load, which may take long', async () => {
    const { cache, add, clock, loads, state, release } = tenants()
    add('L1')
    state.holds = true
    const first = cache.find('L1')
    clock.advance(TTL_MS)
    await release()
    await first
    state.holds = false
    cache.find('L1')
    expect(loads).toHaveLength(2)
  })

  it('a known listener is passed to the load that renews it, which may return it again', async () => {
    const clock = fakeClock()
    const handed: (Listener | undefined)[] = []
    const load: ListenersOptions['load'] = (id, known) => {
      handed.push(known)
      return known ?? newListener(id)
    }
    const cache = listeners({ clock, load })
    const listener = await cache.find('L1')
    clock.advance(TTL_MS)
    cache.find('L1')
    await settled()
    expect(cache.find('L1')).toBe(listener)
    expect(handed).toEqual([undefined, listener])
  })

  it('a known listener is awaited when it is ttlSeconds + staleSeconds old, and not before', async () => {
    const { cache, add, clock, state, release } = tenants()
    const before = add('L1')
    await cache.find('L1')
    const after = add('L1')
    state.holds = true
    clock.advance(TTL_MS + STALE_MS - 1)
    expect(cache.find('L1')).toBe(before)
    clock.advance(1)
    const found = cache.find('L1')
    await release()
    expect(await found).toBe(after)
  })

  it('a known listener is awaited as soon as it is due if staleSeconds is 0', async () => {
    const { cache, add, clock } = tenants({ staleSeconds: 0 })
    add('L1')
    await cache.find('L1')
    const after = add('L1')
    clock.advance(TTL_MS)
    expect(await cache.find('L1')).toBe(after)
  })

  it('a known listener disappears with its row: one delivery still uses it, and the next finds nothing', async () => {
    const { cache, add, rows, clock, loads } = tenants()
    const listener = add('L1')
    await cache.find('L1')
    rows.clear()
    clock.advance(TTL_MS)
    expect(cache.find('L1')).toBe(listener)
    await settled()
    expect(cache.find('L1')).toBeUndefined()
    expect(loads).toHaveLength(2)
  })

  it('a known listener is due if the clock is set back', async () => {
    const { cache, add, clock } = tenants()
    add('L1')
    await cache.find('L1')
    const after = add('L1')
    clock.advance(-1)
    expect(await cache.find('L1')).toBe(after)
  })

  it('a known listener may be found without a promise', async () => {
    const listener = newListener('L1')
    const cache = listeners({ load: () => listener })
    expect(await cache.find('L1')).toBe(listener)
    expect(cache.find('L1')).toBe(listener)
  })
})

describe('a load that fails', () => {
  it('a failing load rejects for all waiting deliveries, tells onError once, and is remembered for a second', async () => {
    const { cache, add, clock, failures, state, loads } = tenants()
    state.fails = true
    const asked = [cache.find('L1'), cache.find('L1')]
    for (const found of await Promise.allSettled(asked)) {
      expect(found).toMatchObject({ status: 'rejected', reason: expect.any(ListenerLoadError) })
      expect(found).toMatchObject({ reason: { retryAfterSeconds: 5, cause: { message: /ECONNREFUSED/ } } })
    }
    expect(failures).toEqual([['L1', expect.any(ListenerLoadError)]])
    state.fails = false
    const listener = add('L1')
    clock.advance(999)
    for (const _ of [1, 2, 3]) expect(() => cache.find('L1')).toThrow(ListenerLoadError)
    expect([loads.length, failures.length]).toEqual([1, 1])
    clock.advance(1)
    expect(await cache.find('L1')).toBe(listener)
    expect(loads).toHaveLength(2)
  })

  it.each([
    ['whatever unknownSeconds is', { unknownSeconds: 0 }],
    ['also if the ID was unknown before', {}],
  ])('a failing first load is repeated after a second, %s', async (_, options) => {
    const { cache, clock, loads, state } = tenants(options)
    await cache.find('L1')
    clock.advance(UNKNOWN_MS)
    state.fails = true
    for (const loaded of [2, 3]) {
      await expect(cache.find('L1')).rejects.toThrow(ListenerLoadError)
      for (let times = 0; times < 100; times += 1) expect(() => cache.find('L1')).toThrow(ListenerLoadError)
      expect(loads).toHaveLength(loaded)
      clock.advance(1000)
    }
  })

  it('the second begins when the load has failed, which may have taken long', async () => {
    const { cache, clock, loads, state, release } = tenants()
    state.fails = state.holds = true
    const early = cache.find('L1')
    clock.advance(4000)
    await Promise.all([release(), expect(early).rejects.toThrow(ListenerLoadError)])
    clock.advance(999)
    expect(() => cache.find('L1')).toThrow(ListenerLoadError)
    expect(loads).toHaveLength(1)
  })

  it('forget() ends the second', async () => {
    const { cache, add, state } = tenants()
    state.fails = true
    await expect(cache.find('L1')).rejects.toThrow(ListenerLoadError)
    state.fails = false
    const listener = add('L1')
    cache.forget('L1')
    expect(await cache.find('L1')).toBe(listener)
  })

  it('failures are remembered for the last 1,000 IDs', async () => {
    const { cache, loads, state } = tenants()
    state.fails = true
    const ids = Array.from({ length: 1001 }, (_, number) => `L${number}`)
    for (const id of ids) await expect(cache.find(id)).rejects.toThrow(ListenerLoadError)
    for (const id of ids.slice(1)) expect(() => cache.find(id)).toThrow(ListenerLoadError)
    await expect(cache.find('L0')).rejects.toThrow(ListenerLoadError)
    expect(loads).toEqual([...ids, 'L0'])
  })

  it('a failing load keeps an old listener in use until it is ttlSeconds + staleSeconds old', async () => {
    const { cache, add, clock, failures, state } = tenants()
    const listener = add('L1')
    await cache.find('L1')
    state.fails = true
    for (let age = TTL_MS; age < TTL_MS + STALE_MS; age += 30_000) {
      clock.advance(age === TTL_MS ? TTL_MS : 30_000)
      expect(cache.find('L1')).toBe(listener)
      await settled()
    }
    expect(failures).toHaveLength(10)
    clock.advance(30_000)
    await expect(cache.find('L1')).rejects.toThrow(ListenerLoadError)
    state.fails = false
    clock.advance(1000)
    expect(await cache.find('L1')).toBe(listener)
  })

  it('a failing load is repeated after a second, for any number of deliveries', async () => {
    const { cache, add, clock, loads, state } = tenants()
    add('L1')
    await cache.find('L1')
    state.fails = true
    clock.advance(TTL_MS)
    const askOften = async () => {
      for (let turn = 0; turn < 100; turn += 1) {
        cache.find('L1')
        await settled()
      }
    }
    await askOften()
    expect(loads).toHaveLength(2)
    clock.advance(999)
    await askOften()
    expect(loads).toHaveLength(2)
    clock.advance(1)
    await askOften()
    expect(loads).toHaveLength(3)
  })

  it('deliveries within that second that have no older listener fail at once', async () => {
    const { cache, add, clock, loads, state } = tenants()
    add('L1')
    await cache.find('L1')
    state.fails = true
    clock.advance(TTL_MS + STALE_MS)
    await expect(cache.find('L1')).rejects.toThrow(ListenerLoadError)
    expect(() => cache.find('L1')).toThrow(ListenerLoadError)
    expect(loads).toHaveLength(2)
  })

  it('a load may fail by throwing', async () => {
    const load = () => {
      throw new Error('no pool')
    }
    await expect(listeners({ load }).find('L1')).rejects.toMatchObject({ cause: { message: 'no pool' } })
  })

  it('a load may fail by taking longer than timeoutSeconds, and its late result is not used', async () => {
    const { cache, add, clock, state, release, failures } = tenants({ timeoutSeconds: 0.02 })
    add('L1')
    state.holds = true
    await expect(cache.find('L1')).rejects.toThrow(ListenerLoadError)
    expect(failures).toMatchObject([['L1', { cause: { message: 'load took longer than 20 ms' } }]])
    const after = add('L1')
    state.holds = false
    clock.advance(1000)
    const found = await cache.find('L1')
    await release()
    expect(found).toBe(after)
    expect(cache.find('L1')).toBe(after)
  })

  it.each([[null], [{}], ['L1'], [{ id: 'L1', secret: 'x' }]])(
    'a load may fail by finding %j, which is not a listener',
    async (row) => {
      const found = listeners({ load: () => row as never }).find('L1')
      await expect(found).rejects.toMatchObject({
        name: 'ListenerLoadError',
        cause: expect.any(ListenerConfigError),
      })
    },
  )

  it('a load still fails if onError throws', async () => {
    const { cache, state } = tenants({
      onError: () => {
        throw new Error('no log')
      },
    })
    state.fails = true
    await expect(cache.find('L1')).rejects.toThrow(ListenerLoadError)
  })
})

describe('an ID without a listener', () => {
  it('an unknown ID is remembered as such for unknownSeconds, and no longer', async () => {
    const { cache, add, clock, loads } = tenants()
    expect(await cache.find('L1')).toBeUndefined()
    const listener = add('L1')
    clock.advance(UNKNOWN_MS - 1)
    expect(cache.find('L1')).toBeUndefined()
    clock.advance(1)
    expect(await cache.find('L1')).toBe(listener)
    expect(loads).toHaveLength(2)
  })

  it('an unknown ID is looked up every time if unknownSeconds is 0', async () => {
    const { cache, loads } = tenants({ unknownSeconds: 0 })
    for (const _ of [1, 2, 3]) expect(await cache.find('L1')).toBeUndefined()
    expect(loads).toHaveLength(3)
  })

  it.each([
    ['undefined', undefined],
    ['empty', ''],
    ['longer than 256 characters', 'x'.repeat(257)],
    ['no text', 7 as never],
  ])('an unknown ID is unknown without a load if it is %s', (_, id) => {
    const { cache, loads } = tenants()
    expect(cache.find(id)).toBeUndefined()
    expect(loads).toEqual([])
  })

  it('an ID may have 256 characters', async () => {
    const { cache, add } = tenants()
    const listener = add('x'.repeat(256))
    expect(await cache.find('x'.repeat(256))).toBe(listener)
  })

  it('an unknown ID never displaces a tenant, however many IDs strangers make up', async () => {
    const { cache, add, loads } = tenants({ maxListeners: 2, maxUnknown: 2 })
    const listener = add('L1')
    await cache.find('L1')
    for (let number = 0; number < 1000; number += 1) await cache.find(`made up ${number}`)
    expect(cache.find('L1')).toBe(listener)
    expect(loads).toHaveLength(1001)
  })
})

describe('a load in flight', () => {
  it('a load in flight is not evicted by a flood of made-up IDs, whose own loads take as long', async () => {
    const { cache, add, loads, state, release } = tenants({ maxUnknown: 2, maxListeners: 2 })
    const listener = add('L1')
    state.holds = true
    const asked = [cache.find('L1')]
    for (let number = 0; number < 100; number += 1) {
      asked.push(cache.find(`made up ${number}`))
      if (number % 10 === 9) asked.push(cache.find('L1'))
    }
    expect(loads).toHaveLength(101)
    await release()
    const found = await Promise.all(asked)
    expect(found.filter(Boolean)).toEqual(Array(11).fill(listener))
    expect(cache.find('L1')).toBe(listener)
    expect(loads).toHaveLength(101)
  })

  it('a reload in flight is not repeated if its listener was evicted meanwhile', async () => {
    const { cache, add, clock, loads, state, release } = tenants({ maxListeners: 1 })
    const [one, two] = [add('L1'), add('L2')]
    await cache.find('L1')
    clock.advance(TTL_MS)
    state.holds = true
    expect(cache.find('L1')).toBe(one)
    state.holds = false
    expect(await cache.find('L2')).toBe(two) // evicts it
    expect(cache.find('L1')).toBe(one)
    await release()
    expect(cache.find('L1')).toBe(one)
    expect(loads).toEqual(['L1', 'L1', 'L2'])
  })
})

describe('room in the cache', () => {
  it('room is made by the least recently used listener', async () => {
    const { cache, add, loads } = tenants({ maxListeners: 2 })
    for (const id of ['L1', 'L2', 'L3']) add(id)
    for (const id of ['L1', 'L2', 'L1', 'L3', 'L1']) await cache.find(id)
    expect(loads).toEqual(['L1', 'L2', 'L3'])
    await cache.find('L2')
    expect(loads).toEqual(['L1', 'L2', 'L3', 'L2'])
  })

  it('room is made by a listener whose row is gone', async () => {
    const { cache, add, rows, clock, loads } = tenants({ maxListeners: 2 })
    for (const id of ['L1', 'L2', 'L3']) add(id)
    for (const id of ['L1', 'L2']) await cache.find(id)
    rows.delete('L1')
    clock.advance(TTL_MS)
    for (const id of ['L2', 'L1']) cache.find(id)
    await settled()
    expect(cache.find('L1')).toBeUndefined()
    await cache.find('L3')
    loads.length = 0
    cache.find('L2')
    expect(loads).toEqual([])
  })
})

describe('forget()', () => {
  it('forget() makes the next delivery wait for a fresh load', async () => {
    const { cache, add } = tenants()
    add('L1')
    await cache.find('L1')
    const after = add('L1')
    cache.forget('L1')
    expect(await cache.find('L1')).toBe(after)
  })

  it('forget() admits a tenant that was unknown a moment ago', async () => {
    const { cache, add } = tenants()
    await cache.find('L1')
    const listener = add('L1')
    cache.forget('L1')
    expect(await cache.find('L1')).toBe(listener)
  })

  it.each([
    ['the first', () => {}],
    ['a renewal', (clock: { advance(milliseconds: number): void }) => clock.advance(TTL_MS)],
  ])('forget() ignores %s load in flight, which may have read the old state', async (_, age) => {
    const { cache, add, clock, state, release } = tenants()
    add('L1')
    if (age.length > 0) await cache.find('L1')
    age(clock)
    state.holds = true
    const early = cache.find('L1')
    const after = add('L1')
    cache.forget('L1')
    state.holds = false
    const late = cache.find('L1')
    await release()
    await early
    expect(await late).toBe(after)
    expect(cache.find('L1')).toBe(after)
  })

  it('forget() holds for a tenant that was evicted while it was reloaded: that load may have read the old secret', async () => {
    const { cache, clock, add, state, release } = tenants({ maxListeners: 1 })
    add('L1')
    add('L2')
    await cache.find('L1')
    clock.advance(TTL_MS)
    state.holds = true
    cache.find('L1') // reloads it in the background
    state.holds = false
    await cache.find('L2') // evicts it
    const changed = add('L1')
    cache.forget('L1')
    await release()
    expect(await cache.find('L1')).toBe(changed)
  })
})

it.each([
  ['is shared by a delivery that arrives while its result is recent enough', TTL_MS + STALE_MS - 1, 1],
  ['is not, if a secret may have been withdrawn longer ago than the limit', TTL_MS + STALE_MS, 2],
])('a load that takes long %s', async (_, waited, loaded) => {
  const { cache, add, clock, state, release, loads } = tenants({ timeoutSeconds: 1000 })
  const before = add('L1')
  state.holds = true
  const early = cache.find('L1')
  const after = add('L1')
  clock.advance(waited)
  state.holds = false
  const late = cache.find('L1')
  await release()
  expect(await early).toBe(before)
  expect(await late).toBe(loaded === 1 ? before : after)
  expect(loads).toHaveLength(loaded)
})

it('listeners() passes each load to waitUntil', async () => {
  const kept: Promise<unknown>[] = []
  const { cache, add, clock } = tenants({ waitUntil: (work) => kept.push(work) })
  add('L1')
  await cache.find('L1')
  clock.advance(TTL_MS)
  cache.find('L1')
  expect(kept).toHaveLength(2)
  await Promise.all(kept)
})

describe('options', () => {
  it.each([
    ['load', [undefined, null, 'SELECT', {}]],
    ['maxListeners', [0, -1, 1.5, Number.NaN, '10', null]],
    ['maxUnknown', [0, -1, 1.5, '10', null]],
    ['ttlSeconds', [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '60', null]],
    ['staleSeconds', [-1, Number.NaN, Number.POSITIVE_INFINITY, '60', null]],
    ['unknownSeconds', [-1, Number.NaN, '60', null]],
    ['timeoutSeconds', [0, -1, 3_000_000, '5', null]],
    ['onError', [null, 'console']],
    ['clock', [null, 0, () => 0]],
    ['waitUntil', [null, {}]],
    ['ttl', [60]],
  ])('%s cannot be any of %j', (name, values) => {
    for (const value of values) {
      const options = { load: () => undefined, [name]: value }
      expect(() => listeners(options as never)).toThrow(ListenerConfigError)
      expect(() => listeners(options as never)).toThrow(name)
    }
  })

  it('the options are an object', () => {
    // @ts-expect-error as from JavaScript
    expect(() => listeners(undefined)).toThrow(ListenerConfigError)
  })
})

it('always finds a listener that was current at most ttlSeconds + staleSeconds ago', async () => {
  type Step = readonly [kind: 'find' | 'write' | 'fail' | 'wait' | 'release' | 'forget', amount: number]
  const step: fc.Arbitrary<Step> = fc.tuple(
    fc.constantFrom('find', 'find', 'find', 'write', 'fail', 'wait', 'release', 'forget'),
    fc.nat(100_000),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80 }), async (steps) => {
      const { cache, rows, clock, state, release } = tenants({
        timeoutSeconds: 1000,
        maxListeners: 10,
        maxUnknown: 10,
      })
      /** The true listener from each time on. */
      const history: [from: number, truth: Listener | undefined][] = [[-Infinity, undefined]]
      let forgottenAt = -Infinity
      const check = (found: Listener | undefined, askedAt: number, after: number) => {
        const oldest = Math.max(askedAt - TTL_MS - STALE_MS, after)
        const possible = history.filter((_, index) => (history[index + 1]?.[0] ?? Infinity) >= oldest)
        expect(possible.map(([, truth]) => truth)).toContain(found)
      }
      const waiting: Promise<unknown>[] = []
      for (const [kind, amount] of steps) {
        if (kind === 'wait') clock.advance(amount)
        if (kind === 'fail') state.fails = amount % 2 === 0
        if (kind === 'release') await release()
        if (kind === 'forget') {
          cache.forget('L1')
          forgottenAt = clock.now()
        }
        if (kind === 'write') {
          const truth = amount % 4 === 0 ? undefined : newListener('L1')
          if (truth) rows.set('L1', truth)
          else rows.delete('L1')
          history.push([clock.now(), truth])
        }
        if (kind === 'find') {
          state.holds = amount % 3 === 0
          const [askedAt, after] = [clock.now(), forgottenAt]
          try {
            const found = cache.find('L1')
            const checked = Promise.resolve(found).then((it) => check(it, askedAt, after))
            waiting.push(
              checked.catch((error) =>
                error instanceof ListenerLoadError ? undefined : Promise.reject(error),
              ),
            )
          } catch (error) {
            expect(error).toBeInstanceOf(ListenerLoadError)
          }
          await settled()
        }
      }
      await release()
      await Promise.all(waiting)
    }),
    // In workerd a delivery that joins a load polls, so a run takes 20 ms of real time.
    { numRuns: 'WebSocketPair' in globalThis ? 50 : 300 },
  )
})
