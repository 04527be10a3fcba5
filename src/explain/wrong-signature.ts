import { type Delivery, headerOf } from '../delivery.ts'
import { decodeUtf8 } from '../lib/bytes.ts'
import { memberAt, pointerSteps } from '../lib/json.ts'
import type { Listener } from '../listener.ts'
import {
  isMadeBySender,
  looksLike,
  oddSecret,
  secretFormOf,
  secretMistake,
} from '../schemes/kit/secret-forms.ts'
import { URL_PROBLEMS } from '../schemes/kit/signed-url.ts'
import type { LoggedVerdict } from './check-outcomes.ts'
import { checkSignature } from './check-signature.ts'
import { type ExpectedSender, OWN_SCHEME } from './expected-sender.ts'
import { jsonOf } from './guess.ts'
import { anotherBody, mistakenId, preciseDetail, wantedOf, wrongToken } from './precise-refusal.ts'
import { tryGuesses } from './try-guesses.ts'

export const LARGEST_TRIED = 262_144

/** Says that a parser has read or replaced the body. Empty if the body may be the sender's. */
export function consumedBody(
  { body, method }: Delivery,
  { name, isSigned }: ExpectedSender,
): readonly string[] {
  if (method === 'GET' || !isSigned) return []
  const fix = 'mount verifyWebhook before express.json() and other parsers, or hand it the raw bytes'
  if (body.length === 0) {
    return [`the body is empty: ${name} sent one, and a body parser has already read it; ${fix}`]
  }
  return decodeUtf8(body.subarray(0, 16)) === '[object Object]'
    ? [`the body is the text [object Object]: a body parser has replaced it; ${fix}`]
    : []
}

/** Why a signature or a token is wrong, and what to do: the first sentence is the likeliest. */
export async function wrongSignature(
  delivery: Delivery,
  listener: Listener<unknown>,
  expected: ExpectedSender,
  { reason, detail }: LoggedVerdict,
  largestTried: number,
): Promise<readonly string[]> {
  const precise = preciseDetail(detail ?? (await detailOf(delivery, listener, expected)))
  const consumed = consumedBody(delivery, expected)
  if (consumed.length > 0) return consumed
  const token = precise && wrongToken(precise, expected)
  if (token) return [token]
  if (expected.keys.length === 0) return withoutSecret(precise, expected)
  if (delivery.body.length > largestTried) {
    const untried = `the body is over ${largestTried / 1024} KB, so the well-known mistakes were not tried`
    return [strangeSecret(expected) ?? untried, ...toCheck(expected)]
  }
  const { says } = await tryGuesses(delivery, listener, expected)
  if (says === undefined) {
    if (precise && reason === 'token_invalid') {
      const another = anotherBody(precise, expected)
      return another ? [another] : [precise, ...(precise.startsWith('sub ') ? urlToCheck(expected) : [])]
    }
    const problem = await knownProblem(delivery, listener, expected)
    if (problem !== undefined) return [problem, ...toCheck(expected)]
    return [
      unknownMistake(delivery, expected),
      ...modeOf(delivery, expected),
      ...ownTests(expected),
      ...toCheck(expected),
    ]
  }
  if (says.length > 0) return says
  return [
    "the signature is right for this listener's secret: it was refused with another, or by another listener",
  ]
}

/** The detail that a log has left out. Asks nobody for a key. */
async function detailOf(
  delivery: Delivery,
  listener: Listener<unknown>,
  { scheme, withOptions }: ExpectedSender,
) {
  if (scheme.algorithm === 'code' && withOptions === undefined) return undefined
  return (await checkSignature(delivery, listener)).refusal?.detail
}

/** Nothing can be tried: the sender signs with a key of its own. */
function withoutSecret(precise: string | undefined, expected: ExpectedSender): readonly string[] {
  const { name, scheme } = expected
  const mistaken = mistakenId(expected)
  if (mistaken) return [mistaken]
  const another = precise && anotherBody(precise, expected)
  if (another) return [another]
  const checks = scheme.name === OWN_SCHEME ? [] : toCheck(expected)
  const unknown = `the signature does not verify: ${name} signed for another receiver, or something on the way has changed the delivery`
  return precise === undefined ? [unknown, ...ownTests(expected), ...checks] : [precise, ...checks]
}

/** Why the delivery is refused, whatever its signature is: its URL or, if the secret may be right, a value that nobody has signed. */
async function knownProblem(
  delivery: Delivery,
  listener: Listener<unknown>,
  expected: ExpectedSender,
): Promise<string | undefined> {
  const { refusal } = await checkSignature(delivery, listener)
  if (refusal === undefined) return undefined
  const { detail, help, reason } = refusal
  const isCompared = help !== undefined || reason !== 'signature_mismatch' // only `mismatch` has help
  const isKnown = URL_PROBLEMS.includes(detail) || !(isCompared || strangeSecret(expected))
  return isKnown ? detail : undefined
}

/** What a configured secret looks like, if not like one of this sender. It may be one, if you choose its secrets. */
function strangeSecret({ keys, name, scheme }: ExpectedSender): string | undefined {
  const form = secretFormOf(scheme)
  const isMade = isMadeBySender(scheme)
  const found = [
    ...keys.map(({ secret }) => secretMistake(secret, form)),
    ...keys.map(({ secret }) => oddSecret(secret, scheme)),
    ...keys.map(({ secret }) => (isMade ? cutHex(secret) : undefined)),
  ].find((mistake) => mistake !== undefined)
  return found && `the configured secret ${looksLike(found)}; for ${name}, pass the ${scheme.secretName}`
}

/** Hexadecimal digits come in pairs. Whole pairs that are missing show only if the sender's row says how many there are. */
function cutHex(secret: string): string | undefined {
  const [, digits = ''] = /^(?:[a-z]+_)?([0-9a-f]{15,})$/.exec(secret) ?? []
  return digits.length % 2 === 1 ? `has ${digits.length} hexadecimal digits, so one is missing` : undefined
}

function unknownMistake(delivery: Delivery, expected: ExpectedSender): string {
  const { name, isSigned } = expected
  const { body } = delivery
  const length = headerOf(delivery, 'content-length')
  if (typeof length === 'string' && /^[0-9]{1,9}$/.test(length) && Number(length) !== body.length) {
    return `the body is not the one that was sent: Content-Length is ${length}, and the body has ${body.length} bytes; verify the exact bytes that arrived`
  }
  const unknown = isSigned
    ? `the secret is wrong, the body was changed, or ${name} did not send this`
    : `the secret is wrong, or ${name} did not send this`
  return strangeSecret(expected) ?? `${unknown}; nothing more specific was found`
}

/** A question only: nothing says yet that the sender wrote this body. Reads no other value of it. */
function modeOf({ body }: Delivery, { facts: { mode } }: ExpectedSender): readonly string[] {
  const found = mode && memberAt(jsonOf(body), pointerSteps(mode.member))
  if (found === undefined) return []
  if (found === mode?.test)
    return ["the body says that this is a test event: is this the live endpoint's secret?"]
  return found === mode?.live
    ? ["the body says that this is a live event: is this a test endpoint's secret?"]
    : []
}

/** What a sender sends that does not verify, although nothing is wrong. */
const ownTests = ({ facts }: ExpectedSender) => (facts.tests === undefined ? [] : [facts.tests])

/** What nobody can find out from the delivery. */
export function toCheck(expected: ExpectedSender): readonly string[] {
  const { scheme, facts, isSigned } = expected
  const others = facts.otherSecrets === undefined ? '' : `; ${facts.otherSecrets}`
  const wanted = wantedOf(scheme)
  const secret = `check what you pass: ${wanted === scheme.secretName ? `the ${wanted}` : wanted}${others}`
  const body = 'check that no proxy, middleware or gateway in front of this listener changes the body'
  return [secret, ...(isSigned ? [body] : []), ...urlToCheck(expected)]
}

function urlToCheck({ name, signedUrl }: ExpectedSender): readonly string[] {
  if (signedUrl === undefined) return []
  return [
    `check that publicUrl, ${signedUrl}, is the URL that ${name} calls, and that nothing in front of this listener changes its query`,
  ]
}
