import type { Delivery } from '../delivery.ts'
import type { SenderScheme } from '../scheme/code-scheme.ts'
import { bodyReaders } from '../scheme/content.ts'
import { memberAt, pointerSteps } from '../scheme/members.ts'
import type { Place } from '../scheme/scheme.ts'

/** Names the actual sender of a delivery, if the listener expects another. Empty if no scheme fits. */
export function recognise(
  delivery: Delivery,
  schemes: readonly SenderScheme[],
  expected: string | undefined,
): readonly string[] {
  const found = schemeOf(delivery, schemes, expected)
  if (found === undefined || found.name === expected) return []
  const { name, sender } = found
  const listener = expected ?? "the specification's HMAC or JWT"
  return [
    `this looks like a delivery from ${sender}; this listener expects ${listener}: give --scheme ${name}, and import hookgate/schemes/${name}`,
  ]
}

/** The scheme with the most of its headers present: of several, the expected one, or else the first. */
function schemeOf(
  delivery: Delivery,
  schemes: readonly SenderScheme[],
  expected: string | undefined,
): SenderScheme | undefined {
  const isThere = (header: string | undefined) =>
    header !== undefined && delivery.header(header) !== undefined
  let best: SenderScheme | undefined
  let mostSeen = -1
  for (const scheme of schemes) {
    const { signature, timestamp, eventId, eventType } = scheme
    if (!signature.headers.some(isThere) && !isInBody(delivery, scheme)) continue
    const seen = [timestamp, eventId, eventType].filter((place) => isThere(headerIn(place))).length
    const isBetter = seen > mostSeen || (seen === mostSeen && scheme.name === expected)
    // An Authorization header alone does not identify a sender.
    if (isBetter && (seen > 0 || !signature.headers.includes('authorization'))) {
      ;[best, mostSeen] = [scheme, seen]
    }
  }
  return best
}

const headerIn = (place: Place | undefined) => (place && 'header' in place ? place.header : undefined)

/** Whether the body contains a signature where the scheme expects one. */
function isInBody({ body }: Delivery, { signature, content = ['json'], jsonField }: SenderScheme): boolean {
  if (signature.member === undefined) return false
  const reading = bodyReaders(content, jsonField)(undefined)?.(body)
  const payload = reading && 'payload' in reading ? reading.payload : undefined
  return typeof memberAt(payload, pointerSteps(signature.member)) === 'string'
}
