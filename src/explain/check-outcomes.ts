import { checkAuthenticity } from '../checks/authenticity.ts'
import { checkBody } from '../checks/body.ts'
import { checkBodySize } from '../checks/body-size.ts'
import { checkEventId } from '../checks/event-id.ts'
import { checkHeaders } from '../checks/headers.ts'
import { checkPayload } from '../checks/payload.ts'
import { checkSourceIp } from '../checks/source-ip.ts'
import { checkTimestamp } from '../checks/timestamp.ts'
import type { Listener } from '../listener.ts'
import type { Reason } from '../reason.ts'
import { type Check, checksOf } from '../verify.ts'

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
  /** The check. The claim is none: it comes after all of them. */
  readonly check?: Check
  /** Its question in hookgate's scheme. */
  readonly says: string
  /** Its question in other senders' schemes, if that differs. */
  readonly saysOfSender?: string
}

/** The checks by name. */
const CHECKS: Readonly<Record<CheckName, CheckText>> = {
  'body-size': {
    check: checkBodySize,
    says: 'at most 65,536 bytes',
    saysOfSender: "at most the sender's largest body",
  },
  headers: {
    check: checkHeaders,
    says: 'POST, JSON, and the required headers once each',
    saysOfSender: 'POST, a content type that the sender uses, and its headers once each',
  },
  body: { check: checkBody, says: 'UTF-8 and JSON', saysOfSender: 'JSON, or a form' },
  timestamp: {
    check: checkTimestamp,
    says: 'Webhook-Timestamp is within 5 minutes of the clock',
    saysOfSender: "the sender's time, if it signs one",
  },
  'event-id': {
    check: checkEventId,
    says: 'Webhook-Event-Id is a UUID v4',
    saysOfSender: 'the ID, or the signed bytes that stand for it',
  },
  'source-ip': { check: checkSourceIp, says: 'the source address is allowed' },
  authenticity: {
    check: checkAuthenticity,
    says: 'the signature, or the token',
    saysOfSender: "the sender's signature, or its token",
  },
  payload: { check: checkPayload, says: 'the payload fits the schema' },
  claim: { says: 'the event is new, and no other delivery of it is running' },
}

const NAMES = Object.keys(CHECKS) as readonly CheckName[] // the keys of a Record of it

/** The names of a method's checks, in the order in which they run. Handshakes have none. */
function namesOf(auth: Listener<unknown>['auth']): readonly CheckName[] {
  const named = checksOf(auth).flatMap((check) => NAMES.find((name) => CHECKS[name].check === check) ?? [])
  return [...named, 'claim']
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
  { auth, payload, isSourceAllowed }: Pick<Listener<unknown>, 'auth' | 'payload' | 'isSourceAllowed'>,
): readonly CheckOutcome[] {
  if (verdict.handshake) return []
  const reason = verdict.reason ?? ''
  if (!verdict.ok && !Object.hasOwn(CHECK_OF, reason)) return []
  const asked = namesOf(auth).filter((name) => name !== 'payload' || payload !== undefined)
  const failedAt = verdict.ok ? asked.length : asked.indexOf(CHECK_OF[reason as Reason]) // a key of the table
  return asked.map((name, index) => {
    const { says, saysOfSender = says } = CHECKS[name]
    const question = auth.protocol === undefined ? says : saysOfSender
    return {
      name,
      says: name === 'source-ip' && !isSourceAllowed ? NO_NETWORKS : question,
      ok: index === failedAt ? false : index < failedAt ? true : null,
    }
  })
}
