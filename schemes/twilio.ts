import { sha256 } from '#crypto'
import { byteText, decodeUtf8 } from '../src/lib/bytes.ts'
import { mediaTypeOf } from '../src/lib/content-type.ts'
import { whenKnown } from '../src/lib/maybe-promise.ts'
import {
  defineScheme,
  type SchemeFactory,
  type SecretOptions,
  type UrlOptions,
} from '../src/scheme/define-scheme.ts'
import type { FormField } from '../src/scheme/form-fields.ts'

const FORM = 'application/x-www-form-urlencoded'
const URL_PARTS = /^(https?:\/\/)([^/?#]*?)(:[0-9]+)?([/?][^#]*)?(?:#.*)?$/i
const HASH_IN_URL = /[?&]bodySHA256=[0-9a-f]{64}$/
const encoder = new TextEncoder()
const LONGEST_REPEATED = 4096
const NO_BYTES = new Uint8Array(0)

/** A URL that Twilio may have signed, without its query, and its query. Undefined if the URL has no question mark. */
interface SignedUrl {
  readonly base: string
  readonly query: string | undefined
}

/** The URLs that Twilio may have signed: as configured, or as a URL parser writes them. */
function signedUrls(publicUrl: string): readonly SignedUrl[] {
  return [...new Set([publicUrl, new URL(publicUrl).href])].flatMap(withAndWithoutPort)
}

/** Drops the fragment, which is never sent, and `bodySHA256`, which Twilio adds to each request. */
function withAndWithoutPort(publicUrl: string): readonly SignedUrl[] {
  const [, scheme = '', host = '', port, rest = ''] = URL_PARTS.exec(publicUrl) ?? []
  const [path = '', ...more] = rest.replace(HASH_IN_URL, '').split('?')
  const query = more.length > 0 ? more.join('?') : undefined
  const defaultPort = scheme.toLowerCase() === 'https://' ? ':443' : ':80'
  return ['', port ?? defaultPort].map((each) => ({ base: scheme + host + each + path, query }))
}

const textOf = ({ base, query }: SignedUrl) => (query === undefined ? base : `${base}?${query}`)
/** How the text of every GET to this URL begins, if Twilio adds its parameters after those of the URL. */
const startOfGet = ({ base, query }: SignedUrl) => (query === undefined ? `${base}?` : `${base}?${query}&`)

/**
 * Whether a GET with this query may be one to the configured URL. No POST has the same text, so none can be replayed as a
 * GET: the text of a form goes on right after the configured query, and that of JSON ends with `bodySHA256`.
 */
function isQueryOfGet(sent: string, urls: readonly SignedUrl[]): boolean {
  const pairs = new Set(sent.split('&'))
  return (
    sent !== '' &&
    !HASH_IN_URL.test(`?${sent}`) &&
    urls.some(({ query = '' }) => query === '' || query.split('&').every((pair) => pairs.has(pair))) &&
    urls.every(
      ({ query }) => query === undefined || !sent.startsWith(query) || sent.charAt(query.length) === '&',
    )
  )
}

/**
 * Concatenates names and values, sorted by name. The values of a repeated name are sorted, without duplicates. Undefined if one
 * of those is over 4 KB.
 */
function signedFields(fields: readonly FormField[]): Uint8Array | undefined {
  const byName = new Map<string, Uint8Array[]>()
  for (const { name, value } of fields) {
    const values = byName.get(name)
    if (values) values.push(value)
    else byName.set(name, [value])
  }
  const parts: Uint8Array[] = []
  for (const [name, values] of [...byName].sort(([left], [right]) => (left < right ? -1 : 1))) {
    const ordered = values.length > 1 ? distinct(values) : values
    if (ordered === undefined) return undefined
    for (const value of ordered) parts.push(encoder.encode(name), value)
  }
  const signed = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    signed.set(part, at)
    at += part.length
  }
  return signed
}

function distinct(values: readonly Uint8Array[]): readonly Uint8Array[] | undefined {
  const texts = values.map((value) => (value.length > LONGEST_REPEATED ? undefined : decodeUtf8(value)))
  return texts.includes(undefined)
    ? undefined
    : [...new Set(texts)].sort().map((text) => encoder.encode(text))
}

/**
 * Twilio: `X-Twilio-Signature`, by HMAC-SHA1, the only algorithm that Twilio offers. The key is the account's
 * primary auth token, on the Console's first page. Pass the webhook's URL as `publicUrl`, exactly as you
 * entered it. A `bodySHA256` at its end is ignored, because Twilio adds one to each request. The signature
 * covers the URL, and every field of a form or a hash of a JSON body.
 *
 * GET webhooks are accepted too: mount the route for GET. Their payload is the query of the request, which has to contain
 * that of `publicUrl`, and `event.rawBody` is the text of that query.
 *
 * hookgate knows a duplicate by its signed values, because anyone can change `I-Twilio-Idempotency-Token`. A call that fetches
 * the same TwiML twice with the same digits repeats these values; for such calls, pass `dedupe: 'off'` or
 * `'id'`.
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
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha1',
  key: 'text',
  signature: { headers: ['x-twilio-signature'], spelling: 'base64' },
  methods: ['POST', 'GET'],
  signs: ({ body, fields, header, method, payload, publicUrl, queryText }) => {
    const urls = signedUrls(publicUrl)
    if (method === 'GET') {
      const sent = queryText() ?? ''
      if (payload() === undefined || !isQueryOfGet(sent, urls)) return undefined
      return urls.map(({ base }) => ({ before: `${base}?${sent}`, body: NO_BYTES, after: '' }))
    }
    const signedWith = (bytes: Uint8Array) =>
      urls.map((url) => ({ before: textOf(url), body: bytes, after: '' }))
    if (mediaTypeOf(header('content-type') ?? FORM) !== FORM) {
      const divider = urls[0]?.query === undefined ? '?' : '&'
      return whenKnown(sha256(body, 'hex'), (hash) =>
        signedWith(encoder.encode(`${divider}bodySHA256=${hash}`)),
      )
    }
    const form = fields()
    const signed = form && signedFields(form)
    if (signed === undefined) return undefined
    // Otherwise a captured GET, or JSON, could be replayed as a form with such a field.
    const starts = urls.map(startOfGet)
    const longest = Math.max(...starts.map(({ length }) => length))
    const begin = byteText(signed.subarray(0, longest))
    const isOfGet = urls.some((url) => starts.some((start) => (textOf(url) + begin).startsWith(start)))
    return isOfGet ? undefined : signedWith(signed)
  },
  takes: ['publicUrl'],
  eventId: { header: 'i-twilio-idempotency-token' },
  content: ['form', 'json'],
  maxBodyBytes: 262_144,
  facts: {
    otherKeys: { SK: 'the SID of an API key', AC: 'the SID of an account' },
    otherSecrets:
      'each account and subaccount has its own, Twilio signs with the primary one, and never with an API key',
  },
  limits:
    'The time and the headers are not signed. A form’s names and values are joined without a separator, to each other and to the URL: NumMedia=0 and NumMedi=a0 have the same signature.',
})
