import type { ClaimReason } from './claim.ts'
import type { WebhookEvent } from './event.ts'
import type { Json } from './lib/json.ts'
import type { Reply } from './reply.ts'
import type { Sender } from './scheme/sender.ts'
import type { CheckReason } from './verify.ts'

/**
 * Why a delivery was refused. Stable, so your code may depend on it. Only adapters report `body_incomplete`.
 *
 * @see {@link Verdict}
 */
export type Reason = CheckReason | ClaimReason | 'body_incomplete'

/**
 * The HTTP status of a refusal. 409: already done. 503: another delivery of the event is running. Only other senders'
 * schemes use 200 and 405.
 *
 * @see {@link Verdict}
 */
export type RejectedStatus = 200 | 400 | 401 | 403 | 405 | 409 | 503

/** The status of each reason. A reason without a row does not compile. */
const STATUS: Readonly<Record<Reason, RejectedStatus>> = {
  body_incomplete: 400,
  body_too_large: 400,
  method_not_post: 400,
  header_missing: 400,
  header_repeated: 400,
  content_type_not_json: 400,
  content_type_not_accepted: 400,
  content_encoding_not_identity: 400,
  body_not_json: 400,
  body_malformed: 400,
  timestamp_malformed: 400,
  timestamp_out_of_range: 400,
  event_id_not_uuid_v4: 400,
  event_id_malformed: 400,
  source_ip_not_allowed: 403,
  auth_missing: 401,
  signature_mismatch: 401,
  token_invalid: 401,
  token_expired: 401,
  payload_invalid: 400,
  event_duplicate: 409,
  event_in_progress: 503, // 409 means *already processed*, so the sender would stop retrying
}

/** Most other senders retry a 409, and some then disable the endpoint. */
const SENDER_STATUS: { readonly [R in Reason]?: RejectedStatus } = {
  method_not_post: 405,
  event_duplicate: 200,
}

/**
 * Every check passed, and the event is claimed. Handle it, then commit or release it.
 *
 * @see {@link Verdict}
 */
export interface Accepted<Payload = Json> {
  /** The discriminant of `Verdict`. */
  readonly ok: true
  /** The event, with its payload, `commit()` and `release()`. */
  readonly event: WebhookEvent<Payload>
}

/**
 * The delivery is refused, and the sender is at fault.
 *
 * @see {@link Verdict}
 */
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
  /** For `event_in_progress`: seconds until the sender should retry. */
  readonly retryAfterSeconds?: number
  /** For 401: the `WWW-Authenticate` header, if the authentication method has one. */
  readonly challenge?: string
  /** The sender expects an empty response body. */
  readonly isBare?: true
}

/**
 * A request that checks whether the endpoint exists, or who owns it. Respond with `reply` and run no handler.
 *
 * @see {@link Verdict}
 */
export interface Handshake {
  /** No event was accepted. */
  readonly ok: false
  /** Set only for handshakes. */
  readonly handshake: true
  /** Always undefined. Declared so that you can log a verdict without narrowing it. */
  readonly reason?: undefined
  /** Always undefined. The status is in `reply`. */
  readonly status?: undefined
  /** Always undefined. */
  readonly detail?: undefined
  /** The complete response. */
  readonly reply: Reply
}

/**
 * The result of `verify`. Narrow it by `ok`, then by `handshake`.
 *
 * @example
 * ```ts
 * function log(verdict: Verdict) {
 *   if (verdict.ok) console.log(verdict.event.id)
 *   else if (!verdict.handshake) console.warn(verdict.reason, verdict.detail)
 * }
 * ```
 */
export type Verdict<Payload = Json> = Accepted<Payload> | Rejected | Handshake

/** A refusal with the status that this listener's sender understands. */
export function rejected(
  reason: Reason,
  detail: string,
  auth?: { readonly challenge?: string; readonly sender?: Sender },
  retryAfterSeconds?: number,
): Rejected {
  const status = (auth?.sender && SENDER_STATUS[reason]) ?? STATUS[reason]
  const verdict = { ok: false, reason, status, detail } as const
  if (status === 401 && auth?.sender?.scheme.bareUnauthorized) return { ...verdict, isBare: true }
  if (status === 401 && auth?.challenge !== undefined) return { ...verdict, challenge: auth.challenge }
  return retryAfterSeconds === undefined ? verdict : { ...verdict, retryAfterSeconds }
}
