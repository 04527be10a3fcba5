import type { SenderScheme } from '../code-scheme.ts'
import { type Delivery, headerOf, queryTextOf } from '../delivery.ts'
import { memberAt, pointerSteps } from '../lib/json.ts'
import { headerIn } from '../schemes/kit/compile-scheme.ts'
import { parsedBody } from '../schemes/kit/forms.ts'
import { rowsOf } from '../schemes/kit/header-families.ts'
import { type ExpectedSender, headerTitle, SIGN_TESTS } from './expected-sender.ts'

/** Why a delivery lacks its signature, or one of the `required` headers. Empty if it lacks none of them. */
export function missingHeader(
  delivery: Delivery,
  expected: ExpectedSender,
  required: readonly string[],
): readonly string[] {
  const { scheme, facts, name, whyMissing } = expected
  const { headers, member, query } = scheme.signature
  const isAbsent = (header: string) => headerOf(delivery, header) === undefined
  // Code needs all of its headers. A row has its signature in any of them.
  const isSigned = scheme.algorithm !== 'code' && !headers.every(isAbsent)
  const signature = isSigned ? undefined : headers.find(isAbsent)
  const missing = signature ?? required.find(isAbsent)
  const unsigned = missing === signature && facts.unsigned
  const otherwise = (dropped: string) =>
    unsigned
      ? `${unsigned}; otherwise ${dropped}, or ${name} did not send this request; ${SIGN_TESTS}`
      : undefined
  if (missing !== undefined) {
    const why = otherwise('a proxy or middleware has dropped it')
    return [`No ${headerTitle(missing)} header: ${why ?? whyMissing}`]
  }
  if (query !== undefined && !new URLSearchParams(queryTextOf(delivery)).get(query)) {
    if (delivery.url === undefined) {
      return [
        `No ${query} in the query of the URL: this host does not know it, so set the url of the Delivery`,
      ]
    }
    const dropped = 'something in front of this listener has dropped the query'
    const always = `${name} always sends it, so ${dropped}, or ${name} did not send this request; ${SIGN_TESTS}`
    return [`No ${query} in the query of the URL: ${otherwise(dropped) ?? always}`]
  }
  if (!lacksMember(delivery, expected)) return []
  const always = `${name} always sends it, so something on the way has changed the body, or ${name} did not send this request; ${SIGN_TESTS}`
  return [`No ${member} in the body: ${otherwise('something on the way has changed the body') ?? always}`]
}

/** Whether the signature is missing where the scheme expects it in the body. */
export function lacksMember(delivery: Delivery, { scheme }: ExpectedSender): boolean {
  return scheme.signature.member !== undefined && !isInBody(delivery, scheme)
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
  for (const scheme of [expected, ...schemes].flatMap(rowsOf)) {
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
