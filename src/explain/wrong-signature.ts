import { type Delivery, headerOf } from '../delivery.ts'
import { decodeUtf8 } from '../lib/bytes.ts'
import type { Listener } from '../listener.ts'
import { API_KEY, prefixOf } from '../scheme/secret-forms.ts'
import type { ExpectedSender } from './expected-sender.ts'
import { tryGuesses } from './try-guesses.ts'

const LARGEST_TRIED = 262_144
const WHSEC = 'whsec_'

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
  const other = otherKey(expected)
  if (other !== undefined) return [other]
  if (delivery.body.length > LARGEST_TRIED) {
    return ['the body is over 256 KB, so the well-known mistakes were not tried', ...toCheck(expected)]
  }
  const { says } = await tryGuesses(delivery, listener, expected)
  if (says === undefined) return [unknownMistake(delivery, expected), ...toCheck(expected)]
  return says.length > 0
    ? says
    : [
        'the signature fits the secret of this listener: it was refused under another secret, or by another listener',
      ]
}

/** A secret of another kind, by its form. Senders that make the secrets themselves have theirs refused at the start. */
function otherKey({ keys, facts, isOwn, name, scheme }: ExpectedSender): string | undefined {
  const mayBeApiKey = isOwn || facts.signsWithApiKey
  const apiKey = mayBeApiKey ? undefined : keys.map(({ secret }) => API_KEY.exec(secret)?.[0]).find(Boolean)
  const found = Object.entries({ ...facts.otherKeys, ...(apiKey && { [apiKey]: 'an API key' }) }).find(
    ([beginning]) => keys.some(({ secret }) => secret.startsWith(beginning)),
  )
  return (
    found && `the configured secret is ${found[1]} (${found[0]}…); for ${name}, pass the ${scheme.secretName}`
  )
}

/** Tried last, because some senders have you choose the secret, which then may have any form. */
function anothersSecret({ keys, isOwn, name, scheme }: ExpectedSender): string | undefined {
  const isForeign =
    !isOwn && prefixOf(scheme) !== WHSEC && keys.some(({ secret }) => secret.startsWith(WHSEC))
  return isForeign
    ? `the configured secret looks like one of Stripe or Standard Webhooks (${WHSEC}…); for ${name}, pass the ${scheme.secretName}`
    : undefined
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
  return anothersSecret(expected) ?? another
}

/** What nobody can find out from the delivery. */
function toCheck({ name, isOwn, scheme, facts, isSigned, signedUrl }: ExpectedSender): readonly string[] {
  const key = /^none; pass (.*)/.exec(scheme.secretName)?.[1] ?? `the ${scheme.secretName}`
  const secret = isOwn
    ? 'check that both sides have the same secret, and that a change of it has reached both'
    : `check what you pass: ${key}${facts.otherSecrets === undefined ? '' : `; ${facts.otherSecrets}`}`
  const body = 'check that no proxy, middleware or gateway before this listener changes the body'
  const url =
    signedUrl === undefined ? [] : [`check that publicUrl is the URL as ${name} has it: ${signedUrl}`]
  return [secret, ...(isSigned ? [body] : []), ...url]
}
