import { checkAuthenticity } from '../checks/authenticity.ts'
import { checkBody } from '../checks/body.ts'
import { checkBodySize } from '../checks/body-size.ts'
import { checkEventId } from '../checks/event-id.ts'
import { checkHeaders } from '../checks/headers.ts'
import { checkPayload } from '../checks/payload.ts'
import { whenKnown } from '../lib/maybe-promise.ts'
import type { Listener } from '../listener.ts'
import type { Protocol } from '../protocol.ts'
import { traceVerify } from '../report.ts'
import type { Verdict } from '../verdict.ts'
import { Verification } from '../verification.ts'
import { type Check, check, claim } from '../verify.ts'
import type { MissedEvent } from './missed.ts'

/**
 * The third order of checks, beside the two of `verify.ts`: what the sender's API has answered over TLS has no attempt's time, no source
 * address and no handshake.
 */
export const FETCHED: readonly Check[] = [
  checkBodySize,
  checkHeaders, // the event's ID, where it is one
  checkBody,
  checkEventId,
  checkPayload,
]

/** The same for a record that brings the signature of a delivery. */
export const RECORDED: readonly Check[] = FETCHED.flatMap((each) =>
  each === checkBody ? [checkAuthenticity, each] : each,
)

/** A record as the delivery that it was, or would have been. */
export interface Recorded {
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Uint8Array
}

/** Checks and claims an event that the sender's API has answered. Nobody has signed it: the token's account was shown to be the right one. */
export async function claimFetched(
  listener: Listener<unknown>,
  record: Recorded,
  { time }: MissedEvent,
  scheme: string,
): Promise<Verdict<unknown>> {
  const protocol = { ...listener.protocol, required: 0 } // it has no header with the time of an attempt
  const verification = verificationOf(record, listener, protocol)
  verification.auth = { method: 'api', scheme }
  verification.sentAt = time
  return claimBy(FETCHED, verification)
}

/** Checks and claims a record as a delivery, by its signature. Undefined if that verifies in none of the spellings, of which nobody hears. */
export async function claimRecorded(
  listener: Listener<unknown>,
  headers: Recorded['headers'],
  spellings: Iterable<Uint8Array>,
  { time }: MissedEvent,
): Promise<Verdict<unknown> | undefined> {
  for (const body of spellings) {
    const trial = verificationOf({ headers, body }, listener)
    if (checkHeaders(trial)) return undefined
    if (await checkAuthenticity(trial)) continue
    const verification = verificationOf({ headers, body }, listener)
    verification.sentAt = time
    return claimBy(RECORDED, verification)
  }
  return undefined
}

function verificationOf(
  { headers, body }: Recorded,
  listener: Listener<unknown>,
  protocol?: Protocol,
): Verification {
  const header = (name: string) => headers.get(name)
  return new Verification({ method: 'POST', header, body, sourceIp: undefined }, listener, protocol)
}

async function claimBy(checks: readonly Check[], verification: Verification): Promise<Verdict<unknown>> {
  return traceVerify(verification, (each) => whenKnown(check(each, checks), (stop) => stop ?? claim(each)))
}
