import type { Listener } from '../listener.ts'
import type { Reason } from '../reason.ts'

/** The checks by name, in the order of the specification's deliveries. */
const SAYS = {
  'body-size': 'at most 65,536 bytes',
  headers: 'POST, JSON, and the required headers once each',
  'json-body': 'UTF-8 and JSON',
  timestamp: 'Webhook-Timestamp is within 5 minutes of the clock',
  'event-id': 'Webhook-Event-Id is a UUID v4',
  'source-ip': 'the source address is allowed',
  authenticity: 'the signature, or the token',
  payload: 'the payload fits the schema',
  claim: 'the event is new, and no other delivery of it is running',
} as const

/**
 * A check by its stable name.
 *
 * @see {@link checkOutcomes}
 */
export type CheckName = keyof typeof SAYS

/** The same checks for other senders' schemes: authenticate, then read. */
const SENDER_SAYS: Readonly<Record<CheckName, string>> = {
  'body-size': "at most the sender's largest body",
  'source-ip': 'the source address is allowed',
  headers: 'POST, a content type that the sender uses, and its headers once each',
  authenticity: "the sender's signature, or its token",
  'json-body': 'JSON, or a form',
  timestamp: "the sender's time, if it signs one",
  'event-id': 'the ID, or the signed bytes that stand for it',
  payload: SAYS.payload,
  claim: SAYS.claim,
}

/** Which check refuses with a reason. A new reason without a row does not compile. */
const CHECK_OF: Readonly<Record<Reason, CheckName>> = {
  body_incomplete: 'body-size',
  body_too_large: 'body-size',
  method_not_post: 'headers',
  header_missing: 'headers',
  header_repeated: 'headers',
  content_type_not_json: 'headers',
  content_type_not_accepted: 'headers',
  content_encoding_not_identity: 'headers',
  body_not_json: 'json-body',
  body_malformed: 'json-body',
  timestamp_malformed: 'timestamp',
  timestamp_out_of_range: 'timestamp',
  event_id_not_uuid_v4: 'event-id',
  event_id_malformed: 'event-id',
  source_ip_not_allowed: 'source-ip',
  auth_missing: 'authenticity',
  signature_mismatch: 'authenticity',
  token_invalid: 'authenticity',
  token_expired: 'authenticity',
  payload_invalid: 'payload',
  event_duplicate: 'claim',
  event_in_progress: 'claim',
}

const NO_NETWORKS = 'no networks configured: any address may send'

/**
 * One check and its outcome.
 *
 * @see {@link checkOutcomes}
 */
export interface CheckOutcome {
  /** The check. */
  readonly name: CheckName
  /** The check's question, in a few words. */
  readonly says: string
  /** True: passed. False: this check refused the delivery. Null: an earlier check refused it. */
  readonly ok: boolean | null
}

/**
 * A verdict, or the parts of one that a log kept.
 *
 * @see {@link checkOutcomes}
 */
export interface Outcome {
  /** Whether the delivery was accepted. */
  readonly ok: boolean
  /** Why it was refused: a `Reason`, or another text from a log. */
  readonly reason?: string | null | undefined
  /** The HTTP status of a refusal. */
  readonly status?: number | null | undefined
  /** Set for a handshake. */
  readonly handshake?: true | undefined
}

/**
 * Returns each check in the listener's order. Empty for a handshake, which runs only some of them, and for a
 * reason that no check gives. Cheap enough to call for every delivery.
 *
 * @example
 * ```ts
 * for (const { name, ok } of checkOutcomes(verdict, listener)) console.log(name, ok)
 * ```
 */
export function checkOutcomes(
  verdict: Outcome,
  { auth, payload, isSourceAllowed }: Pick<Listener<unknown>, 'auth' | 'payload' | 'isSourceAllowed'>,
): readonly CheckOutcome[] {
  if (verdict.handshake) return []
  const failed = verdict.ok ? undefined : checkOf(verdict.reason ?? '')
  if (!verdict.ok && failed === undefined) return []
  const says = auth.sender === undefined ? SAYS : SENDER_SAYS
  const names = Object.keys(says) as CheckName[] // the keys of a Record of it
  const asked = names.filter((name) => name !== 'payload' || payload !== undefined)
  const failedAt = failed === undefined ? asked.length : asked.indexOf(failed)
  return asked.map((name, index) => ({
    name,
    says: name === 'source-ip' && !isSourceAllowed ? NO_NETWORKS : says[name],
    ok: index === failedAt ? false : index < failedAt ? true : null,
  }))
}

function checkOf(reason: string): CheckName | undefined {
  return Object.hasOwn(CHECK_OF, reason) ? CHECK_OF[reason as Reason] : undefined // a key of the table
}
