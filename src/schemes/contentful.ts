import { byteText, encodeUtf8 } from '../lib/bytes.ts'
import type { SignedBytes } from '../scheme.ts'
import { type SchemeFactory, type SecretOptions, schemeOf, type UrlOptions } from './kit/define-scheme.ts'
import { signedRequest } from './kit/signed-text.ts'
import { QUERY_NOT_DIVIDED, signedBytesFor, urlReader } from './kit/signed-url.ts'

const SIGNED_HEADERS = 'x-contentful-signed-headers'
const TIMESTAMP = 'x-contentful-timestamp'
const MOST_HEADERS = 64

/** Percent-encodes path and query once more, as Contentful's toolkit does. It signs a query only up to its second question mark. */
function signedPath(path: string, [, query = '']: readonly string[]): string {
  return encodeURI(query === '' ? path : `${path}?${encodeURIComponent(query)}`)
}

function signedTo(publicUrl: string): SignedBytes {
  const urlOf = urlReader(publicUrl)
  const { pathname, search } = new URL(publicUrl)
  return ({ method, header, list, body, refuse, ...request }) => {
    const url = urlOf(request)
    if ('problem' in url) return refuse(url.problem)
    const query = (url.isOpen ? url.query : search).split('?')
    if (url.isOpen && query.length > 2) return refuse(QUERY_NOT_DIVIDED)
    const names = header(SIGNED_HEADERS)?.split(',') ?? []
    // Require the time and the list itself to be signed. Otherwise anyone can change them.
    if (names.length > MOST_HEADERS || new Set(names).size < names.length) return undefined
    if (![SIGNED_HEADERS, TIMESTAMP].every((name) => names.includes(name))) return undefined
    const values = names.sort().map((name) => [name, list(name)] as const)
    if (values.some(([, value]) => value === undefined)) return undefined
    const line = values.map(([name, value]) => `${name}:${value}`).join(';')
    const before = encodeUtf8(`${method}\n${signedPath(pathname, query)}\n${line}\n`)
    return [{ before: byteText(before), body, after: '' }]
  }
}

/**
 * Verifies webhooks from Contentful by their `X-Contentful-Signature` header. The key is the signing secret of 64 characters,
 * from the space's webhook settings or your app. Pass the webhook's URL as `publicUrl`. The signature covers the path, the
 * body, a timestamp and the headers listed in `X-Contentful-Signed-Headers`. Do not trust any other header in your handler.
 * The ID is `X-Contentful-Idempotency-Key`, which need not be signed, so the ID and the signed bytes are both claimed.
 *
 * @example
 * ```ts
 * const auth = contentful({
 *   secrets: process.env.CONTENTFUL_SIGNING_SECRET,
 *   publicUrl: 'https://example.com/hooks',
 * })
 * ```
 */
export const contentful: SchemeFactory<SecretOptions & UrlOptions, 'x-contentful-topic'> = schemeOf(
  {
    name: 'contentful',
    sender: 'Contentful',
    secretName: 'signing secret of the space or app',
    secretMadeBy: 'user',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['x-contentful-signature'], spelling: 'hex' },
    signs: /* @__PURE__ */ signedBytesFor(signedTo),
    signAsHeaders: { [SIGNED_HEADERS]: `${SIGNED_HEADERS},${TIMESTAMP}` },
    takes: ['publicUrl'],
    timestamp: { header: TIMESTAMP, unit: 'milliseconds', of: 'attempt', toleranceSeconds: 30 },
    eventId: { header: 'x-contentful-idempotency-key' },
    eventType: { header: 'x-contentful-topic' },
    leaseSeconds: 30, // two more attempts, 30 s apart
    maxRunSeconds: 30,
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned:
        'Contentful signs only if there is a signing secret: choose Enable request verification in the webhook settings of the space, or set one for the app under Security',
      otherFormats:
        "Contentful sends a form if the webhook's content type says so: choose JSON in the webhook's settings",
    },
    limits: 'The host and the headers that the signature does not list are not signed.',
  },
  { requests: signedRequest },
)
