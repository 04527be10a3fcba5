import type { EventKey, EventStore } from '../event-store.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'

/** A case's store, and an event that no other case knows. */
export interface Subject {
  readonly store: EventStore
  readonly advance: (milliseconds: number) => MaybePromise<unknown>
  readonly key: EventKey
}

/** The name says what a store has to do; the function throws if it does not. */
export type Cases = { readonly [name: string]: (subject: Subject) => Promise<void> }

export const RACERS = 50
export const SHORT_LEASE_MS = 100
export const LEASE_MS = 60_000
export const RETENTION_MS = 604_800_000

export function expect<Value>(seen: Value, wanted: Value): void {
  if (seen !== wanted)
    throw new Error(`expected ${JSON.stringify(wanted)}, the store gave ${JSON.stringify(seen)}`)
}
