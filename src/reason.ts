import type { MaybePromise } from './lib/maybe-promise.ts'

/**
 * The HTTP status of a refusal. 409: already done. 503: another delivery of the event is running. Only other senders'
 * schemes use 200 and 405.
 */
export type RejectedStatus = 200 | 400 | 401 | 403 | 405 | 409 | 503

/** Every reason, with its status in hookgate's scheme. A check whose reason is missing here does not compile. */
export const STATUS = {
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
} as const

/** Why a delivery was refused. Stable, so your code may depend on it. Only adapters report `body_incomplete`. */
export type Reason = keyof typeof STATUS

/** The status of each reason, as one protocol has them. */
export type Statuses = Readonly<Record<Reason, RejectedStatus>>

/** A refusal by a check or an authentication method. */
export interface Failure<Reason extends string> {
  /** Why, as one stable word. */
  readonly reason: Reason
  /** For the operator. Short, and free of secrets, tokens, signatures and bodies. */
  readonly detail: string
  /** The page that says how to find the mistake. */
  readonly help?: string | undefined
  /** What the host's stream of the body has failed with. */
  readonly cause?: unknown
  /** The detail is the cause. Otherwise a signature may be missing because the sender was not told to sign. */
  readonly isCause?: true
}

/** What a check answers: why it refuses the delivery, or undefined if it passes. */
export type CheckAnswer<Reason extends string> = MaybePromise<Failure<Reason> | undefined>

/** Nothing is signed, for a cause that the sender's settings do not change: e.g. the body is none of the sender's. */
export function unsignedBecause(detail: string): Failure<'auth_missing'> {
  return { reason: 'auth_missing', detail, isCause: true }
}

/* @__NO_SIDE_EFFECTS__ */
export function fail<const Reason extends string>(reason: Reason, detail: string): Failure<Reason> {
  return { reason, detail }
}

const A_WRONG_SIGNATURE =
  'https://github.com/hookgate/hookgate/blob/main/docs/troubleshooting.md#a-wrong-signature'

/** A signature that fits nothing configured. The page says how to find out why. */
export function mismatch(detail: string): Failure<'signature_mismatch'> {
  return { reason: 'signature_mismatch', detail, help: A_WRONG_SIGNATURE }
}

export type KeyKind = 'secret' | 'public key'

/** The detail of a signature that fits none of so many secrets or keys. */
export const fitsNone = (many: number, kind: KeyKind = 'secret'): string =>
  `the signature does not match your ${kind}${many > 1 ? 's' : ''}`
