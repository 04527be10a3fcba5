import { problem, type Reply } from './reply.ts'
import type { Handshake, Rejected } from './verdict.ts'

/**
 * Returns the response for a verdict that is not `ok`, for hosts without an adapter. Status, headers and body are those
 * that the adapters send. All 401 responses of a listener are identical, so that guessing reveals nothing.
 *
 * If `verify` rejects with an `EventStoreError` or a `KeySetError`, send 503 with `Retry-After` yourself.
 *
 * @example
 * ```ts
 * const verdict = await verify(delivery, listener)
 * const { status, headers, body } = verdict.ok ? await handle(verdict.event) : replyTo(verdict)
 * ```
 */
export function replyTo(verdict: Rejected | Handshake): Reply {
  if (verdict.handshake) return verdict.reply
  const { status, retryAfterSeconds, challenge, isBare } = verdict
  if (status === 200) return { status, headers: {}, body: '' }
  if (status === 401) {
    const headers = challenge === undefined ? {} : { 'www-authenticate': challenge }
    return isBare ? { status, headers, body: '' } : problem(401, 'unauthorized', headers)
  }
  if (status === 405) return problem(405, verdict.reason, { allow: 'POST' })
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': `${retryAfterSeconds}` }
  return problem(status, verdict.reason, headers)
}
