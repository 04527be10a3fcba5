import { isUuidV4 } from '../lib/uuid.ts'
import { type Failure, fail } from '../reason.ts'
import type { Verification } from '../verification.ts'

/**
 * Requires a version 4 UUID, and stores it in lower case. RFC 9562 allows either case, so a captured token could otherwise
 * be replayed under each spelling.
 */
export function checkEventId(verification: Verification): Failure<'event_id_not_uuid_v4'> | undefined {
  if (!isUuidV4(verification.eventIdText))
    return fail('event_id_not_uuid_v4', 'Webhook-Event-Id is not a UUID v4')
  verification.eventId = verification.eventIdText.toLowerCase()
  return undefined
}
