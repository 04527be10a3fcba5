import type { Delivery } from '../../src/delivery.ts'
import { EventStoreError, KeySetError } from '../../src/errors.ts'
import type { WebhookEvent } from '../../src/event.ts'
import { isPromise, type MaybePromise } from '../../src/lib/maybe-promise.ts'
import type { Listener } from '../../src/listener.ts'
import { type Accepted, type Handshake, type Rejected, replyTo } from '../../src/verdict.ts'
import type { Verification } from '../../src/verification.ts'
import { checkedOn, claimOn, verdictOn } from '../../src/verify.ts'
import { type Reply, replyUnavailable, thenClose } from './reply.ts'
import { warnOfFailure, warnOfRefusal } from './tell.ts'

/** Send the reply, and do not run the handler. */
export interface Refusal {
  readonly reply: Reply
}

/** Run the handler with the event, and settle it. */
export interface Claimed<Payload> {
  readonly event: WebhookEvent<Payload>
  readonly listener: Listener<Payload>
  readonly reply?: undefined
}

/** Every check passed: call `claim` with the verification before the handler runs. */
export interface Checked {
  readonly verification: Verification
  readonly reply?: undefined
}

export type Outcome<Payload> = Claimed<Payload> | Refusal

/** The outcome of checking a body and its headers. */
export type Examine<Payload, Passed> = (
  delivery: Delivery,
  listener: Listener<Payload>,
) => MaybePromise<Passed | Refusal>

/** Whether the reply is the last on its connection. */
export function closesConnection({ reply }: { readonly reply?: Reply | undefined }): boolean {
  return reply?.headers.connection === 'close'
}

export function checkAndClaim<Payload>(
  delivery: Delivery,
  listener: Listener<Payload>,
): MaybePromise<Outcome<Payload>> {
  return answered(verdictOn<Payload>, claimedOf, delivery, listener)
}

/** `checkAndClaim` without the claim, for frameworks that run hooks in between. */
export function check(delivery: Delivery, listener: Listener<unknown>): MaybePromise<Checked | Refusal> {
  return answered(checkedOn, (verification) => ({ verification }), delivery, listener)
}

/** The rest of `checkAndClaim`. */
export function claim(verification: Verification): MaybePromise<Outcome<unknown>> {
  return answered(() => claimOn(verification), claimedOf, verification.delivery, verification.listener)
}

const claimedOf = <Payload>({ event }: Accepted<Payload>, listener: Listener<Payload>) => ({
  event,
  listener,
})

/** Runs one step of `verify`, and turns refusals and outages into replies. */
function answered<Payload, Yes extends object, Passed>(
  ask: (delivery: Delivery, listener: Listener<Payload>) => MaybePromise<Yes | Rejected | Handshake>,
  pass: (yes: Yes, listener: Listener<Payload>) => Passed,
  delivery: Delivery,
  listener: Listener<Payload>,
): MaybePromise<Passed | Refusal> {
  try {
    const answer = ask(delivery, listener)
    if (!isPromise(answer)) return isNo(answer) ? refuse(answer, delivery, listener) : pass(answer, listener)
    return answer
      .then((late) => (isNo(late) ? refuse(late, delivery, listener) : pass(late, listener)))
      .catch((error) => unavailable(error, listener))
  } catch (error) {
    return unavailable(error, listener)
  }
}

/** Not `in`, which engines do not optimize: hence the cast. */
const isNo = (answer: object): answer is Rejected | Handshake => (answer as { ok?: boolean }).ok === false

function refuse(verdict: Rejected | Handshake, { body }: Delivery, listener: Listener<unknown>): Refusal {
  if (!verdict.handshake) warnOfRefusal(listener, verdict.reason)
  const reply = replyTo(verdict)
  return { reply: body.byteLength > listener.maxBodyBytes ? thenClose(reply) : reply }
}

function unavailable(error: unknown, listener: Listener<unknown>): Refusal {
  if (error instanceof EventStoreError || error instanceof KeySetError) {
    warnOfFailure(listener, error.code)
    return { reply: replyUnavailable(error.retryAfterSeconds) }
  }
  throw error
}
