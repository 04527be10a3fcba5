import type { ClaimReason } from './claim.ts'
import type { WebhookEvent } from './event.ts'
import type { Json } from './lib/json.ts'
import type { Reply } from './reply.ts'
import type { Sender } from './scheme/sender.ts'
import type { CheckReason } from './verify.ts'

/** Why a delivery was refused. Stable: code may depend on it. `body_incomplete` comes from the adapters' readers. */
export type Reason = CheckReason | ClaimReason | 'body_incomplete'

/**
 * The HTTP status of a refusal (specification 7.1). 409 means done; 503 means that another delivery still runs. 200 and 405 are
 * for other senders' schemes alone.
 */
export type RejectedStatus = 200 | 400 | 401 | 403 | 405 | 409 | 503

/** The status of each reason (specification 7.1). A reason without a row does not compile. */
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
  event_in_progress: 503, // 409 means *already processed* (7.1), and a sender would stop there
}

/** What other senders take a refusal for: most retry a 409, and some then give the endpoint up. */
const SENDER_STATUS: { readonly [R in Reason]?: RejectedStatus } = {
  method_not_post: 405,
  event_duplicate: 200,
}

/** Every check passed and the event is claimed: run it, then commit or release it. */
export interface Accepted<Payload = Json> {
  /** Tells an accepted delivery from a refused one. */
  readonly ok: true
  /** The event, with its payload, and with `commit()` and `release()`. */
  readonly event: WebhookEvent<Payload>
}

/** The delivery is not acceptable, and it is the sender's doing. */
export interface Rejected {
  /** Tells a refused delivery from an accepted one. */
  readonly ok: false
  /** Tells it from a handshake. */
  readonly handshake?: undefined
  /** Why, in a stable word. */
  readonly reason: Reason
  /** The HTTP status to answer with. */
  readonly status: RejectedStatus
  /** For logs: what was expected and what was seen, in bounded words. It may change; do not show it to senders. */
  readonly detail: string
  /** With `event_in_progress`: when to send the event again, in seconds. */
  readonly retryAfterSeconds?: number
  /** With 401: the `WWW-Authenticate` header, where the listener's method has one. */
  readonly challenge?: string
  /** The sender wants no body in the answer. */
  readonly isBare?: true
}

/** The request asked whether the endpoint is there, or who owns it. Answer it with `reply`, and run no handler. */
export interface Handshake {
  /** No event was accepted. */
  readonly ok: false
  /** Tells a handshake from a refused delivery. */
  readonly handshake: true
  /** Nothing was refused. Here so that a line of log need not narrow the type first. */
  readonly reason?: undefined
  /** The answer's status is in `reply`. */
  readonly status?: undefined
  /** Nothing was refused. */
  readonly detail?: undefined
  /** The whole answer. */
  readonly reply: Reply
}

/** What `verify` decides. Narrow it by `ok`, then by `handshake`. */
export type Verdict<Payload = Json> = Accepted<Payload> | Rejected | Handshake

/** A "no" in the words that this listener's sender understands. */
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
