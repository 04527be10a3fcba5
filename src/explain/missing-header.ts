import { type Delivery, headerOf } from '../delivery.ts'
import { memberAt, pointerSteps } from '../lib/json.ts'
import { parsedBody } from '../schemes/kit/body.ts'
import type { SenderScheme } from '../schemes/kit/code-scheme.ts'
import { headerIn } from '../schemes/kit/compile-scheme.ts'
import { type ExpectedSender, headerTitle } from './expected-sender.ts'

/** Why a delivery lacks its signature, or one of the `required` headers. Empty if it lacks none of them. */
export function missingHeader(
  delivery: Delivery,
  { scheme, facts, name, whyMissing }: ExpectedSender,
  required: readonly string[],
): readonly string[] {
  const { algorithm, signature } = scheme
  const { headers, member } = signature
  const isAbsent = (header: string) => headerOf(delivery, header) === undefined
  const absent = headers.filter(isAbsent)
  // A row takes any of its headers; code needs them all.
  const isSignatureMissing = absent.length === headers.length || (algorithm === 'code' && absent.length > 0)
  const missing = isSignatureMissing ? absent[0] : required.find(isAbsent)
  const unsigned = isSignatureMissing ? facts.unsigned : undefined
  if (missing !== undefined) {
    const why =
      unsigned &&
      `${unsigned}; otherwise a proxy or middleware has dropped it, or ${name} did not send this request`
    return [`No ${headerTitle(missing)} header: ${why ?? whyMissing}`]
  }
  return member === undefined ? [] : [`No ${member} in the body: ${unsigned ?? `${name} always sends it`}`]
}

/** The sentence for a delivery of another sender. */
export function anotherSender({ name, sender, facts }: SenderScheme, { scheme }: ExpectedSender): string {
  const others = facts?.isShared ? ', or from a sender that signs as it does' : ''
  const own = facts?.isShared ? ", or that sender's own scheme" : ''
  return `this looks like a delivery from ${sender}${others}; this listener expects ${scheme.sender}: import hookgate/schemes/${name}${own}, or give each sender its own URL`
}

/** The signature of another version of the same scheme, where the one that is verified is missing. */
export function otherVersion(
  delivery: Delivery,
  { scheme, facts, name }: ExpectedSender,
): string | undefined {
  for (const [header, { begins = '', is }] of Object.entries(facts.otherVersions ?? {})) {
    const value = headerOf(delivery, header)
    if (typeof value !== 'string' || !value.startsWith(begins)) continue
    return `${headerTitle(header)} is ${is}; only ${headerTitle(scheme.signature.headers[0] ?? '')} is verified: ${name} sends it too, so a proxy or middleware has dropped it`
  }
  return undefined
}

/**
 * The actual sender of a delivery, if it is not the expected one: the scheme with the most of its headers present. Of several,
 * the expected one, else the one that others share, else the first.
 */
export function recognise(
  delivery: Delivery,
  schemes: readonly SenderScheme[],
  { scheme: expected }: ExpectedSender,
): SenderScheme | undefined {
  const isThere = (header: string | undefined) =>
    header !== undefined && delivery.header(header) !== undefined
  let best: SenderScheme | undefined
  let mostSeen = -1
  for (const scheme of [expected, ...schemes]) {
    const { signature, timestamp, eventId, eventType, facts } = scheme
    if (!signature.headers.some(isThere) && !isInBody(delivery, scheme)) continue
    const seen = [timestamp, eventId, eventType].filter((place) => isThere(headerIn(place))).length
    const isPreferred = facts?.isShared && best?.name !== expected.name
    const isBetter = seen > mostSeen || (seen === mostSeen && isPreferred)
    // An Authorization header alone does not identify a sender.
    if (isBetter && (seen > 0 || !signature.headers.includes('authorization'))) {
      ;[best, mostSeen] = [scheme, seen]
    }
  }
  return best?.name === expected.name ? undefined : best
}

/** Whether the body contains a signature where the scheme expects one. */
function isInBody({ body }: Delivery, { signature, content, jsonField }: SenderScheme): boolean {
  if (signature.member === undefined) return false
  const payload = parsedBody(body, content, jsonField)
  return typeof memberAt(payload, pointerSteps(signature.member)) === 'string'
}
