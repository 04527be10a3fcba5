import { accept } from './accept.ts'
import { checkAuthenticity } from './checks/authenticity.ts'
import { checkBodySize } from './checks/body-size.ts'
import { Attempt } from './checks/check.ts'
import { checkEventId } from './checks/event-id.ts'
import { checkHeaders } from './checks/headers.ts'
import { checkJsonBody } from './checks/json-body.ts'
import { checkPayload } from './checks/payload.ts'
import { checkSourceIp } from './checks/source-ip.ts'
import { checkTimestamp } from './checks/timestamp.ts'
import type { Delivery } from './delivery.ts'
import { ListenerConfigError } from './errors.ts'
import type { Json } from './lib/json.ts'
import { isPromise, type MaybePromise } from './lib/maybe-promise.ts'
import type { Listener } from './listener.ts'
import { type Rejected, rejected, type Verdict } from './verdict.ts'
import { watched } from './watch.ts'

/**
 * What is asked of every delivery, in this order: the first "no" is the verdict. Cheap before dear, nothing secret
 * before authentication, and no effect before everything else has passed: the claim comes last (`claim.ts`).
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

/** Why a check says no: the union of the reasons that stand in the checks' own types. */
export type CheckReason = Exclude<Awaited<ReturnType<Checks[number]>>, undefined>['reason']

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
export function checkedOn(delivery: Delivery, listener: Listener<unknown>): MaybePromise<Attempt | Rejected> {
  return watched(new Attempt(delivery, listener), checkOnly)
}

/** The second half: call it once. The verdict's `durationMs` leaves out the time between the halves. */
export function claimOn(attempt: Attempt): MaybePromise<Verdict<unknown>> {
  return watched(attempt, accept)
}

const checkThenClaim = (attempt: Attempt) => check(attempt, accept)
const checkOnly = (attempt: Attempt) => check(attempt, (passed) => passed)

/** Asks every check, then goes on with `pass`. With cryptography that answers at once, so does this. */
function check<Passed>(
  attempt: Attempt,
  pass: (attempt: Attempt) => MaybePromise<Passed>,
  first = 0,
): MaybePromise<Passed | Rejected> {
  for (let index = first; index < CHECKS.length; index += 1) {
    const failure = CHECKS[index]?.(attempt)
    if (isPromise(failure)) {
      return failure.then((late) =>
        late ? rejected(late.reason, late.detail) : check(attempt, pass, index + 1),
      )
    }
    if (failure) return rejected(failure.reason, failure.detail)
  }
  return pass(attempt)
}
