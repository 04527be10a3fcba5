import { checkSourceIp } from '../../src/checks/source-ip.ts'
import type { Delivery } from '../../src/delivery.ts'
import type { Listener } from '../../src/listener.ts'
import type { Failure } from '../../src/reason.ts'
import { isWatched, watched } from '../../src/report.ts'
import { rejected, replyTo } from '../../src/verdict.ts'
import { Verification } from '../../src/verification.ts'
import type { BodyIncompleteError } from './body.ts'
import type { Refusal } from './outcome.ts'
import { replyUnavailable, thenClose } from './reply.ts'
import { ReportedError } from './reported-error.ts'

const NO_BYTES = new Uint8Array(0)

/** Too many bodies are in flight, or the response could not reach the sender anyway. */
export const BUSY: Refusal = { reply: thenClose(replyUnavailable(1)) }

/** Reported before the body is read. Builds no report without a hook, because floods end here. */
export function refuseBusy(
  problem: string,
  { method, header }: Pick<Delivery, 'method' | 'header'>,
  listener: Listener<unknown>,
  sourceIp: string | undefined,
): Refusal {
  if (isWatched(listener)) {
    const verification = new Verification({ method, header, body: NO_BYTES, sourceIp }, listener)
    const fail = () => {
      throw new ReportedError('ERR_TOO_MANY_BODIES', problem)
    }
    Promise.resolve(watched(verification, fail)).catch(() => {}) // hooks and subscribers have been told
  }
  return BUSY
}

/** Reported before the body is read, so the rest of the request is not examined. */
export function refuseSource(
  { method, header }: Pick<Delivery, 'method' | 'header'>,
  listener: Listener<unknown>,
  sourceIp: string | undefined,
): Refusal {
  const verification = new Verification({ method, header, body: NO_BYTES, sourceIp }, listener)
  const { reason, detail } = checkSourceIp(verification) as Failure<'source_ip_not_allowed'> // that is why it is called
  const verdict = rejected(reason, detail, listener.auth)
  void watched(verification, () => verdict)
  return { reply: thenClose(replyTo(verdict)) }
}

export function refuseIncomplete(
  { message }: BodyIncompleteError,
  request: Omit<Delivery, 'body'>,
  listener: Listener<unknown>,
  startedAt: number,
): Refusal {
  const verification = new Verification({ ...request, body: NO_BYTES }, listener)
  verification.spentMs = performance.now() - startedAt
  const verdict = rejected('body_incomplete', message, listener.auth)
  void watched(verification, () => verdict)
  return { reply: thenClose(replyTo(verdict)) }
}
