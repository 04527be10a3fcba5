import { type Delivery, headerOf } from '../delivery.ts'
import { memberAt, pointerSteps } from '../lib/json.ts'
import { parsedBody } from '../schemes/kit/body.ts'
import type { SenderScheme } from '../schemes/kit/code-scheme.ts'
import { headerIn } from '../schemes/kit/compile-scheme.ts'
import { type ExpectedSender, headerTitle } from './expected-sender.ts'

/** Why a delivery lacks its signature, or a header that is signed. */
export function missingHeader(
  delivery: Delivery,
  expected: ExpectedSender,
  required: readonly string[],
  other: SenderScheme | undefined,
): readonly string[] {
  const { scheme, facts, name, isOwn } = expected
  if (other !== undefined) return [anotherSender(other, expected)]
  if (isOwn) return []
  const { headers, member } = scheme.signature
  const isSignatureMissing = !headers.some((header) => headerOf(delivery, header) !== undefined)
  const missing = isSignatureMissing
    ? headers[0]
    : required.find((header) => headerOf(delivery, header) === undefined)
  const unsigned = isSignatureMissing ? facts.unsigned : undefined
  const always = `${name} always sends it`
  if (missing === undefined)
    return member === undefined ? [] : [`No ${member} in the body: ${unsigned ?? always}`]
  const why = unsigned === undefined ? `${always}, so` : `${unsigned}; otherwise`
  return [
    `No ${headerTitle(missing)} header: ${why} a proxy or middleware has dropped it, or ${name} did not send this request`,
  ]
}

/** The sentence for a delivery of another sender. */
export function anotherSender(
  { name, sender, facts }: SenderScheme,
  { name: expected, isOwn }: ExpectedSender,
): string {
  const here = isOwn ? "the specification's HMAC or JWT" : expected
  const others = facts?.isShared ? ', or from a sender that signs as it does' : ''
  const own = facts?.isShared ? ", or that sender's own scheme" : ''
  return `this looks like a delivery from ${sender}${others}; this listener expects ${here}: import hookgate/schemes/${name}${own}, or give each sender its own URL`
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
 * The actual sender of a delivery, if the listener expects another: the scheme with the most of its headers present. Of several,
 * the expected one, else the one that others share, else the first.
 */
export function recognise(
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
    const isPreferred = scheme.name === expected || (scheme.facts?.isShared && best?.name !== expected)
    const isBetter = seen > mostSeen || (seen === mostSeen && isPreferred)
    // An Authorization header alone does not identify a sender.
    if (isBetter && (seen > 0 || !signature.headers.includes('authorization'))) {
      ;[best, mostSeen] = [scheme, seen]
    }
  }
  return best?.name === expected ? undefined : best
}

/** Whether the body contains a signature where the scheme expects one. */
function isInBody({ body }: Delivery, { signature, content, jsonField }: SenderScheme): boolean {
  if (signature.member === undefined) return false
  const payload = parsedBody(body, content, jsonField)
  return typeof memberAt(payload, pointerSteps(signature.member)) === 'string'
}
