import type { Reason } from '../../../src/reason.ts'

/** The rule behind each reason for a refusal. */
const RULES: { readonly [R in Reason]?: string } = {
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

export function ruleOf(reason: Reason): string {
  return RULES[reason] ?? reason
}
