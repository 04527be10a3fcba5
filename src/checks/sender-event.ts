import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import { type Failure, fail } from '../reason.ts'
import type { SenderVerification } from '../verification.ts'

/** In characters. */
const LONGEST_EVENT_ID = 256

/**
 * Identifies the event by the sender's ID, by the signed bytes, or by both, as the scheme says. Without an ID, the signed
 * bytes identify it, unless genuine bodies repeat.
 */
export function checkSenderEvent(
  verification: SenderVerification,
): MaybePromise<Failure<'event_id_malformed'> | undefined> {
  const { sender } = verification
  const id = sender.idOf(verification)
  if (id.length > LONGEST_EVENT_ID)
    return fail('event_id_malformed', `the ID is over ${LONGEST_EVENT_ID} characters`)
  if (sender.idDivider !== '' && id.includes(sender.idDivider)) {
    return fail('event_id_malformed', `the ID contains ${sender.idDivider}, which ends it in the signed text`)
  }
  const isUnclaimed =
    sender.dedupe === 'off' || (id === '' && sender.dedupe === 'id' && sender.scheme.bodiesRepeat)
  return whenKnown(sender.keysOf(verification, id), (keys) => {
    verification.claimKeys = isUnclaimed ? [] : keys
    verification.eventId = id || (keys[0] ?? '')
    return undefined
  })
}
