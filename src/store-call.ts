import { EventStoreError } from './errors.ts'
import {
  CLAIM_ANSWERS,
  type ClaimAnswer,
  COMMIT_ANSWERS,
  type CommitAnswer,
  type EventKey,
} from './event-store.ts'
import { withDeadline } from './lib/clock.ts'
import { callHook } from './lib/hooks.ts'
import type { MaybePromise } from './lib/maybe-promise.ts'
import { memberOf } from './lib/member-of.ts'
import { type TracingChannel, traced, tracingChannel } from './lib/tracing.ts'
import type { Listener } from './listener.ts'
import type { StoreAnswer, StoreFields } from './report.ts'
import type { Waiter } from './verification.ts'

/** Who asks. */
interface Claimant {
  readonly listener: Listener<unknown>
  readonly owner: string
  /** How long the event is remembered once it is committed, if not as long as the listener says. */
  readonly retentionMs: number | undefined
}

/** One of the four calls, and the answers that the contract allows. */
export interface StoreCall<Answer extends StoreAnswer> {
  readonly name: StoreFields['verb']
  readonly answers: readonly Answer[]
  /** In a transaction of the app, which bounds it, and gets its own mistakes as they are: what is given up here would still run there. */
  readonly isOfApp?: boolean
  ask(key: EventKey, claimant: Claimant): MaybePromise<Answer>
}

export const CLAIM: StoreCall<ClaimAnswer> = {
  name: 'claim',
  answers: CLAIM_ANSWERS,
  ask: (key, { listener: { store, leaseMs }, owner }) => store.claim(key, owner, leaseMs),
}

export const COMMIT: StoreCall<CommitAnswer> = {
  name: 'commit',
  answers: COMMIT_ANSWERS,
  ask: (key, { listener: { store, retentionMs: longestMs }, owner, retentionMs = longestMs }) =>
    store.commit(key, owner, Math.min(retentionMs, longestMs)),
}

export const RELEASE: StoreCall<boolean> = {
  name: 'release',
  answers: [true, false],
  ask: (key, { listener: { store }, owner }) => store.release(key, owner),
}

/** Nothing is held while a commit or a release is awaited. */
const DIRECT: Waiter = { wait: (promise) => promise }

/** Publishes store calls and their answers to subscribers. */
const STORE: TracingChannel | undefined = /* @__PURE__ */ tracingChannel('store')

/**
 * Asks the listener's store for one key of an event.
 *
 * @throws EventStoreError if the store throws, takes too long or returns an invalid answer.
 */
export function ask<Answer extends StoreAnswer>(
  call: StoreCall<Answer>,
  claimant: Claimant,
  key: EventKey,
  waiter: Waiter = DIRECT,
): MaybePromise<Answer> {
  if (!STORE?.hasSubscribers) return answerOf(call, claimant, key, waiter)
  const { listenerId } = key
  const fieldsOf = (answer?: Answer): StoreFields => ({ listenerId, verb: call.name, answer })
  return traced(STORE, async () => answerOf(call, claimant, key, waiter), fieldsOf)
}

function answerOf<Answer extends StoreAnswer>(
  call: StoreCall<Answer>,
  claimant: Claimant,
  key: EventKey,
  waiter: Waiter,
): MaybePromise<Answer> {
  try {
    const asked = call.ask(key, claimant)
    if (typeof asked !== 'object') return valid(asked, call) // a text or a boolean
    const late = call.isOfApp ? asked : inTime(Promise.resolve(asked), call, claimant, key)
    return Promise.resolve(waiter.wait(late)).then(
      (answer) => valid(answer, call),
      (cause: unknown) => failed(cause, call),
    )
  } catch (cause) {
    return failed(cause, call)
  }
}

function valid<Answer extends StoreAnswer>(answer: Answer, { name, answers }: StoreCall<Answer>): Answer {
  if (answers.includes(answer)) return answer
  throw new EventStoreError(`the event store must answer ${name} with one of ${answers.join(', ')}`)
}

/** The codes of errors that already say what to do. Not their classes, because the store may belong to another copy of this package. */
const OWN_CODES: readonly unknown[] = ['ERR_EVENT_STORE', 'ERR_LEASE_LOST']

function failed(cause: unknown, { name, isOfApp }: Pick<StoreCall<StoreAnswer>, 'name' | 'isOfApp'>): never {
  const code = memberOf(cause, 'code')
  if (OWN_CODES.includes(code) || (isOfApp && code === 'ERR_LISTENER_CONFIG')) throw cause
  throw new EventStoreError(`the event store failed to ${name}`, { cause })
}

/** With a deadline: some clients hang for a minute when their server dies. */
async function inTime<Answer extends StoreAnswer>(
  asked: Promise<Answer>,
  { name }: StoreCall<Answer>,
  claimant: Claimant,
  key: EventKey,
): Promise<Answer> {
  const { storeTimeoutMs } = claimant.listener
  const late = () => new EventStoreError(`the event store did not ${name} within ${storeTimeoutMs} ms`)
  try {
    return await withDeadline(asked, storeTimeoutMs, late)
  } catch (error) {
    if (name === 'claim') {
      // It may still have been carried out: late, or after the client gave up. No handler runs under it, and it would block the retry.
      const giveBack = () => RELEASE.ask(key, claimant)
      const givingBack = asked.then(giveBack, giveBack).catch(() => {}) // then its lease ends it
      callHook(claimant.listener.waitUntil, givingBack)
    }
    throw error
  }
}
