import { type Reason, STATUS } from '../../../src/reason.ts'
import type { Outgoing } from '../../../src/sender/exchange.ts'
import type { RequestParts } from '../../../src/testing/wrong-parts.ts'
import type { MutatedRequest } from '../../../src/testing/wrong-requests.ts'

/** Signs a valid delivery. The defaults are the current time, a new event ID and a small body. */
export type Sign = (parts?: Partial<RequestParts>) => Promise<MutatedRequest>

/** One delivery, and the answer it must get. */
export interface Case {
  /** How it differs from a valid delivery. */
  readonly name: string
  /** The rule that the receiver breaks if it answers otherwise. */
  readonly rule: string
  readonly statuses: readonly number[]
  /** The expected `code`, if the receiver uses hookgate's codes. */
  readonly code?: string
  /** Skipped unless an event was accepted earlier. */
  readonly needsAccepted?: true
  /** Signs it, at the moment of sending. */
  readonly make: () => Promise<Outgoing>
}

export const ACCEPTED: readonly number[] = [200, 201, 202, 204]

export function accepted(name: string, rule: string, make: Case['make']): Case {
  return { name, rule, statuses: ACCEPTED, make }
}

export function duplicate(name: string, rule: string, make: Case['make']): Case {
  return { name, rule, statuses: [409], code: 'event_duplicate', needsAccepted: true, make }
}

/**
 * A delivery that must pass every check. Its event was accepted before, so no new event is left behind. If the receiver accepts
 * it again, the duplicate cases report that.
 */
export function passes(name: string, rule: string, make: Case['make']): Case {
  return { ...duplicate(name, rule, make), statuses: [409, ...ACCEPTED] }
}

export function refused(
  name: string,
  reason: Reason,
  make: Case['make'],
  rule: string = RULES[reason] ?? reason,
): Case {
  const status = STATUS[reason]
  // Routers may answer other methods themselves.
  const statuses = reason === 'method_not_post' ? [status, 404, 405] : [status]
  return { name, rule, statuses, code: status === 401 ? 'unauthorized' : reason, make }
}

/** The rule behind each reason for a refusal. */
export const RULES: { readonly [R in Reason]?: string } = {
  method_not_post: 'Accept POST only.',
  header_missing: 'Require Content-Type, Webhook-Timestamp and Webhook-Event-Id.',
  header_repeated:
    'Refuse a delivery that repeats one of these headers: other software may read the other value.',
  content_type_not_json: 'Require application/json, in UTF-8 if a charset is given.',
  content_encoding_not_identity: 'Refuse compressed bodies: the signature covers the bytes as they are sent.',
  body_too_large: 'Refuse a body over 65,536 bytes.',
  body_not_json: 'Require a body that is JSON in UTF-8, without a byte order mark.',
  timestamp_malformed: 'Require Unix seconds in Webhook-Timestamp, in plain decimal digits.',
  timestamp_out_of_range: 'Refuse a Webhook-Timestamp over 300 s from now: old deliveries could be replayed.',
  event_id_not_uuid_v4: 'Require a UUID v4 in Webhook-Event-Id, in its usual notation.',
  auth_missing: 'Answer 401 to a delivery that is not signed.',
  signature_mismatch:
    'Compare Webhook-Signature with HMAC-SHA256 of timestamp.id.body, in base64url without padding. Accept only an exact match.',
  token_invalid: 'Verify the whole token: algorithm, key, signature, and each claim.',
  token_expired: 'Refuse a token whose exp has passed.',
}
