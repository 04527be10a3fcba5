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
import { CHECKS, type Check } from '../verify.ts'

/** A check by its stable name, as docs/how-it-works.md has it. */
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

/** The handshakes have no name. */
const NAMES: ReadonlyMap<Check, CheckName> = /* @__PURE__ */ new Map<Check, CheckName>([
  [checkBodySize, 'body-size'],
  [checkHeaders, 'headers'],
  [checkBody, 'body'],
  [checkTimestamp, 'timestamp'],
  [checkEventId, 'event-id'],
  [checkSourceIp, 'source-ip'],
  [checkAuthenticity, 'authenticity'],
  [checkPayload, 'payload'],
])

/** What the questions of a listener's checks depend on. */
type Asking = Pick<
  Listener<unknown>,
  'protocol' | 'payload' | 'isSourceAllowed' | 'maxBodyBytes' | 'toleranceSeconds'
>

/** The question of each check, in a few words. */
const QUESTIONS: Readonly<Record<CheckName, (listener: Asking) => string>> = {
  'body-size': ({ maxBodyBytes }) => `at most ${maxBodyBytes.toLocaleString('en')} bytes`,
  headers: ({ protocol }) =>
    `${protocol.methods.join(' or ')}, an accepted content type, and the required headers once each`,
  body: () => 'the body parses as its content type says',
  timestamp: ({ protocol: { time }, toleranceSeconds: most }) => {
    if (time === undefined || most === Infinity) return 'the sender signs no time that must be recent'
    return time.of === 'attempt'
      ? `the time is within ${most} s of the clock`
      : `the event is at most ${most} s old`
  },
  'event-id': ({ protocol }) =>
    protocol.idIsUuid ? 'the event ID is a UUID v4' : 'the event ID, or the signed bytes that stand for it',
  'source-ip': ({ isSourceAllowed }) =>
    isSourceAllowed ? 'the source address is allowed' : 'no networks configured: any address may send',
  authenticity: () => 'the signature, or the token',
  payload: () => 'the payload fits the schema',
  claim: () => 'the event is new, and no other delivery of it is running',
}

/** The names of a listener's checks, in the order in which they run. Handshakes have none. */
function namesOf({ protocol, payload }: Asking): readonly CheckName[] {
  const checks = CHECKS[protocol.order].filter((check) => check !== checkPayload || payload !== undefined)
  return [...checks.flatMap((check) => NAMES.get(check) ?? []), 'claim']
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
  /** The detail of a refusal. Without it, what is wrong with a token or a certificate is not explained. */
  readonly detail?: string | null | undefined
  /** The HTTP status of a refusal. */
  readonly status?: number | null | undefined
  /** Set for a handshake. */
  readonly handshake?: true | undefined
}

/**
 * Returns each check in the listener's order. Empty for a handshake, which runs only some of them, and for a
 * reason that no check gives. Cheap enough to call for every delivery.
 */
export function checkOutcomes(verdict: LoggedVerdict, listener: Asking): readonly CheckOutcome[] {
  if (verdict.handshake) return []
  const reason = verdict.reason ?? ''
  if (!verdict.ok && !Object.hasOwn(CHECK_OF, reason)) return []
  const names = namesOf(listener)
  const failedAt = verdict.ok ? names.length : names.indexOf(CHECK_OF[reason as Reason]) // a key of the table
  return names.map((name, index) => ({
    name,
    says: QUESTIONS[name](listener),
    ok: index === failedAt ? false : index < failedAt ? true : null,
  }))
}
