import type { Delivery } from '../delivery.ts'
import type { SenderScheme } from '../scheme/code-scheme.ts'
import type { Place } from '../scheme/scheme.ts'

/** Names the sender whose headers these are, when the listener expects another. Empty when no scheme fits. */
export function recognise(
  delivery: Delivery,
  schemes: readonly SenderScheme[],
  expected: string | undefined,
): readonly string[] {
  const found = schemeOf(delivery, schemes)
  if (found === undefined || found.name === expected) return []
  const { name, sender } = found
  const listener = expected ?? "the specification's HMAC or JWT"
  return [
    `this looks like a delivery of ${sender}; this listener expects ${listener}: give --scheme ${name}, and import hookgate/schemes/${name}`,
  ]
}

/** The scheme with the most of its headers present. */
function schemeOf(delivery: Delivery, schemes: readonly SenderScheme[]): SenderScheme | undefined {
  const isThere = (header: string | undefined) =>
    header !== undefined && delivery.header(header) !== undefined
  let best: SenderScheme | undefined
  let mostSeen = -1
  for (const scheme of schemes) {
    const { signature, timestamp, eventId, eventType } = scheme
    if (!signature.headers.some(isThere) || signature.headers.includes('authorization')) continue
    const seen = [timestamp, eventId, eventType].filter((place) => isThere(headerIn(place))).length
    if (seen > mostSeen) [best, mostSeen] = [scheme, seen]
  }
  return best
}

const headerIn = (place: Place | undefined) => (place && 'header' in place ? place.header : undefined)
