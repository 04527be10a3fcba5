import type { EventKey, EventStore } from '../event-store.ts'

/** The store under test, and an event that no other case uses. */
export interface Subject {
  readonly store: EventStore
  readonly advance: (milliseconds: number) => unknown
  readonly key: EventKey
}

/** Maps each requirement to a function that throws if the store does not meet it. */
export type Cases = { readonly [name: string]: (subject: Subject) => Promise<void> }

export const RACERS = 50
export const SHORT_LEASE_MS = 100
export const LEASE_MS = 60_000
export const RETENTION_MS = 604_800_000

export function expect<Value>(seen: Value, wanted: Value): void {
  if (seen !== wanted)
    throw new Error(`expected ${JSON.stringify(wanted)}, the store gave ${JSON.stringify(seen)}`)
}
