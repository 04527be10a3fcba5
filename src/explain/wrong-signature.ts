import { checkAuthenticity } from '../checks/authenticity.ts'
import { checkHeaders } from '../checks/headers.ts'
import { type Delivery, headerOf } from '../delivery.ts'
import { decodeUtf8 } from '../lib/bytes.ts'
import type { Listener } from '../listener.ts'
import { secretFormOf } from '../schemes/kit/secret-forms.ts'
import { secretMistake } from '../schemes/kit/secret-mistakes.ts'
import { URL_PROBLEMS } from '../schemes/kit/signed-url.ts'
import { Verification } from '../verification.ts'
import type { ExpectedSender } from './expected-sender.ts'
import { looksLike, oddSecret } from './odd-secret.ts'
import { tryGuesses } from './try-guesses.ts'

const LARGEST_TRIED = 262_144

/** Says that a parser has read or replaced the body. Empty if the body may be the sender's. */
export function consumedBody(
  { body, method }: Delivery,
  { name, isSigned }: ExpectedSender,
): readonly string[] {
  if (method === 'GET' || !isSigned) return []
  const before = 'mount verifyWebhook before express.json() and other parsers, or hand it the raw bytes'
  if (body.length === 0)
    return [`the body is empty: ${name} sent one, and a body parser has read it; ${before}`]
  return decodeUtf8(body.subarray(0, 16)) === '[object Object]'
    ? [`the body is the text [object Object]: a body parser has replaced it; ${before}`]
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
    const problem = expected.signedUrl === undefined ? undefined : await urlProblem(delivery, listener)
    return [problem ?? unknownMistake(delivery, expected), ...toCheck(expected)]
  }
  return says.length > 0
    ? says
    : [
        'the signature fits the secret of this listener: it was refused under another secret, or by another listener',
      ]
}

/** Why the URL of the request is refused, whatever its signature is. */
async function urlProblem(delivery: Delivery, listener: Listener<unknown>): Promise<string | undefined> {
  const verification = new Verification(delivery, listener)
  if (checkHeaders(verification) !== undefined) return undefined
  const refused = await checkAuthenticity(verification)
  return URL_PROBLEMS.find((problem) => refused?.detail === problem)
}

/** What a configured secret looks like, if not like one of this sender. It may be one, if you choose its secrets. */
function strangeSecret({ keys, name, scheme, isOwn }: ExpectedSender): string | undefined {
  const form = secretFormOf(scheme)
  const found = [
    ...keys.map(({ secret }) => secretMistake(secret, form)),
    ...keys.map(({ secret }) => (isOwn ? undefined : oddSecret(secret, scheme))),
  ].find((mistake) => mistake !== undefined)
  return found && `the configured secret ${looksLike(found)}; for ${name}, pass the ${scheme.secretName}`
}

function unknownMistake(delivery: Delivery, expected: ExpectedSender): string {
  const { name, isSigned } = expected
  const length = headerOf(delivery, 'content-length')
  if (typeof length === 'string' && /^[0-9]{1,9}$/.test(length) && Number(length) !== delivery.body.length) {
    return `the body is not the one that was sent: Content-Length is ${length}, and the body has ${delivery.body.length} bytes; verify the exact bytes that arrived`
  }
  const another = isSigned
    ? `${name} signed with another secret, or another body: none of the well-known mistakes fits`
    : `${name} sent another secret; none of the well-known mistakes fits`
  return strangeSecret(expected) ?? another
}

/** What nobody can find out from the delivery. */
function toCheck({ name, isOwn, scheme, facts, isSigned, signedUrl }: ExpectedSender): readonly string[] {
  const key = /^none; pass (.*)/.exec(scheme.secretName)?.[1] ?? `the ${scheme.secretName}`
  const secret = isOwn
    ? 'check that both sides have the same secret, and that a change of it has reached both'
    : `check what you pass: ${key}${facts.otherSecrets === undefined ? '' : `; ${facts.otherSecrets}`}`
  const body = 'check that no proxy, middleware or gateway before this listener changes the body'
  const url =
    signedUrl === undefined
      ? []
      : [
          `check that publicUrl is the URL as ${name} has it: ${signedUrl}; and that nothing before this listener changes the query`,
        ]
  return [secret, ...(isSigned ? [body] : []), ...url]
}
