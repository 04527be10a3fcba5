import { accept } from './accept.ts'
import { checkAuthenticity } from './checks/authenticity.ts'
import { checkBodySize } from './checks/body-size.ts'
import { Attempt } from './checks/check.ts'
import { checkEventId } from './checks/event-id.ts'
import { type Answered, answerOpenHandshake, answerSignedHandshake } from './checks/handshake.ts'
import { checkHeaders } from './checks/headers.ts'
import { checkJsonBody } from './checks/json-body.ts'
import { checkPayload } from './checks/payload.ts'
import { checkSenderBody } from './checks/sender-body.ts'
import { checkSenderEvent } from './checks/sender-event.ts'
import { checkSenderHeaders } from './checks/sender-headers.ts'
import { checkSenderTime } from './checks/sender-time.ts'
import { checkSourceIp } from './checks/source-ip.ts'
import { checkTimestamp } from './checks/timestamp.ts'
import type { Delivery } from './delivery.ts'
import { ListenerConfigError } from './errors.ts'
import type { Json } from './lib/json.ts'
import { isPromise, type MaybePromise } from './lib/maybe-promise.ts'
import type { Listener } from './listener.ts'
import type { Handshake, Rejected, Verdict } from './verdict.ts'
import { type Check, walkChecks } from './walk-checks.ts'
import { watched } from './watch.ts'

/**
 * What is asked of the specification's deliveries, in this order: the first "no" is the verdict. Cheap before dear, nothing
 * secret before authentication, and no effect before everything else has passed: the claim comes last (`claim.ts`).
 */
type Checks = readonly [
  typeof checkBodySize, //     400  at most 64 KB
  typeof checkHeaders, //      400  POST, JSON, and the required headers once each
  typeof checkJsonBody, //     400  UTF-8, RFC 8259
  typeof checkTimestamp, //    400  within 5 minutes of now
  typeof checkEventId, //      400  a UUID v4
  typeof checkSourceIp, //     403  in the allowed networks, if any are given
  typeof checkAuthenticity, // 401  the HMAC signature, or the JWT
  typeof checkPayload, //      400  the payload schema, if one is given
]

const CHECKS: Checks = [
  checkBodySize,
  checkHeaders,
  checkJsonBody,
  checkTimestamp,
  checkEventId,
  checkSourceIp,
  checkAuthenticity,
  checkPayload,
]

/** What is asked of every other sender's deliveries: authenticate, then read. Nothing of a stranger's body is parsed. */
type SenderChecks = readonly [
  typeof checkBodySize, //          400  at most what the sender sends
  typeof answerOpenHandshake, //         a handshake that nobody signs is answered here
  typeof checkSenderHeaders, //     400  POST, a content type of the sender's, its headers once each
  typeof checkSourceIp, //          403  in the allowed networks, if any are given
  typeof checkAuthenticity, //      401  the sender's signature, or its token
  typeof checkSenderBody, //        400  JSON, or a form
  typeof answerSignedHandshake, //       a handshake that the sender signed is answered here
  typeof checkSenderTime, //        400  in the attempt's window, or no older than the sender's retries
  typeof checkSenderEvent, //       400  the ID, or the signed bytes that stand for it
  typeof checkPayload, //           400  the payload schema, if one is given
]

const SENDER_CHECKS: SenderChecks = [
  checkBodySize,
  answerOpenHandshake,
  checkSenderHeaders,
  checkSourceIp,
  checkAuthenticity,
  checkSenderBody,
  answerSignedHandshake,
  checkSenderTime,
  checkSenderEvent,
  checkPayload,
]

type Result = Exclude<Awaited<ReturnType<Checks[number] | SenderChecks[number]>>, undefined>

/** Why a check says no: the union of the reasons that stand in the checks' own types. */
export type CheckReason = Exclude<Result, Answered>['reason']

/**
 * Decides whether a delivery is authentic, fresh, whole, from where it should come, and new
 * (specification 4.2, 5.2, 6, 7.1). An accepted event is claimed: call its `commit()` or `release()`.
 *
 * Not checked: that the body is what your application expects (give a `payload` schema), that events arrive in
 * order, and that the sender is allowed to say what it says.
 *
 * @returns `Rejected` for anything a sender can do. It never throws for that.
 * @throws EventStoreError | KeySetError (as a rejection) when it could not decide: answer 503, never 200 or 409.
 * @throws ListenerConfigError (as a rejection) for what is no delivery or no listener: plain JavaScript can hand it over.
 */
export async function verify<Payload = Json>(
  delivery: Delivery,
  listener: Listener<Payload>,
): Promise<Verdict<Payload>> {
  // Only here: what an adapter hands over is made by code that was compiled.
  if (
    typeof delivery?.header !== 'function' ||
    delivery.body?.BYTES_PER_ELEMENT !== 1 ||
    !listener?.nextOwner
  ) {
    throw new ListenerConfigError(
      'verify',
      'takes { method, header(name), body: Uint8Array } and what defineListener() made',
    )
  }
  const verdict = verdictOn(delivery, listener)
  return isPromise(verdict) ? await verdict : verdict
}

/** As `verify`, and known at once where nothing has to be waited for. It throws now what `verify` rejects with. */
export function verdictOn<Payload>(
  delivery: Delivery,
  listener: Listener<Payload>,
): MaybePromise<Verdict<Payload>> {
  const verdict = watched(new Attempt(delivery, listener), checkThenClaim)
  return verdict as MaybePromise<Verdict<Payload>> // the payload's type is the word of the listener's schema
}

/** The first half of `verdictOn`: an Attempt passed every check, and leaves its event free until `claimOn` takes it. */
export function checkedOn(
  delivery: Delivery,
  listener: Listener<unknown>,
): MaybePromise<Attempt | Rejected | Handshake> {
  return watched(new Attempt(delivery, listener), checkOnly)
}

/** The second half: call it once. The verdict's `durationMs` leaves out the time between the halves. */
export function claimOn(attempt: Attempt): MaybePromise<Verdict<unknown>> {
  return watched(attempt, accept)
}

const checkThenClaim = (attempt: Attempt) => walkChecks(checksFor(attempt), attempt, accept)
const checkOnly = (attempt: Attempt) => walkChecks(checksFor(attempt), attempt, (passed) => passed)

/** Those that need a sender stand in its list alone: hence the cast. */
const checksFor = ({ sender }: Attempt) =>
  sender === undefined ? CHECKS : (SENDER_CHECKS as readonly Check[])
