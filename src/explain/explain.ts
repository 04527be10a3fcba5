import type { SenderScheme } from '../code-scheme.ts'
import { type Delivery, headerOf } from '../delivery.ts'
import { ListenerConfigError } from '../errors.ts'
import { isListener } from '../is-listener.ts'
import { MAX_TOKEN_LENGTH } from '../limits.ts'
import type { Listener } from '../listener.ts'
import type { Reason } from '../reason.ts'
import { mixesFamilies, rowsOf } from '../schemes/kit/header-families.ts'
import { Verification } from '../verification.ts'
import { type CheckOutcome, checkOutcomes, type LoggedVerdict } from './check-outcomes.ts'
import { checkSignature } from './check-signature.ts'
import { type ExpectedSender, expectedSender, headerTitle } from './expected-sender.ts'
import { jsonOf } from './guess.ts'
import { anotherSender, lacksMember, missingHeader, otherVersion, recognise } from './missing-header.ts'
import { expiredToken } from './precise-refusal.ts'
import { bytesOfBase64 } from './signature-form.ts'
import { wrongBody, wrongContent } from './wrong-content.ts'
import { consumedBody, LARGEST_TRIED, wrongSignature } from './wrong-signature.ts'
import { wrongTime } from './wrong-time.ts'

/** What you know in addition to the listener. Each member makes the explanation more specific. */
export interface ExplainOptions {
  /**
   * The secret of an `hmac()` listener, which does not give it away. Without it, its wrong signatures are not explained. A
   * scheme's listener needs none.
   */
  readonly secret?: string | undefined
  /** What a `jwt()` listener expects of a token. */
  readonly claims?: WantedClaims | undefined
  /** Schemes with which to recognise the sender, if a delivery lacks the expected headers. */
  readonly schemes?: readonly SenderScheme[]
  /** The largest body, in bytes, for which mistakes are tried. Defaults to 262,144 (256 KB), which is also the most. */
  readonly maxBodyBytes?: number
}

/** Why a delivery got its verdict, in words for people. No member contains a secret or the expected signature. */
export interface Explanation {
  /** Every check in order. */
  readonly checks: readonly CheckOutcome[]
  /**
   * What is probably wrong, and what to do about it, a sentence each. The likeliest comes first, so show at least that one.
   * Empty if unknown.
   */
  readonly likely: readonly string[]
  /** The claims of a refused token, next to the expected ones. Its signature is left out. */
  readonly token: readonly string[]
  /** The scheme of the sender whose headers these are, if it is not the listener's. */
  readonly looksLike?: string
  /** When a delivery that is too old or too new was sent, in seconds since 1970. */
  readonly sentAt?: number
}

/**
 * Explains a verdict, or the parts of one that a log kept: which check refused the delivery, and the likely mistake behind it,
 * with its fix. For a wrong signature, tries the mistakes that are known, as the listener's scheme makes them possible: in the
 * secret, the body, the signed text, the signature's spelling and, if the sender signs it, the URL. These are at most 1,700
 * signatures of the body, with a pause for other work every 3 ms. Larger bodies than `maxBodyBytes` are not tried, and `likely`
 * says so. Meant for tools and for debugging, not for every refused delivery.
 *
 * The texts may quote a refused token's claims and a request's URL, which a stranger chose, so escape them where you show them.
 * Verifies and records nothing.
 *
 * @example
 * ```ts
 * const verdict = await verify(delivery, listener)
 * const { likely } = await explain(delivery, verdict, listener)
 * console.log(likely)
 * ```
 */
export async function explain(
  delivery: Delivery,
  verdict: LoggedVerdict,
  listener: Listener<unknown>,
  { secret, claims, schemes = [], maxBodyBytes = LARGEST_TRIED }: ExplainOptions = {},
): Promise<Explanation> {
  // Only for callers in plain JavaScript.
  if (typeof verdict?.ok !== 'boolean' || !isListener(listener)) {
    throw new ListenerConfigError(
      'explain',
      'takes a Delivery, its verdict, and the result of defineListener()',
    )
  }
  const checks = checkOutcomes(verdict, listener)
  if (verdict.ok || verdict.handshake) return { checks, likely: [], token: [] }
  const { protocol } = new Verification(delivery, listener)
  const expected = expectedSender({ auth: listener.auth, protocol }, secret)
  const token = verdict.status === 401 && claims ? tokenClaims(delivery, claims) : []
  const limits = { schemes, maxBodyBytes: Math.min(maxBodyBytes, LARGEST_TRIED) }
  return { checks, token, ...(await mistakesIn(delivery, verdict, listener, expected, limits)) }
}

async function mistakesIn(
  delivery: Delivery,
  verdict: LoggedVerdict,
  listener: Listener<unknown>,
  expected: ExpectedSender,
  { schemes, maxBodyBytes }: Required<Pick<ExplainOptions, 'schemes' | 'maxBodyBytes'>>,
): Promise<Pick<Explanation, 'likely' | 'looksLike' | 'sentAt'>> {
  const { reason, detail } = verdict
  switch (reason) {
    case 'timestamp_malformed':
    case 'timestamp_out_of_range':
      return wrongTime(delivery, reason, listener, expected)
    case 'content_type_not_json':
    case 'content_type_not_accepted':
    case 'content_encoding_not_identity':
      return { likely: wrongContent(delivery, listener, expected) }
    case 'body_not_json':
    case 'body_malformed':
      return { likely: [wrongBody(delivery, reason) ?? consumedBody(delivery, expected)].flat() }
    case 'header_missing':
    case 'auth_missing': {
      const older = otherVersion(delivery, expected)
      if (older !== undefined) return { likely: [older] }
      const other = recognise(delivery, schemes, expected)
      const looksLike = other && { looksLike: other.name }
      const isInBody = expected.scheme.signature.member !== undefined
      const consumed = isInBody ? consumedBody(delivery, expected) : []
      if (consumed.length > 0) return { likely: consumed, ...looksLike }
      if (other) return { likely: [anotherSender(other, expected)], ...looksLike }
      const { headers, required } = new Verification(delivery, listener).protocol
      const missing = missingHeader(delivery, expected, headers.slice(0, required))
      // Asks nobody for a key: what the signature is verified with is fetched when there is one.
      const refusal = missing.length > 0 ? (await checkSignature(delivery, listener)).refusal : undefined
      if (refusal?.isCause) return { likely: [refusal.detail] }
      return { likely: missing.length > 0 ? missing : [detail || []].flat() }
    }
    case 'token_expired':
      return { likely: [expiredToken(detail)] }
    case 'signature_mismatch':
    case 'token_invalid': {
      if (listener.auth.method === 'hmac' && expected.keys.length === 0) return { likely: [] }
      if (mixesFamilies(delivery, expected.scheme)) return { likely: [twoFamilies(expected)] }
      const other = recognise(delivery, schemes, expected)
      if (other) return { likely: [anotherSender(other, expected)], looksLike: other.name }
      if (lacksMember(delivery, expected)) return { likely: missingHeader(delivery, expected, []) }
      return { likely: await wrongSignature(delivery, listener, expected, verdict, maxBodyBytes) }
    }
    default:
      return { likely: [remedyFor(verdict) ?? []].flat() }
  }
}

/** What to do about the reasons that name their mistake. */
const REMEDIES: { readonly [Of in Reason]?: string } = {
  body_incomplete: 'the sender has left, or is slow: raise bodyTimeoutSeconds if its bodies are long',
  body_too_large: 'raise maxBodyBytes of this listener if its sender may send that much',
  header_repeated: 'find what adds the header again in front of this listener, such as a proxy',
  method_not_post:
    'this is no webhook, but e.g. a browser or a health check: mount verifyWebhook with app.post, on the path of the webhook',
  payload_invalid: 'correct the schema in `payload`, or the sender',
  source_ip_not_allowed:
    "if that is your proxy's address, declare the proxy with trustedProxies; otherwise add the sender's network to allowedCidrs",
}

function remedyFor({ reason, detail }: LoggedVerdict): string | undefined {
  const remedy = Object.hasOwn(REMEDIES, reason ?? '') ? REMEDIES[reason as Reason] : undefined // a key of the table
  if (reason === 'method_not_post' && detail?.includes(': mount ')) return detail // an adapter has said it
  return detail && remedy ? `${detail}: ${remedy}` : remedy
}

function twoFamilies({ name, scheme }: ExpectedSender): string {
  const both = rowsOf(scheme).map(({ signature }) => headerTitle(signature.headers[0] ?? ''))
  return `the request has headers of two families, like ${both.join(' and ')}: ${name} sends one of them, so something in front of this listener has added headers`
}

/** What a `jwt()` listener expects of a token. */
export interface WantedClaims {
  /** `aud`: the full webhook endpoint URL. */
  readonly audience: string
  /** `sub`: the tenant base URL. */
  readonly subject: string
}

/** The claims of a refused token, next to the expected ones. Verifies nothing, and leaves out the signature. */
function tokenClaims(delivery: Delivery, { subject, audience }: WantedClaims): readonly string[] {
  const token = String(headerOf(delivery, 'authorization') ?? '').replace(/^bearer /i, '')
  if (token.length > MAX_TOKEN_LENGTH) return []
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

function readSegment(segment: string): { readonly [member: string]: unknown } | undefined {
  const value = jsonOf(bytesOfBase64(segment))
  return value === undefined ? undefined : Object(value)
}

function show(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value)
}
