import { checkOutcomes } from '../../src/explain/check-outcomes.ts'
import type { Listener } from '../../src/index.ts'
import { exactTextAt, pointerSteps } from '../../src/lib/json.ts'
import type { ValueLocation } from '../../src/scheme.ts'
import { rowFor } from '../../src/schemes/kit/header-families.ts'
import { EVENT_ID_HEADER } from '../../src/specification.ts'
import { asDelivery, firstValue, type Inspected, loggedVerdict } from './inspected.ts'

const LONGEST_BODY = 65_536
const LONGEST_NAME = 200

/** The names of an event. Escape them: they are the sender's text, or a stranger's. */
interface Names {
  readonly eventId: string | null
  readonly eventType: string | null
  /** Whether the sender was authenticated. If not, anyone can have written them. */
  readonly isVerified: boolean
}

/**
 * The ID and the type of an event: as they were verified, or else as the delivery says.
 *
 * @param longest A longer body is not parsed for a name, in bytes: strangers can send many.
 */
export function namesOf(delivery: Inspected, listener: Listener<unknown>, longest = LONGEST_BODY): Names {
  const checks = checkOutcomes(loggedVerdict(delivery), listener)
  const isVerified = checks.some(({ name, ok }) => name === 'authenticity' && ok === true)
  const { eventId, eventType } = delivery
  if (isVerified) return { eventId, eventType, isVerified }
  const { scheme } = listener.protocol
  const places = scheme ? rowFor(asDelivery(delivery), scheme) : { eventId: { header: EVENT_ID_HEADER } }
  const said = (place: ValueLocation | undefined) => claimAt(place, delivery, longest)
  return {
    eventId: eventId ?? said(places.eventId),
    eventType: eventType ?? said('eventType' in places ? places.eventType : undefined),
    isVerified,
  }
}

function claimAt(
  place: ValueLocation | undefined,
  { headers, body }: Inspected,
  longest: number,
): string | null {
  if (place === undefined || 'item' in place) return null
  if ('header' in place) return shortened(firstValue(headers, place.header))
  return shortened(body.length > longest ? undefined : exactTextAt(body, pointerSteps(place.member)))
}

const shortened = (text: string | undefined) => text?.slice(0, LONGEST_NAME) || null
