import { type Delivery, headerOf } from '../delivery.ts'
import type { Listener } from '../listener.ts'
import type { SenderScheme } from '../scheme/code-scheme.ts'
import { type CheckOutcome, checkOutcomes, type Outcome } from './check-outcomes.ts'
import { findMistakes } from './mistakes.ts'
import { recognise } from './recognise.ts'
import { tokenClaims, type WantedClaims } from './token-claims.ts'

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
