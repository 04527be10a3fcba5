import type { SenderScheme } from '../schemes/kit/code-scheme.ts'
import { type ExpectedSender, headerTitle } from './expected-sender.ts'

/** Details that say no more than that a signature is wrong, for which the mistakes are tried. */
const WRONG_SIGNATURE =
  /^(?:validationTokens: )?(?:the signature (?:matches none|does not verify)|(?:a clientState|user and password) .* none of the secrets$)/
const AHEAD = /\b(?:iat|nbf|exp) is over [0-9]+ s ahead$/
/** What is wrong with the form of a token, or with the fields that every token has. */
const MALFORMED =
  /\btoken (?:is over|does not have|header|payload)|^the signature is not base64url|^alg is |^crit and b64|^kid is |is not a number$|^the scheme is not Bearer|^more than one /

/** The detail of a refusal, if it says more than that a signature is wrong. */
export function preciseDetail(detail: string | null | undefined): string | undefined {
  return detail && !WRONG_SIGNATURE.test(detail) ? detail : undefined
}

/** What to do about a token whose time is over. */
export function expiredToken(detail: string | null | undefined): string {
  return `${detail || 'the token has expired'}, by this listener's clock: the delivery was saved and sent again, it waited in a queue, or a clock is wrong; send a new one, or run NTP on both sides`
}

/** What is wrong with a token whoever signed it: its time or its form. Undefined if it is neither of them. */
export function wrongToken(detail: string, { name, scheme }: ExpectedSender): string | undefined {
  if (AHEAD.test(detail))
    return `${detail} of this listener's clock: one of the two clocks is wrong; run NTP on both sides`
  if (!MALFORMED.test(detail)) return undefined
  const place = scheme.signature.headers[0] ?? 'the body'
  return `${headerTitle(place)} holds no token of ${name}: ${detail}; something on the way has replaced it, or ${name} did not send this request`
}

/** Which option holds another of the sender's IDs than the one that it is for. Undefined if none does. */
export function mistakenId({ facts, options, scheme }: ExpectedSender): string | undefined {
  for (const [option, value] of Object.entries(options)) {
    if (typeof value !== 'string') continue
    const other = Object.entries(facts.otherKeys ?? {}).find(([beginning]) => value.startsWith(beginning))
    if (other) return `${option} is ${other[1]} (${other[0]}…): pass ${wantedOf(scheme)}`
  }
  return undefined
}

/** What a sender without a shared secret needs in its place. */
export const wantedOf = ({ secretName }: SenderScheme): string => secretName.replace(/^none; pass /, '')
