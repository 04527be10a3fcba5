import { isUuidV4 } from '../lib/uuid.ts'
import { type Attempt, type Failure, fail } from './check.ts'

/**
 * Requires a version 4 UUID, and stores it in lower case. RFC 9562 allows either case, so a captured token could otherwise
 * be replayed under each spelling.
 */
export function checkEventId(attempt: Attempt): Failure<'event_id_not_uuid_v4'> | undefined {
  if (!isUuidV4(attempt.eventIdText)) return fail('event_id_not_uuid_v4', 'Webhook-Event-Id is not a UUID v4')
  attempt.eventId = attempt.eventIdText.toLowerCase()
  return undefined
}
