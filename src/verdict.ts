import type { ClaimReason } from './claim.ts'
import type { WebhookEvent } from './event.ts'
import type { Json } from './lib/json.ts'
import type { CheckReason } from './verify.ts'

/** Why a delivery was refused. Stable: code may depend on it. `body_incomplete` comes from the adapters' readers. */
export type Reason = CheckReason | ClaimReason | 'body_incomplete'

/** The HTTP status of a refusal (specification 7.1). 409 means done; 503 means that another delivery still runs. */
export type RejectedStatus = 400 | 401 | 403 | 409 | 503

/** The status of each reason (specification 7.1). A reason without a row does not compile. */
const STATUS: Readonly<Record<Reason, RejectedStatus>> = {
  body_incomplete: 400,
  body_too_large: 400,
  method_not_post: 400,
  header_missing: 400,
  header_repeated: 400,
  content_type_not_json: 400,
  content_encoding_not_identity: 400,
  body_not_json: 400,
  timestamp_malformed: 400,
  timestamp_out_of_range: 400,
  event_id_not_uuid_v4: 400,
  source_ip_not_allowed: 403,
  auth_missing: 401,
  signature_mismatch: 401,
  token_invalid: 401,
  token_expired: 401,
  payload_invalid: 400,
  event_duplicate: 409,
  event_in_progress: 503, // 409 means *already processed* (7.1), and a sender would stop there
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
  /** Why, in a stable word. */
  readonly reason: Reason
  /** The HTTP status to answer with. */
  readonly status: RejectedStatus
  /** For logs: what was expected and what was seen, in bounded words. It may change; do not show it to senders. */
  readonly detail: string
  /** With `event_in_progress`: when to send the event again, in seconds. */
  readonly retryAfterSeconds?: number
}

/** What `verify` decides. Narrow it by `ok`. */
export type Verdict<Payload = Json> = Accepted<Payload> | Rejected

export function rejected(reason: Reason, detail: string, retryAfterSeconds?: number): Rejected {
  const verdict = { ok: false, reason, status: STATUS[reason], detail } as const
  return retryAfterSeconds === undefined ? verdict : { ...verdict, retryAfterSeconds }
}
