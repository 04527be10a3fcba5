import { isUuidV4 } from '../lib/uuid.ts'
import { type Attempt, type Failure, fail } from './check.ts'

/**
 * A version 4 UUID (specification 5.2). RFC 9562 lets letters be of either case, so lower case is what is remembered:
 * otherwise one captured token would count as new in each of its spellings.
 */
export function checkEventId(attempt: Attempt): Failure<'event_id_not_uuid_v4'> | undefined {
  if (!isUuidV4(attempt.eventIdText)) return fail('event_id_not_uuid_v4', 'Webhook-Event-Id is not a UUID v4')
  attempt.eventId = attempt.eventIdText.toLowerCase()
  return undefined
}
