import { whenKnown } from '../lib/maybe-promise.ts'
import { isUuidV4 } from '../lib/uuid.ts'
import { type CheckAnswer, fail } from '../reason.ts'
import type { Verification } from '../verification.ts'

/** In characters. */
const LONGEST_EVENT_ID = 256

/**
 * Identifies the event by the sender's ID, by the signed bytes, or by both, as the scheme says. Without an ID, the signed
 * bytes identify it, unless genuine bodies repeat. In hookgate's scheme, the ID is a version 4 UUID.
 */
export function checkEventId(
  verification: Verification,
): CheckAnswer<'event_id_not_uuid_v4' | 'event_id_malformed'> {
  const { protocol } = verification
  const id = protocol.idOf(verification)
  if (protocol.idIsUuid && !isUuidV4(id)) {
    return fail('event_id_not_uuid_v4', `${protocol.eventIdHeader} is not a UUID v4`)
  }
  if (id.length > LONGEST_EVENT_ID)
    return fail('event_id_malformed', `the ID is over ${LONGEST_EVENT_ID} characters`)
  if (protocol.idDivider !== '' && id.includes(protocol.idDivider)) {
    return fail(
      'event_id_malformed',
      `the ID contains ${protocol.idDivider}, which ends it in the signed text`,
    )
  }
  return whenKnown(protocol.keysOf(verification, id), (keys) => identify(verification, id, keys))
}

function identify(verification: Verification, id: string, keys: readonly string[]): undefined {
  const { protocol } = verification
  const isUnclaimed =
    protocol.dedupe === 'off' || (id === '' && protocol.dedupe === 'id' && protocol.bodiesRepeat)
  verification.claimKeys = isUnclaimed ? [] : keys
  verification.eventId = id || (keys[0] ?? '')
  verification.eventTypeText = protocol.typeOf(verification) ?? '' // now: a schema may drop it from the payload
  verification.retentionMs = protocol.retentionOf?.(verification)
}
