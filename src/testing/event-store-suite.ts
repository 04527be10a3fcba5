import type { EventStore } from '../event-store.ts'
import { EVENT_STORE_CASES } from './event-store-cases.ts'
import { RENEWAL_CASES } from './renewal-cases.ts'

/** A store for one case, with an optional clock and cleanup. */
export interface StoreFixture {
  /** The store under test. It need not be empty. */
  readonly store: EventStore
  /**
   * The same records through another connection, or better in another process. If given, what `store` answers `committed`
   * is read back through it. Otherwise, only through `store`.
   */
  readonly other?: EventStore | undefined
  /** Advances the store's clock by milliseconds. If omitted, the cases wait in real time. */
  readonly advance?: ((milliseconds: number) => unknown) | undefined
  /** Called after the case. */
  readonly close?: (() => unknown) | undefined
}

/** Registers a test. The `test` function of vitest, node:test or bun:test fits. */
export type RegisterTest = (name: string, run: () => Promise<void>) => unknown

/**
 * Tests an event store. Registers one test per case. Each calls `createStore` and uses unique event IDs, so that the stores
 * can share a database. A store without `renew` passes the cases of it.
 *
 * @example
 * ```ts
 * eventStoreSuite(test, () => memoryStore())
 * ```
 */
export function eventStoreSuite(
  test: RegisterTest,
  createStore: () => EventStore | StoreFixture | Promise<EventStore | StoreFixture>,
): void {
  for (const [name, run] of Object.entries({ ...EVENT_STORE_CASES, ...RENEWAL_CASES })) {
    test(name, async () => {
      const created = await createStore()
      const fixture: StoreFixture = 'claim' in created ? { store: created } : created
      const key = { listenerId: 'listener', eventId: crypto.randomUUID() }
      try {
        const { store, other = store, advance = sleep } = fixture
        const isAsked = store.renew !== undefined || !(name in RENEWAL_CASES)
        if (isAsked) await run({ store, other, advance, key })
      } finally {
        await fixture.close?.()
      }
    })
  }
}

/** Timers may fire a millisecond early, and a store's clock may have a coarse resolution. */
const SLEEP_MARGIN_MS = 20

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds + SLEEP_MARGIN_MS))
}
