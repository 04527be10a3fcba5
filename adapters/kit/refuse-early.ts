import { checkSourceIp } from '../../src/checks/source-ip.ts'
import type { Delivery } from '../../src/delivery.ts'
import type { Listener } from '../../src/listener.ts'
import type { Failure } from '../../src/reason.ts'
import { isWatched, watched } from '../../src/report.ts'
import { rejected, replyTo } from '../../src/verdict.ts'
import { Verification } from '../../src/verification.ts'
import type { OverloadError } from './bodies-in-flight.ts'
import type { BodyIncompleteError } from './body.ts'
import type { Refusal } from './outcome.ts'
import { replyUnavailable, thenClose } from './reply.ts'
import { ReportedError } from './reported-error.ts'
import { warnOfFailure, warnOfRefusal } from './tell.ts'

const NO_BYTES = new Uint8Array(0)

/** Too many bodies are in flight, or the response could not reach the sender anyway. */
export const BUSY: Refusal = { reply: thenClose(replyUnavailable(1)) }

/** Reports an overload. Builds no report without a hook, because floods end here. */
export function refuseBusy(
  { message }: OverloadError,
  request: Omit<Delivery, 'body'>,
  listener: Listener<unknown>,
  startedAt: number,
): Refusal {
  if (isWatched(listener)) {
    const verification = withoutBody(request, listener, startedAt)
    const fail = () => {
      throw new ReportedError('ERR_TOO_MANY_BODIES', message)
    }
    Promise.resolve(watched(verification, fail)).catch(() => {}) // hooks and subscribers have been told
  }
  warnOfFailure(listener, 'ERR_TOO_MANY_BODIES')
  return BUSY
}

/** Refuses a disallowed source before its body is complete, so the rest of the request is not examined. */
export function refuseSource(request: Omit<Delivery, 'body'>, listener: Listener<unknown>): Refusal {
  const verification = new Verification({ ...request, body: NO_BYTES }, listener)
  const { reason, detail } = checkSourceIp(verification) as Failure<'source_ip_not_allowed'> // that is why it is called
  const verdict = rejected(reason, detail, listener.auth)
  void watched(verification, () => verdict)
  warnOfRefusal(listener, reason)
  return { reply: thenClose(replyTo(verdict)) }
}

export function refuseIncomplete(
  { message }: BodyIncompleteError,
  request: Omit<Delivery, 'body'>,
  listener: Listener<unknown>,
  startedAt: number,
): Refusal {
  const verdict = rejected('body_incomplete', message, listener.auth)
  void watched(withoutBody(request, listener, startedAt), () => verdict)
  warnOfRefusal(listener, verdict.reason)
  return { reply: thenClose(replyTo(verdict)) }
}

function withoutBody(
  request: Omit<Delivery, 'body'>,
  listener: Listener<unknown>,
  startedAt: number,
): Verification {
  const verification = new Verification({ ...request, body: NO_BYTES }, listener)
  verification.spentMs = performance.now() - startedAt
  return verification
}
