import { acceptedEvent } from './accepted-event.ts'
import type { EventClaim } from './claim.ts'
import type { Delivery } from './delivery.ts'
import type { Listener } from './listener.ts'
import { reported } from './report.ts'
import type { Accepted, Verdict } from './verdict.ts'
import { Verification } from './verification.ts'
import { CHECKS, walk } from './verify.ts'

/** For `verdictBeside`. Throws what the listener's clock throws. */
export function verificationBeside(delivery: Delivery, listener: Listener<unknown>): Verification {
  const verification = new Verification(delivery, listener)
  verification.isEnforced = false
  return verification
}

/**
 * Like `verdictOn`, but without side effects: claims nothing, and leaves handshakes to whatever answers the request. The
 * `commit()` and `release()` of its event do nothing.
 */
export async function verdictBeside(verification: Verification): Promise<Verdict<unknown>> {
  return reported(verification, checkThenOffer)
}

const checkThenOffer = (given: Verification) => walk(CHECKS[given.protocol.order], given, offer)

const offer = (passed: Verification): Accepted<unknown> => ({
  ok: true,
  event: acceptedEvent(passed, NOTHING),
})

/** Never claimed, so that nothing is remembered. */
const NOTHING: EventClaim = {
  take: () => 'busy',
  commit: () => Promise.resolve('lost'),
  release: () => Promise.resolve(false),
}
