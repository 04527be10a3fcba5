import type { EventKey, EventStore } from '../event-store.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'

/** A store for one case. `advance` moves its clock; without it, the cases wait for real. */
export interface StoreFixture {
  readonly store: EventStore
  readonly advance?: ((milliseconds: number) => MaybePromise<unknown>) | undefined
  readonly close?: (() => MaybePromise<unknown>) | undefined
}

/** Registers a case: `test` of vitest, node:test, bun:test and others fits. */
export type RegisterTest = (name: string, run: () => Promise<void>) => unknown

interface Subject {
  readonly store: EventStore
  readonly advance: (milliseconds: number) => MaybePromise<unknown>
  readonly key: EventKey
}

type Case = (subject: Subject) => Promise<void>

const RACERS = 50
const LEASE_MS = 60_000
const SHORT_LEASE_MS = 100
const RETENTION_MS = 604_800_000

/** What every store has to do (the contract of `EventStore`). The names say it. */
const CASES: { readonly [name: string]: Case } = {
  'a new event is acquired': async ({ store, key }) => {
    expect(await store.claim(key, 'a', LEASE_MS), 'acquired')
  },

  [`of ${RACERS} claims at once exactly one is acquired and the others are busy`]: async ({ store, key }) => {
    const owners = Array.from({ length: RACERS }, (_, index) => `racer-${index}`)
    const answers = await Promise.all(owners.map(async (owner) => store.claim(key, owner, LEASE_MS)))
    expect(answers.filter((answer) => answer === 'acquired').length, 1)
    expect(answers.filter((answer) => answer === 'busy').length, RACERS - 1)
  },

  [`of ${RACERS} claims at once on a lapsed lease exactly one is acquired`]: async ({
    store,
    key,
    advance,
  }) => {
    await store.claim(key, 'crashed', SHORT_LEASE_MS)
    await advance(SHORT_LEASE_MS + 1)
    const owners = Array.from({ length: RACERS }, (_, index) => `racer-${index}`)
    const answers = await Promise.all(owners.map(async (owner) => store.claim(key, owner, LEASE_MS)))
    expect(answers.filter((answer) => answer === 'acquired').length, 1)
  },

  'a claim repeated by its owner is acquired again, so that a lost reply can be asked for': async ({
    store,
    key,
  }) => {
    await store.claim(key, 'a', LEASE_MS)
    expect(await store.claim(key, 'a', LEASE_MS), 'acquired')
    expect(await store.claim(key, 'b', LEASE_MS), 'busy')
  },

  'a committed event is done for everyone, its owner included': async ({ store, key }) => {
    await store.claim(key, 'a', LEASE_MS)
    expect(await store.commit(key, 'a', RETENTION_MS), 'committed')
    expect(await store.claim(key, 'b', LEASE_MS), 'done')
    expect(await store.claim(key, 'a', LEASE_MS), 'done')
  },

  'a commit that is repeated answers already': async ({ store, key }) => {
    await store.claim(key, 'a', LEASE_MS)
    await store.commit(key, 'a', RETENTION_MS)
    expect(await store.commit(key, 'a', RETENTION_MS), 'already')
  },

  'a released event can be claimed again': async ({ store, key }) => {
    await store.claim(key, 'a', LEASE_MS)
    expect(await store.release(key, 'a'), true)
    expect(await store.claim(key, 'b', LEASE_MS), 'acquired')
  },

  'only its owner can release a lease': async ({ store, key }) => {
    await store.claim(key, 'a', LEASE_MS)
    expect(await store.release(key, 'b'), false)
    expect(await store.claim(key, 'c', LEASE_MS), 'busy')
  },

  'a committed event cannot be released': async ({ store, key }) => {
    await store.claim(key, 'a', LEASE_MS)
    await store.commit(key, 'a', RETENTION_MS)
    expect(await store.release(key, 'a'), false)
    expect(await store.claim(key, 'b', LEASE_MS), 'done')
  },

  'an event that nobody claimed cannot be released': async ({ store, key }) => {
    expect(await store.release(key, 'a'), false)
  },

  'a lease that lapses lets the next claim in': async ({ store, key, advance }) => {
    await store.claim(key, 'crashed', SHORT_LEASE_MS)
    await advance(SHORT_LEASE_MS + 1)
    expect(await store.claim(key, 'b', LEASE_MS), 'acquired')
  },

  'an owner whose lease was taken over can neither commit nor release': async ({ store, key, advance }) => {
    await store.claim(key, 'slow', SHORT_LEASE_MS)
    await advance(SHORT_LEASE_MS + 1)
    await store.claim(key, 'b', LEASE_MS)
    expect(await store.commit(key, 'slow', RETENTION_MS), 'lost')
    expect(await store.release(key, 'slow'), false)
    expect(await store.claim(key, 'c', LEASE_MS), 'busy')
    expect(await store.commit(key, 'b', RETENTION_MS), 'committed')
  },

  'a commit after the lease lapsed still counts, if nobody took over': async ({ store, key, advance }) => {
    await store.claim(key, 'slow', SHORT_LEASE_MS)
    await advance(SHORT_LEASE_MS + 1)
    expect(await store.commit(key, 'slow', RETENTION_MS), 'committed')
    expect(await store.claim(key, 'b', LEASE_MS), 'done')
  },

  'a commit of an event that is not recorded is kept: the work was done': async ({ store, key }) => {
    expect(await store.commit(key, 'a', RETENTION_MS), 'committed')
    expect(await store.claim(key, 'b', LEASE_MS), 'done')
  },

  'an event is forgotten when its retention is over, and not before': async ({ store, key, advance }) => {
    await store.claim(key, 'a', LEASE_MS)
    await store.commit(key, 'a', 10 * SHORT_LEASE_MS)
    await advance(SHORT_LEASE_MS)
    expect(await store.claim(key, 'b', LEASE_MS), 'done')
    await advance(10 * SHORT_LEASE_MS)
    expect(await store.claim(key, 'c', LEASE_MS), 'acquired')
  },

  'the same event ID on another listener is another event': async ({ store, key }) => {
    await store.claim(key, 'a', LEASE_MS)
    await store.commit(key, 'a', RETENTION_MS)
    const elsewhere = { ...key, listenerId: `${key.listenerId}-2` }
    expect(await store.claim(elsewhere, 'a', LEASE_MS), 'acquired')
    expect(await store.release(elsewhere, 'a'), true)
    expect(await store.claim(key, 'b', LEASE_MS), 'done')
  },

  'listener ids that are easily confused stay apart': async ({ store, key }) => {
    for (const listenerId of [
      'a',
      'A',
      'a:',
      ':a',
      'a:b',
      'a\u0000',
      '{a}',
      '1:a',
      ' a',
      'ä',
      'a\u0308',
      '%61',
    ]) {
      expect(await store.claim({ ...key, listenerId }, listenerId, LEASE_MS), 'acquired')
    }
  },
}

/**
 * Proves an event store. Registers one test a case; each asks `createStore` for a store of its own and uses event IDs
 * that no other case uses, so that stores may share a database.
 *
 * ```ts
 * eventStoreSuite(test, () => memoryStore())
 * ```
 */
export function eventStoreSuite(
  test: RegisterTest,
  createStore: () => MaybePromise<EventStore | StoreFixture>,
): void {
  for (const [name, run] of Object.entries(CASES)) {
    test(name, async () => {
      const created = await createStore()
      const fixture: StoreFixture = 'store' in created ? created : { store: created }
      const key = { listenerId: 'listener', eventId: crypto.randomUUID() }
      try {
        await run({ store: fixture.store, advance: fixture.advance ?? sleep, key })
      } finally {
        await fixture.close?.()
      }
    })
  }
}

function expect<Value>(seen: Value, wanted: Value): void {
  if (seen !== wanted)
    throw new Error(`expected ${JSON.stringify(wanted)}, the store gave ${JSON.stringify(seen)}`)
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
