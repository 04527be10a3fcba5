import { type Delivery, headerOf } from '../delivery.ts'
import { decodeUtf8 } from '../lib/bytes.ts'
import type { Listener } from '../listener.ts'
import { looksLike, oddSecret, secretFormOf, secretMistake } from '../schemes/kit/secret-forms.ts'
import { URL_PROBLEMS } from '../schemes/kit/signed-url.ts'
import { checkSignature } from './check-signature.ts'
import type { ExpectedSender } from './expected-sender.ts'
import { tryGuesses } from './try-guesses.ts'

const LARGEST_TRIED = 262_144

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

/** Why a signature is wrong, and what to do: the first sentence is the likeliest. */
export async function wrongSignature(
  delivery: Delivery,
  listener: Listener<unknown>,
  expected: ExpectedSender,
): Promise<readonly string[]> {
  const consumed = consumedBody(delivery, expected)
  if (consumed.length > 0) return consumed
  if (delivery.body.length > LARGEST_TRIED) {
    const untried = 'the body is over 256 KB, so the well-known mistakes were not tried'
    return [strangeSecret(expected) ?? untried, ...toCheck(expected)]
  }
  const { says } = await tryGuesses(delivery, listener, expected)
  if (says === undefined) {
    const problem = await knownProblem(delivery, listener, expected)
    return [problem ?? unknownMistake(delivery, expected), ...toCheck(expected)]
  }
  if (says.length > 0) return says
  return [
    "the signature is right for this listener's secret: it was refused with another, or by another listener",
  ]
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
  const found = [
    ...keys.map(({ secret }) => secretMistake(secret, form)),
    ...keys.map(({ secret }) => oddSecret(secret, scheme)),
  ].find((mistake) => mistake !== undefined)
  return found && `the configured secret ${looksLike(found)}; for ${name}, pass the ${scheme.secretName}`
}

function unknownMistake(delivery: Delivery, expected: ExpectedSender): string {
  const { name, isSigned } = expected
  const { body } = delivery
  const length = headerOf(delivery, 'content-length')
  if (typeof length === 'string' && /^[0-9]{1,9}$/.test(length) && Number(length) !== body.length) {
    return `the body is not the one that was sent: Content-Length is ${length}, and the body has ${body.length} bytes; verify the exact bytes that arrived`
  }
  const another = isSigned
    ? `${name} signed with another secret, or another body: none of the well-known mistakes fits`
    : `${name} sent another secret; none of the well-known mistakes fits`
  return strangeSecret(expected) ?? another
}

/** What nobody can find out from the delivery. */
function toCheck({ name, scheme, facts, isSigned, signedUrl }: ExpectedSender): readonly string[] {
  const others = facts.otherSecrets === undefined ? '' : `; ${facts.otherSecrets}`
  const secret = `check what you pass: the ${scheme.secretName}${others}`
  const body = 'check that no proxy, middleware or gateway in front of this listener changes the body'
  const url = `check that publicUrl, ${signedUrl}, is the URL that ${name} calls, and that nothing in front of this listener changes its query`
  return [secret, ...(isSigned ? [body] : []), ...(signedUrl === undefined ? [] : [url])]
}
