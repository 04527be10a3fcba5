import type { Reason, Verdict } from '../src/index.ts'
import { print } from './output.ts'

/** In the order of `verify`. */
const STEPS = {
  'body-size': 'at most 65,536 bytes',
  headers: 'POST, JSON, and the required headers once each',
  'json-body': 'UTF-8 and JSON',
  timestamp: 'Webhook-Timestamp is within 5 minutes of the clock',
  'event-id': 'Webhook-Event-Id is a UUID v4',
  'source-ip': 'the source address is allowed',
  authenticity: 'the signature, or the token',
} as const

/** The same of other senders' schemes: authenticate, then read. */
const SENDER_STEPS = {
  'body-size': 'at most what the sender sends',
  headers: "POST, a content type of the sender's, its headers once each",
  'source-ip': 'the source address is allowed',
  authenticity: "the sender's signature, or its token",
  'json-body': 'JSON, or a form',
  timestamp: "the sender's time, where its signature holds one",
  'event-id': 'the ID, or the signed bytes that stand for it',
} as const

type Step = keyof typeof STEPS

/** Which step says so. A new reason without a row does not compile. `undefined`: cannot happen here. */
const STEP_OF: Readonly<Record<Reason, Step | undefined>> = {
  body_incomplete: undefined,
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
  payload_invalid: undefined,
  event_duplicate: undefined,
  event_in_progress: undefined,
}

/** Each check in order: `ok`, `NO`, or `-` for those that were not reached. */
export function printSteps(verdict: Verdict, ofSender: boolean): void {
  const failed = verdict.ok || verdict.handshake ? undefined : STEP_OF[verdict.reason]
  let reached = true
  for (const [step, says] of Object.entries(ofSender ? SENDER_STEPS : STEPS)) {
    const mark = step === failed ? 'NO' : reached ? 'ok' : '-'
    if (step === failed) reached = false
    print(`  ${mark.padEnd(2)}  ${step.padEnd(12)}  ${says}`)
  }
  print('  -   claim         not asked: nothing is recorded here')
}
