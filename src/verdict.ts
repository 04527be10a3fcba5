import type { WebhookEvent } from './event.ts'
import type { Protocol } from './protocol.ts'
import type { Failure, Reason, RejectedStatus } from './reason.ts'
import { problem, type Reply } from './reply.ts'

/** Every check passed, and the event is claimed. Handle it, then commit or release it. */
export interface Accepted<Payload = unknown> {
  /** The discriminant of `Verdict`. */
  readonly ok: true
  /** The event, with its payload, `commit()` and `release()`. */
  readonly event: WebhookEvent<Payload>
  /** Always undefined. Declared so that `verdict.reason` singles out refusals. */
  readonly reason?: undefined
  /** Always undefined. Declared for projects without `strict`, where `verdict.reason` does not narrow. */
  readonly detail?: undefined
}

/** The delivery is refused, and the sender is at fault. */
export interface Rejected {
  /** True only for accepted deliveries. */
  readonly ok: false
  /** Set only for handshakes. */
  readonly handshake?: undefined
  /** A stable code for the cause. */
  readonly reason: Reason
  /** The HTTP status to respond with. */
  readonly status: RejectedStatus
  /** What was expected and what was seen, for your logs. Short, may change, and must not be shown to senders. */
  readonly detail: string
  /** The page that says how to find the mistake, e.g. with `hookgate/explain`. */
  readonly help?: string
  /** For `body_incomplete`: what the host's stream of the body failed with, if it said so. */
  readonly cause?: unknown
  /** For `event_in_progress`: seconds until the sender should retry. */
  readonly retryAfterSeconds?: number
  /** For 401: the `WWW-Authenticate` header, if the authentication method has one. */
  readonly challenge?: string
  /** The sender expects an empty response body. */
  readonly isBare?: true
}

/** A request that checks whether the endpoint exists, or who owns it. Respond with `reply` and run no handler. */
export interface Handshake {
  /** No event was accepted. */
  readonly ok: false
  /** Set only for handshakes. */
  readonly handshake: true
  /** Always undefined. Declared so that `verdict.reason` singles out refusals. */
  readonly reason?: undefined
  /** Always undefined. The status is in `reply`. */
  readonly status?: undefined
  /** Always undefined. */
  readonly detail?: undefined
  /** The complete response. */
  readonly reply: Reply
}

/**
 * The result of `verify`. Narrow it by `ok`, then by `handshake`. `Verdict` alone is one of any listener.
 *
 * @example
 * ```ts
 * function log(verdict: Verdict) {
 *   if (verdict.ok) console.log(verdict.event.id)
 *   else if (!verdict.handshake) console.warn(verdict.reason, verdict.detail)
 * }
 * ```
 */
export type Verdict<Payload = unknown> = Accepted<Payload> | Rejected | Handshake

/** A refusal with the status that this listener's sender understands. */
export function rejected(
  { reason, detail, help, cause }: Failure<Reason>,
  { statuses, bareUnauthorized, challenge }: Protocol,
  retryAfterSeconds?: number,
): Rejected {
  const status = statuses[reason]
  const isUnauthorized = status === 401
  return {
    ok: false,
    reason,
    status,
    detail,
    ...(help && { help }),
    ...(cause !== undefined && { cause }),
    ...(isUnauthorized && bareUnauthorized && { isBare: true }),
    ...(isUnauthorized && challenge && { challenge }),
    ...(retryAfterSeconds && { retryAfterSeconds }),
  }
}

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
