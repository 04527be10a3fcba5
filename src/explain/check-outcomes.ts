import type { Listener } from '../listener.ts'
import type { Protocol } from '../protocol.ts'
import type { Reason } from '../reason.ts'
import { CHECKS as ORDERS } from '../verify.ts'

/** A check by its stable name. */
export type CheckName =
  | 'body-size'
  | 'headers'
  | 'body'
  | 'timestamp'
  | 'event-id'
  | 'source-ip'
  | 'authenticity'
  | 'payload'
  | 'claim'

interface CheckText {
  /** Its question in hookgate's scheme. */
  readonly says: string
  /** Its question in other senders' schemes, if that differs. */
  readonly saysOfSender?: string
}

/** The checks by name. */
const CHECKS: Readonly<Record<CheckName, CheckText>> = {
  'body-size': {
    says: 'at most 65,536 bytes',
    saysOfSender: "at most the sender's largest body",
  },
  headers: {
    says: 'POST, JSON, and the required headers once each',
    saysOfSender: 'POST, a content type that the sender uses, and its headers once each',
  },
  body: { says: 'UTF-8 and JSON', saysOfSender: 'JSON, or a form' },
  timestamp: {
    says: 'Webhook-Timestamp is within 5 minutes of the clock',
    saysOfSender: "the sender's time, if it signs one",
  },
  'event-id': {
    says: 'Webhook-Event-Id is a UUID v4',
    saysOfSender: 'the ID, or the signed bytes that stand for it',
  },
  'source-ip': { says: 'the source address is allowed' },
  authenticity: {
    says: 'the signature, or the token',
    saysOfSender: "the sender's signature, or its token",
  },
  payload: { says: 'the payload fits the schema' },
  claim: { says: 'the event is new, and no other delivery of it is running' },
}

/** The names of a listener's checks, in the order in which they run. Handshakes have none. */
function namesOf({ order }: Protocol): readonly CheckName[] {
  return [...ORDERS[order].flatMap(({ name }) => (name === 'handshake' ? [] : [name])), 'claim']
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
  body_not_json: 'body',
  body_malformed: 'body',
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

/** One check and its outcome. */
export interface CheckOutcome {
  /** The check. */
  readonly name: CheckName
  /** The check's question, in a few words. */
  readonly says: string
  /** True: passed. False: this check refused the delivery. Null: an earlier check refused it. */
  readonly ok: boolean | null
}

/** A verdict, or the parts of one that a log kept. */
export interface LoggedVerdict {
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
  verdict: LoggedVerdict,
  { protocol, payload, isSourceAllowed }: Pick<Listener<unknown>, 'protocol' | 'payload' | 'isSourceAllowed'>,
): readonly CheckOutcome[] {
  if (verdict.handshake) return []
  const reason = verdict.reason ?? ''
  if (!verdict.ok && !Object.hasOwn(CHECK_OF, reason)) return []
  const asked = namesOf(protocol).filter((name) => name !== 'payload' || payload !== undefined)
  const failedAt = verdict.ok ? asked.length : asked.indexOf(CHECK_OF[reason as Reason]) // a key of the table
  return asked.map((name, index) => {
    const { says, saysOfSender = says } = CHECKS[name]
    const question = protocol.order === 'read first' ? says : saysOfSender
    return {
      name,
      says: name === 'source-ip' && !isSourceAllowed ? NO_NETWORKS : question,
      ok: index === failedAt ? false : index < failedAt ? true : null,
    }
  })
}
