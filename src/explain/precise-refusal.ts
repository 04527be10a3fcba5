import type { SenderScheme } from '../code-scheme.ts'
import { type ExpectedSender, headerTitle } from './expected-sender.ts'

/** Details that say no more than that a signature or a secret is wrong, for which the mistakes are tried. */
const WRONG_SIGNATURE =
  /^the signature does not verify$|\bnone of the (?:keys|secrets)\b|^the signature does not match your /
const AHEAD = /^(?:iat|nbf|exp) is over [0-9]+ s ahead$/
const OTHER_BODY = / does not match the body$/
/** What is wrong with the form of a token, or with the fields that every token has. */
const MALFORMED =
  /^(?:a|the) token (?:is over|is not|has over|does not have|header|payload)|^the signature is not base64url|^alg is |^crit and b64|^kid is |^(?:iat|nbf|exp) is not a number$|^the scheme is not Bearer/
/** What is compared with the options of the app. */
const OWN_APP = /^(?:aud|iss) /
/** The tokens of a body that identifies its sender by a secret. */
const IN_BODY = /^validationTokens: /

/** The detail of a refusal, if it says more than that a signature is wrong. */
export function preciseDetail(detail: string | null | undefined): string | undefined {
  return detail && !WRONG_SIGNATURE.test(detail) ? detail : undefined
}

/** What to do about a token whose time is over. */
export function expiredToken(detail: string | null | undefined): string {
  return `${detail || 'the token has expired'}, by this listener's clock: the delivery was saved and sent again, it waited in a queue, or a clock is wrong; send a new one, or run NTP on both sides`
}

/** What is wrong with a token's time or form, no matter who signed it. Undefined if both are right. */
export function wrongToken(detail: string, { name, scheme }: ExpectedSender): string | undefined {
  const bare = detail.replace(IN_BODY, '')
  if (AHEAD.test(bare))
    return `${detail} of this listener's clock: one of the two clocks is wrong; run NTP on both sides`
  const isInBody = bare !== detail
  const replaced = `something on the way has replaced it, or ${name} did not send this request`
  const place = isInBody ? 'validationTokens' : headerTitle(scheme.signature.headers[0] ?? 'the body')
  if (MALFORMED.test(bare)) return `${place} holds no token of ${name}: ${bare}; ${replaced}`
  if (!isInBody) return undefined
  return OWN_APP.test(bare)
    ? `${detail}: check that appIds and tenantIds are those of your app`
    : `${detail}; ${replaced}`
}

/** The sentence for a token that holds the hash of another body. Undefined for any other detail. */
export function anotherBody(detail: string, { name, exactBytes }: ExpectedSender): string | undefined {
  return OTHER_BODY.test(detail)
    ? `the body is not the one that ${name} signed: ${detail}; ${exactBytes}`
    : undefined
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
