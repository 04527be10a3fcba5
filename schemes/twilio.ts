import { mediaTypeOf } from '../src/lib/content-type.ts'
import type { Json } from '../src/lib/json.ts'
import { whenKnown } from '../src/lib/maybe-promise.ts'
import { bodyHash } from '../src/scheme/body-hash.ts'
import { defineScheme, type SchemeFactory, type SecretOptions, type UrlOptions } from '../src/scheme/index.ts'

const FORM = 'application/x-www-form-urlencoded'
const URL_PARTS = /^(https?:\/\/)([^/?#]*?)(:[0-9]+)?([/?][^#]*)?(?:#.*)?$/i
const HASH_IN_URL = /[?&]bodySHA256=[0-9a-f]{64}$/
const encoder = new TextEncoder()

/** With the port and without: Twilio does either. The fragment is never sent, and a body's hash is added for each body. */
function signedUrls(publicUrl: string): readonly [string, string] {
  const [, scheme = '', host = '', port, path = ''] = URL_PARTS.exec(publicUrl) ?? []
  const rest = path.replace(HASH_IN_URL, '')
  const defaultPort = scheme.toLowerCase() === 'https://' ? ':443' : ':80'
  return [scheme + host + rest, scheme + host + (port ?? defaultPort) + rest]
}

/** Each name with its value, by name; the values of one name once each, sorted. */
function fieldsOf(form: Json): string {
  return Object.entries(form ?? {})
    .sort(([name], [other]) => (name < other ? -1 : 1))
    .flatMap(([name, values]) => [...new Set([values].flat())].sort().map((value) => `${name}${value}`))
    .join('')
}

/**
 * Twilio: `X-Twilio-Signature`. The key is the account's primary auth token, on the Console's first page; Twilio has
 * nothing better than HMAC-SHA1. Give the webhook's URL as you typed it into Twilio as `publicUrl`. A `bodySHA256` at its
 * end is ignored, because Twilio adds one to each request. Of a form the signature covers the URL and every field, of JSON
 * the URL and a hash of the body.
 *
 * The signed values are claimed, because anyone can change `I-Twilio-Idempotency-Token`. A call that fetches the same TwiML
 * twice, with the same digits, repeats them: give `dedupe: 'off'` or `'id'` there. GET webhooks are refused.
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
    const signedWith = (text: string) => urls.map((url) => encoder.encode(url + text))
    if (mediaTypeOf(header('content-type') ?? FORM) !== FORM) {
      const divider = urls[0].includes('?') ? '&' : '?'
      return whenKnown(bodyHash(body, 'hex'), (hash) => signedWith(`${divider}bodySHA256=${hash}`))
    }
    const form = payload()
    const fields = form === undefined ? undefined : fieldsOf(form)
    // Otherwise a captured JSON delivery could come again as a form with one such field.
    return fields === undefined || /^[?&]bodySHA256=/.test(fields) ? undefined : signedWith(fields)
  },
  takes: ['publicUrl'],
  eventId: { header: 'i-twilio-idempotency-token' },
  content: ['form', 'json'],
  maxBodyBytes: 262_144,
  limits:
    'No time is signed, nor the headers. Nothing divides a form’s names from its values: NumMedia=0 and NumMedi=a0 have one signature.',
})
