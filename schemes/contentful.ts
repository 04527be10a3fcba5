import { defineScheme, type SchemeFactory, type SecretOptions, type UrlOptions } from '../src/scheme/index.ts'

const SIGNED_HEADERS = 'x-contentful-signed-headers'
const TIMESTAMP = 'x-contentful-timestamp'
const MOST_HEADERS = 64
const encoder = new TextEncoder()

/** As Contentful's toolkit writes it: the query is percent-encoded once more. */
function signedPath(publicUrl: string): string {
  const { pathname, search } = new URL(publicUrl)
  return encodeURI(search === '' ? pathname : `${pathname}?${encodeURIComponent(search.slice(1))}`)
}

/**
 * Contentful's request verification: `X-Contentful-Signature`. The key is the signing secret, 64 characters, which you set in
 * the space's webhook settings or for your app. Give the webhook's URL as `publicUrl`. The signature covers the path, the body, its time and the headers
 * that it lists: your handler may trust those in `X-Contentful-Signed-Headers` alone. There is no ID, so the signed bytes
 * are claimed.
 *
 * @example
 * ```ts
 * const auth = contentful({
 *   secrets: process.env.CONTENTFUL_SIGNING_SECRET,
 *   publicUrl: 'https://example.com/hooks',
 * })
 * ```
 */
export const contentful: SchemeFactory<SecretOptions & UrlOptions> = defineScheme({
  name: 'contentful',
  sender: 'Contentful',
  secretName: 'signing secret of the space or app',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-contentful-signature'], spelling: 'hex' },
  signs: ({ method, header, body, publicUrl }) => {
    const names = header(SIGNED_HEADERS)?.split(',') ?? []
    // A time that is not signed proves nothing, nor does a list that anyone can write.
    if (names.length > MOST_HEADERS || ![SIGNED_HEADERS, TIMESTAMP].every((name) => names.includes(name))) {
      return undefined
    }
    const values = names.sort().map((name) => [name, header(name)] as const)
    if (values.some(([, value]) => value === undefined)) return undefined
    const line = values.map(([name, value]) => `${name}:${value}`).join(';')
    const before = encoder.encode(`${method}\n${signedPath(publicUrl)}\n${line}\n`)
    const signed = new Uint8Array(before.length + body.length)
    signed.set(before)
    signed.set(body, before.length)
    return [signed]
  },
  takes: ['publicUrl'],
  timestamp: { header: TIMESTAMP, unit: 'milliseconds', of: 'attempt', toleranceSeconds: 30 },
  eventType: { header: 'x-contentful-topic' },
  maxBodyBytes: 1_048_576,
  limits: 'The host is not signed, nor are headers that the signature does not list.',
})
