import type { EventStore } from '../event-store.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { CROWD_CASES } from './event-store-crowd-cases.ts'
import { KEY_CASES } from './event-store-key-cases.ts'
import { LAPSE_CASES } from './event-store-lapse-cases.ts'
import { VERB_CASES } from './event-store-verb-cases.ts'

/** A store for one case. `advance` moves its clock; without it, the cases wait for real. */
export interface StoreFixture {
  /** The store to prove, empty or not. */
  readonly store: EventStore
  /** Moves the store's clock on, by milliseconds. Left out, the case waits. */
  readonly advance?: ((milliseconds: number) => MaybePromise<unknown>) | undefined
  /** Called when the case is over. */
  readonly close?: (() => MaybePromise<unknown>) | undefined
}

/** Registers a case: `test` of vitest, node:test, bun:test and others fits. */
export type RegisterTest = (name: string, run: () => Promise<void>) => unknown

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
  const cases = { ...VERB_CASES, ...KEY_CASES, ...CROWD_CASES, ...LAPSE_CASES }
  for (const [name, run] of Object.entries(cases)) {
    test(name, async () => {
      const created = await createStore()
      const fixture: StoreFixture = 'claim' in created ? { store: created } : created
      const key = { listenerId: 'listener', eventId: crypto.randomUUID() }
      try {
        await run({ store: fixture.store, advance: fixture.advance ?? sleep, key })
      } finally {
        await fixture.close?.()
      }
    })
  }
}

/** Timers may fire a millisecond early, and a store's clock may be coarse. */
const SLEEP_MARGIN_MS = 20

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds + SLEEP_MARGIN_MS))
}
