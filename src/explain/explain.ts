import { type Delivery, headerOf } from '../delivery.ts'
import { memberAt, pointerSteps } from '../lib/json.ts'
import type { Listener } from '../listener.ts'
import { bodyReaders } from '../scheme/body.ts'
import type { SenderScheme } from '../scheme/code-scheme.ts'
import type { Place } from '../scheme/scheme.ts'
import { type CheckOutcome, checkOutcomes, type Outcome } from './check-outcomes.ts'
import { bytesOfBase64 } from './digest-text.ts'
import { findMistakes } from './mistakes.ts'

/**
 * What you know in addition to the listener. Each member makes the explanation more specific.
 *
 * @see {@link explain}
 */
export interface Known {
  /** The secret of an `hmac()` listener, to find the sender's mistake behind a wrong signature. */
  readonly secret?: string | undefined
  /** What a `jwt()` listener expects of a token. */
  readonly claims?: WantedClaims | undefined
  /** Schemes with which to recognise the sender, if a delivery lacks the expected headers. */
  readonly schemes?: readonly SenderScheme[]
}

/**
 * Why a delivery got its verdict, in words for people. No member contains a secret or the expected signature.
 *
 * @see {@link explain}
 */
export interface Explanation {
  /** Every check in order. */
  readonly checks: readonly CheckOutcome[]
  /** What the sender probably did wrong, one sentence per mistake. Empty if unknown. */
  readonly likely: readonly string[]
  /** The claims of a refused token, next to the expected ones. Its signature is left out. */
  readonly token: readonly string[]
}

const MILLISECONDS = /^[0-9]{13}$/
const LARGEST_TRIED = 262_144
const NOT_TRIED = 'the body is over 256 KB, so the well-known mistakes were not tried'
const NO_MISTAKE = 'a different secret or body was signed; none of the well-known mistakes fits'

/**
 * Explains a verdict, or the parts of one that a log kept: which check refused the delivery, and the likely
 * mistake behind it. For a wrong signature, tries the mistakes that senders are known to make: about 1,700
 * HMACs of the body. Meant for tools, not for every refused delivery. Skips bodies over 256 KB, because the
 * process could do nothing else meanwhile.
 *
 * The texts may quote a refused token's claims, which a stranger chose, so escape them where you show them.
 * Verifies and records nothing.
 *
 * @example
 * ```ts
 * const verdict = await verify(delivery, listener)
 * const { likely } = await explain(delivery, verdict, listener, { secret })
 * console.log(likely)
 * ```
 */
export async function explain(
  delivery: Delivery,
  verdict: Outcome,
  listener: Listener<unknown>,
  { secret, claims, schemes = [] }: Known = {},
): Promise<Explanation> {
  const checks = checkOutcomes(verdict, listener)
  if (verdict.ok || verdict.handshake) return { checks, likely: [], token: [] }
  const { reason, status } = verdict
  const likely: string[] = []
  if (reason === 'header_missing' || reason === 'auth_missing') {
    likely.push(...recognise(delivery, schemes, listener.auth.sender?.scheme.name))
  }
  if (
    reason === 'timestamp_malformed' &&
    MILLISECONDS.test(String(headerOf(delivery, 'webhook-timestamp')))
  ) {
    likely.push('Webhook-Timestamp is in milliseconds; it has to be in seconds')
  }
  if (reason === 'signature_mismatch' && secret !== undefined) {
    likely.push(...(await mistakesOf(delivery, secret)))
  }
  return { checks, likely, token: status === 401 && claims ? tokenClaims(delivery, claims) : [] }
}

async function mistakesOf(delivery: Delivery, secret: string): Promise<readonly string[]> {
  if (delivery.body.length > LARGEST_TRIED) return [NOT_TRIED]
  const mistakes = await findMistakes(delivery, secret)
  return mistakes.length === 0 ? [NO_MISTAKE] : mistakes
}

/** Names the actual sender of a delivery, if the listener expects another. Empty if no scheme fits. */
function recognise(
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

/**
 * What a `jwt()` listener expects of a token.
 *
 * @see {@link explain}
 */
export interface WantedClaims {
  /** `aud`: the full webhook endpoint URL. */
  readonly audience: string
  /** `sub`: the tenant base URL. */
  readonly subject: string
}

const LONGEST_TOKEN = 8192

/**
 * The claims of a refused token, next to the expected ones. Verifies nothing, and leaves out the signature.
 */
function tokenClaims(delivery: Delivery, { subject, audience }: WantedClaims): readonly string[] {
  const token = String(headerOf(delivery, 'authorization') ?? '').replace(/^bearer /i, '')
  if (token.length > LONGEST_TOKEN) return []
  const [header, claims] = token.split('.', 2).map(readSegment)
  if (header === undefined || claims === undefined) return []
  const wanted = (claim: string, value: string) =>
    `${claim} ${show(claims[claim])}${claims[claim] === value ? '' : `, wanted: ${show(value)}`}`
  return [
    `kid ${show(header.kid)}, alg ${show(header.alg)}`,
    wanted('sub', subject),
    wanted('aud', audience),
    `jti ${show(claims.jti)}, htm ${show(claims.htm)}, exp ${show(claims.exp)}`,
  ]
}

type Members = { readonly [member: string]: unknown }

function readSegment(segment: string): Members | undefined {
  try {
    return Object(JSON.parse(new TextDecoder().decode(bytesOfBase64(segment))))
  } catch {
    return undefined
  }
}

function show(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value)
}
