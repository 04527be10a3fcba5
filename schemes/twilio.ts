import { mediaTypeOf } from '../src/lib/content-type.ts'
import type { Json } from '../src/lib/json.ts'
import { whenKnown } from '../src/lib/maybe-promise.ts'
import { bodyHash } from '../src/scheme/body-hash.ts'
import { defineScheme, type SchemeFactory, type SecretOptions, type UrlOptions } from '../src/scheme/index.ts'

const FORM = 'application/x-www-form-urlencoded'
const URL_PARTS = /^(https?:\/\/)([^/?#]*?)(:[0-9]+)?([/?][^#]*)?(?:#.*)?$/i
const HASH_IN_URL = /[?&]bodySHA256=[0-9a-f]{64}$/
const encoder = new TextEncoder()

/** The URLs that Twilio may have signed: as configured, or as a URL parser writes them. */
function signedUrls(publicUrl: string): readonly string[] {
  return [...new Set([publicUrl, new URL(publicUrl).href])].flatMap(withAndWithoutPort)
}

/** Drops the fragment, which is never sent, and `bodySHA256`, which Twilio adds to each request. */
function withAndWithoutPort(publicUrl: string): readonly [string, string] {
  const [, scheme = '', host = '', port, path = ''] = URL_PARTS.exec(publicUrl) ?? []
  const rest = path.replace(HASH_IN_URL, '')
  const defaultPort = scheme.toLowerCase() === 'https://' ? ':443' : ':80'
  return [scheme + host + rest, scheme + host + (port ?? defaultPort) + rest]
}

/** Concatenates names and values, sorted by name. The values of a repeated name are sorted, without duplicates. */
function fieldsOf(form: Json): string {
  return Object.entries(form ?? {})
    .sort(([name], [other]) => (name < other ? -1 : 1))
    .flatMap(([name, values]) =>
      Array.isArray(values) ? [...new Set(values)].sort().map((value) => `${name}${value}`) : name + values,
    )
    .join('')
}

/**
 * Twilio: `X-Twilio-Signature`, by HMAC-SHA1, the only algorithm that Twilio offers. The key is the account's
 * primary auth token, on the Console's first page. Pass the webhook's URL as `publicUrl`, exactly as you
 * entered it. A `bodySHA256` at its end is ignored, because Twilio adds one to each request. The signature
 * covers the URL, and every field of a form or a hash of a JSON body.
 *
 * The signed values are claimed, because anyone can change `I-Twilio-Idempotency-Token`. A call that fetches
 * the same TwiML twice with the same digits repeats these values; for such calls, pass `dedupe: 'off'` or
 * `'id'`. GET webhooks are refused.
 *
 * @example
 * ```ts
 * const auth = twilio({
 *   secrets: process.env.TWILIO_AUTH_TOKEN,
 *   publicUrl: 'https://example.com/hooks',
 * })
 * ```
 */
export const twilio: SchemeFactory<SecretOptions & UrlOptions> = defineScheme({
  name: 'twilio',
  sender: 'Twilio',
  secretName: 'primary auth token of the account',
  algorithm: 'hmac-sha1',
  key: 'text',
  signature: { headers: ['x-twilio-signature'], spelling: 'base64' },
  signs: ({ body, header, payload, publicUrl }) => {
    const urls = signedUrls(publicUrl)
    const signedWith = (text: string) => {
      const bytes = encoder.encode(text)
      return urls.map((url) => ({ before: url, body: bytes, after: '' }))
    }
    if (mediaTypeOf(header('content-type') ?? FORM) !== FORM) {
      const divider = urls[0]?.includes('?') ? '&' : '?'
      return whenKnown(bodyHash(body, 'hex'), (hash) => signedWith(`${divider}bodySHA256=${hash}`))
    }
    const form = payload()
    const fields = form === undefined ? undefined : fieldsOf(form)
    // Otherwise a captured JSON delivery could be replayed as a form with one such field.
    return fields === undefined || /^[?&]bodySHA256=/.test(fields) ? undefined : signedWith(fields)
  },
  takes: ['publicUrl'],
  eventId: { header: 'i-twilio-idempotency-token' },
  content: ['form', 'json'],
  maxBodyBytes: 262_144,
  limits:
    'The time and the headers are not signed. A form’s names and values are joined without a separator: NumMedia=0 and NumMedi=a0 have the same signature.',
})
