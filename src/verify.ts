import { acceptedEvent } from './accepted-event.ts'
import { checkAuthenticity } from './checks/authenticity.ts'
import { checkBody } from './checks/body.ts'
import { checkBodySize } from './checks/body-size.ts'
import { checkEventId } from './checks/event-id.ts'
import { answerOpenHandshake, answerSignedHandshake } from './checks/handshake.ts'
import { checkHeaders } from './checks/headers.ts'
import { checkPayload } from './checks/payload.ts'
import { checkSourceIp } from './checks/source-ip.ts'
import { checkTimestamp } from './checks/timestamp.ts'
import { Lease } from './claim.ts'
import type { Delivery } from './delivery.ts'
import { ListenerConfigError } from './errors.ts'
import type { ClaimAnswer } from './event-store.ts'
import { isListener } from './is-listener.ts'
import { ignoreRejection } from './lib/hooks.ts'
import { isPromise, type MaybePromise, whenKnown } from './lib/maybe-promise.ts'
import type { Listener, PayloadOf } from './listener.ts'
import type { Protocol } from './protocol.ts'
import { type Failure, fail, type Reason } from './reason.ts'
import type { Reply } from './reply.ts'
import { report, traceVerify } from './report.ts'
import { type Handshake, type Rejected, rejected, type Verdict } from './verdict.ts'
import { Verification } from './verification.ts'

/** What ends the checks: a refusal, or the reply to a handshake. */
type Stop = Failure<Reason> | { readonly reply: Reply }

/** One question about a delivery. Undefined if the delivery passes. A reason without a status does not compile. */
export type Check = (verification: Verification) => MaybePromise<Stop | undefined>

/**
 * The checks, in two orders; the first refusal is the verdict. Cheap checks run first, nothing secret is revealed before
 * authentication, and the only side effect, the claim (`claim.ts`), comes last. What a check requires is in `protocol.ts`.
 */
export const CHECKS: Readonly<Record<Protocol['order'], readonly Check[]>> = {
  /** hookgate's scheme. */
  'read first': [
    checkBodySize, //              400  at most 64 KB
    checkHeaders, //               400  POST, JSON, and the required headers once each
    checkBody, //                  400  UTF-8, RFC 8259
    checkTimestamp, //             400  within 5 minutes of now
    checkEventId, //               400  a UUID v4
    checkSourceIp, //              403  in an allowed network, if any are set
    checkAuthenticity, //          401  the HMAC signature, or the JWT
    checkPayload, //               400  the payload schema, if one is set
  ],
  /** Every other sender's scheme. */
  'authenticate first': [
    checkBodySize, //              400  at most the scheme's limit
    checkSourceIp, //              403  in an allowed network, if any are set
    answerOpenHandshake, //             answers unsigned handshakes
    checkHeaders, //               400  a method and content type of the sender, the required headers once each
    checkAuthenticity, //          401  the sender's signature, or its token
    checkBody, //                  400  JSON, or a form
    answerSignedHandshake, //           answers signed handshakes
    checkTimestamp, //             400  in the attempt's window, or an event no older than the sender's retries
    checkEventId, //               400  a valid ID, or one derived from the signed bytes
    checkPayload, //               400  the payload schema, if one is set
  ],
}

/**
 * Verifies that a delivery is authentic, fresh, complete, new and from an allowed network. Claims the event of an accepted
 * delivery: call its `commit()` or `release()`. Does not check the shape of the payload (set `payload`), the order of
 * events, or whether the sender may say what it says.
 *
 * @example const verdict = await verify(delivery, listener)
 *
 * @returns `Rejected` for every mistake of the sender; it never throws for those.
 * @throws EventStoreError | KeySetError (as a rejection) if it could not decide. Respond with 503, never 200 or 409.
 * @throws ListenerConfigError (as a rejection) if an argument is not a delivery or not a listener.
 */
export async function verify<Given extends Listener<unknown>>(
  delivery: Delivery,
  listener: Given,
): Promise<Verdict<PayloadOf<Given>>> {
  // Only for direct callers in plain JavaScript; adapters pass typed values.
  if (
    typeof delivery?.header !== 'function' ||
    delivery.body?.BYTES_PER_ELEMENT !== 1 ||
    !isListener(listener)
  ) {
    throw new ListenerConfigError('verify', 'takes a Delivery and the result of defineListener()')
  }
  const asked = traceVerify(new Verification(delivery, listener), checkAndClaim)
  const verdict = isPromise(asked) ? await asked : asked
  return verdict as Verdict<PayloadOf<Given>> // the listener's schema determines the payload's type
}

/** Every check, then the claim: what subscribers see as one operation. Here and below, what is known is not awaited. */
export function checkAndClaim(verification: Verification): MaybePromise<Verdict<unknown>> {
  return whenKnown(check(verification), (stop) => stop ?? claim(verification))
}

/** Asks one question after the other. Returns the first refusal, or the answer to a handshake. Undefined: claim the event. */
export function check(
  verification: Verification,
  checks: readonly Check[] = CHECKS[verification.protocol.order],
): MaybePromise<Rejected | Handshake | undefined> {
  return whenKnown(
    firstStop(verification, checks, 0),
    (stop) => stop && report(verification, stopped(verification, stop)),
  )
}

function firstStop(
  verification: Verification,
  checks: readonly Check[],
  from: number,
): MaybePromise<Stop | undefined> {
  for (let index = from; index < checks.length; index += 1) {
    const stop = checks[index]?.(verification)
    if (isPromise(stop)) {
      return whenKnown(verification.wait(stop), (late) => late ?? firstStop(verification, checks, index + 1))
    }
    if (stop) return stop
  }
  return undefined
}

function stopped({ protocol, delivery }: Verification, stop: Stop): Rejected | Handshake {
  if ('reply' in stop) return { ok: false, handshake: true, reply: stop.reply }
  return rejected({ ...stop, detail: stop.detail + protocol.hintOn(stop, delivery) }, protocol)
}

const ACCEPTED_BEFORE = fail('event_duplicate', 'this event was accepted before')
const UNDER_WAY = fail('event_in_progress', 'this event is being worked on')

/** Claims the event of a delivery that has passed every check: the only side effect, and the last thing that may refuse it. */
export function claim(verification: Verification): MaybePromise<Verdict<unknown>> {
  const { listener } = verification
  const lease = new Lease(verification, listener.nextOwner())
  return whenKnown(lease.take(verification), (answer) =>
    report(verification, verdictOf(verification, lease, answer)),
  )
}

function verdictOf(verification: Verification, lease: Lease, answer: ClaimAnswer): Verdict<unknown> {
  const { delivery, listener, protocol } = verification
  if (answer === 'done') return rejected(ACCEPTED_BEFORE, protocol)
  if (answer === 'busy') return rejected(UNDER_WAY, protocol, Math.ceil(listener.leaseMs / 1000))
  const event = acceptedEvent(verification, lease)
  if (listener.store.accepted)
    ignoreRejection(listener.store.accepted(event, lease.owner, delivery, listener))
  return { ok: true, event }
}
