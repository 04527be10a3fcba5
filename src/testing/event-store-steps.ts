import type { ClaimAnswer, CommitAnswer, EventKey, EventStore } from '../event-store.ts'

/** The store under test, and an event that no other case uses. */
export interface Subject {
  readonly store: EventStore
  /** Reads back what is committed. */
  readonly other: EventStore
  readonly advance: (milliseconds: number) => unknown
  readonly key: EventKey
}

/** A part of a case, for the subject's event or for one of another key. Throws if the store answers otherwise. */
export type Step = (subject: Subject, otherKey?: Partial<EventKey>) => Promise<void>

export const CROWD: number = 200
export const SHORT_LEASE_MS: number = 100
export const LEASE_MS: number = 60_000
export const RETENTION_MS: number = 604_800_000
/** 90 days: overflows 32 bits of milliseconds, and is negative when truncated to them. */
export const LONG_MS: number = 7_776_000_000

export function expect<Value>(seen: Value, wanted: Value): void {
  if (seen !== wanted)
    throw new Error(`expected ${JSON.stringify(wanted)}, the store gave ${JSON.stringify(seen)}`)
}

export function claim(owner: string, wanted: ClaimAnswer, leaseMs: number = LEASE_MS): Step {
  return async ({ store, key }, otherKey) =>
    expect(await store.claim({ ...key, ...otherKey }, owner, leaseMs), wanted)
}

export function commit(owner: string, wanted: CommitAnswer, retentionMs: number = RETENTION_MS): Step {
  return async ({ store, other, key: ownKey }, otherKey) => {
    const key = { ...ownKey, ...otherKey }
    expect(await store.commit(key, owner, retentionMs), wanted)
    // A short retention may be over by the time it is read.
    if (wanted === 'committed' && retentionMs >= RETENTION_MS) await expectDone(other, key)
  }
}

/** A claim of a finished event changes nothing. */
export async function expectDone(store: EventStore, key: EventKey): Promise<void> {
  expect(await store.claim(key, 'reader', LEASE_MS), 'done')
}

export function release(owner: string, wanted: boolean): Step {
  return async ({ store, key }, otherKey) =>
    expect(await store.release({ ...key, ...otherKey }, owner), wanted)
}

export function renew(owner: string, wanted: boolean, leaseMs: number = LEASE_MS): Step {
  return async ({ store, key }, otherKey) =>
    expect(await renewed(store, { ...key, ...otherKey }, owner, leaseMs), wanted)
}

const MOST_LOCKED = 100
const LOCKED_PAUSE_MS = 20

/** Asks again while another call keeps the store from the record, as a running handler does. */
export async function renewed(
  store: EventStore,
  key: EventKey,
  owner: string,
  leaseMs: number,
): Promise<boolean | undefined> {
  for (let locked = 0; locked < MOST_LOCKED; locked += 1) {
    const answer = await store.renew?.(key, owner, leaseMs)
    if (answer !== 'locked') return answer
    await new Promise((resolve) => setTimeout(resolve, LOCKED_PAUSE_MS))
  }
  throw new Error(`the store answered 'locked' to ${MOST_LOCKED} renewals, though nothing was open`)
}

export function wait(milliseconds: number): Step {
  return async ({ advance }) => void (await advance(milliseconds))
}

/** A claim whose owner is too slow, or has crashed. */
export function lapsedLease(owner: string): Step {
  return inTurn(claim(owner, 'acquired', SHORT_LEASE_MS), wait(SHORT_LEASE_MS + 1))
}

export function inTurn(...steps: readonly Step[]): Step {
  return async (subject, otherKey) => {
    for (const step of steps) await step(subject, otherKey)
  }
}

export function crowd(): EventKey[] {
  return Array.from({ length: CROWD }, () => ({ listenerId: 'crowd', eventId: crypto.randomUUID() }))
}

export function count(answers: readonly string[], wanted: string): number {
  return answers.filter((answer) => answer === wanted).length
}
