import type { StoreAnswer, StoreFields } from './channel-fields.ts'
import { EventStoreError } from './errors.ts'
import type { ClaimAnswer, CommitAnswer, EventKey } from './event-store.ts'
import type { MaybePromise } from './lib/maybe-promise.ts'
import type { Listener } from './listener.ts'

/** One of the three calls, and the answers that the contract allows. */
export interface StoreCall<Answer extends StoreAnswer> {
  readonly name: StoreFields['verb']
  readonly answers: readonly Answer[]
  ask(listener: Listener<unknown>, key: EventKey, owner: string): MaybePromise<Answer>
}

export const CLAIM: StoreCall<ClaimAnswer> = {
  name: 'claim',
  answers: ['acquired', 'busy', 'done'],
  ask: ({ store, leaseMs }, key, owner) => store.claim(key, owner, leaseMs),
}

export const COMMIT: StoreCall<CommitAnswer> = {
  name: 'commit',
  answers: ['committed', 'already', 'lost'],
  ask: ({ store, retentionMs }, key, owner) => store.commit(key, owner, retentionMs),
}

export const RELEASE: StoreCall<boolean> = {
  name: 'release',
  answers: [true, false],
  ask: ({ store }, key, owner) => store.release(key, owner),
}

/** Returns a valid answer. @throws EventStoreError for any other. */
export function validAnswer<Answer extends StoreAnswer>(
  { name, answers }: StoreCall<Answer>,
  answer: Answer,
): Answer {
  if (answers.includes(answer)) return answer
  throw new EventStoreError(`the event store must answer ${name} with one of ${answers.join(', ')}`)
}

/** Throws an EventStoreError, with the failure of the store as its cause. */
export function throwStoreError<Answer extends StoreAnswer>(
  { name }: StoreCall<Answer>,
  cause: unknown,
): never {
  if (cause instanceof EventStoreError) throw cause
  throw new EventStoreError(`the event store failed to ${name}`, { cause })
}
