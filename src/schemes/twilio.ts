import { sha256 } from '#crypto'
import type { FormField, ParseResult } from '../body.ts'
import type { Signed } from '../crypto/algorithms.ts'
import { byteText, decodeUtf8, encodeUtf8, joined } from '../lib/bytes.ts'
import { mediaTypeOf } from '../lib/content-type.ts'
import { whenKnown } from '../lib/maybe-promise.ts'
import type { CompiledScheme } from '../protocol.ts'
import type { SchemeRequest, SignedBytes } from '../scheme.ts'
import { warnOfCut } from './kit/cut-secrets.ts'
import { type SchemeFactory, type SecretOptions, schemeOf, type UrlOptions } from './kit/define-scheme.ts'
import { FORM } from './kit/form-fields.ts'
import { FORMS } from './kit/forms.ts'
import { PRE_AUTH_BODY } from './kit/pre-auth-body.ts'
import { signedRequest } from './kit/signed-text.ts'
import {
  ANOTHER_QUERY,
  hasQuery,
  QUERY_NOT_DIVIDED,
  requestedQuery,
  signedBytesFor,
  type UrlParts,
  urlParts,
  urlText,
} from './kit/signed-url.ts'

const URL_PARTS = /^(https?:\/\/)([^/?#]*?)(:[0-9]+)?([/?][^#]*)?(?:#.*)?$/i
/** The first field of every form, in Twilio's order. */
const FIRST_FIELD = 'AccountSid'
const EQUALS_SIGN = 0x3d
/** Twilio appends it to the query. */
const ADDED_HASH = /(?:^\?|&)bodySHA256=[0-9a-f]{64}$/
const LONGEST_REPEATED = 4096
const NO_BYTES = new Uint8Array(0)

/** The URLs that Twilio may have signed: as configured, or as a URL parser writes them. */
function signedUrls(publicUrl: string): readonly UrlParts[] {
  return [...new Set([publicUrl, new URL(publicUrl).href])].flatMap(withAndWithoutPort)
}

/** Drops the fragment, which is never sent, and `bodySHA256`, which Twilio adds to each request. */
function withAndWithoutPort(publicUrl: string): readonly UrlParts[] {
  const [, scheme = '', host = '', port, rest = ''] = URL_PARTS.exec(publicUrl) ?? []
  const { base: path, query } = urlParts(rest)
  const defaultPort = scheme.toLowerCase() === 'https://' ? ':443' : ':80'
  return ['', port ?? defaultPort].map((each) => ({
    base: scheme + host + each + path,
    query: withoutHash(query),
    fragment: '',
  }))
}

const withoutHash = (query: string) => query.replace(ADDED_HASH, '')

/**
 * A query as a URL parser writes it, and as received: Twilio has signed both. The first is the same for both, so that a delivery
 * is known again under another spelling.
 */
function spellings(query: string): readonly string[] {
  const escaped = query.replace(/["'<>]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
  return escaped === query ? [query] : [escaped, query]
}

/** Sorts a query by name: Twilio has signed sorted queries that it then sent unsorted (twilio/twilio-php#790). */
function sortedQuery(query: string): string {
  const named = query
    .slice(1)
    .split('&')
    .map((pair) => ({ pair, name: pair.split('=', 1)[0] ?? '' }))
  const sorted = named.sort((left, right) => Number(left.name > right.name) - Number(left.name < right.name))
  return `?${sorted.map(({ pair }) => pair).join('&')}`
}

/** Whether a request's query is the configured one. */
function isConfigured(sent: string, url: UrlParts): boolean {
  const isAsSigned = hasQuery(urlText(url), sent)
  return (
    isAsSigned || (url.query !== '' && hasQuery(urlText({ ...url, query: sortedQuery(url.query) }), sent))
  )
}

/** How the text of every GET to this URL begins, if Twilio adds its parameters after those of the URL. */
const startOfGet = ({ base, query }: UrlParts) => (query === '' ? `${base}?` : `${base}${query}&`)

/**
 * Whether a GET with this query may be one to the configured URL. No POST has the same text, so none can be replayed as a
 * GET: the text of a form goes on right after the configured query, and that of JSON ends with `bodySHA256`. After a query that
 * is not configured, a form goes on with the name and the value of `AccountSid`, without a `=` between them.
 */
function isQueryOfGet(sent: string, urls: readonly UrlParts[]): boolean {
  const pairs = new Set(sent.slice(1).split('&'))
  const configured = urls.map(({ query }) => query.slice(1)).filter((query) => query !== '')
  return (
    sent.length > 1 &&
    !ADDED_HASH.test(sent) &&
    (configured.length === 0 ||
      configured.some((query) => query.split('&').every((pair) => pairs.has(pair)))) &&
    urls.every(({ query }) => query === '' || !sent.startsWith(query) || sent.charAt(query.length) === '&') &&
    (configured.length > 0 || sent.split(FIRST_FIELD, 2)[1]?.startsWith('=') !== false)
  )
}

/**
 * Whether a form's text shows where the query before it ends: at the first `AccountSid`. Twilio sends this field with every form, and
 * no documented name sorts before it.
 */
function isDivided(query: string, fields: readonly FormField[]): boolean {
  const isFirst = fields.every(({ name, value }) => {
    return name === FIRST_FIELD ? value[0] !== EQUALS_SIGN : name > FIRST_FIELD
  })
  return isFirst && fields.some(({ name }) => name === FIRST_FIELD) && !query.includes(FIRST_FIELD)
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
    for (const value of ordered) parts.push(encodeUtf8(name), value)
  }
  return joined(parts)
}

function distinct(values: readonly Uint8Array[]): readonly Uint8Array[] | undefined {
  const texts = values.map((value) => (value.length > LONGEST_REPEATED ? undefined : decodeUtf8(value)))
  return texts.includes(undefined) ? undefined : [...new Set(texts)].sort().map((text) => encodeUtf8(text))
}

/** A request's text: the URL, with the request's own query where `publicUrl` has none, and what follows it. */
function signedWith(
  urls: readonly UrlParts[],
  open: string | undefined,
  body: Uint8Array,
): readonly Signed[] {
  return urls.flatMap(({ base, query }) =>
    (open === undefined ? [query] : spellings(open)).map((each) => ({
      before: base + each,
      body,
      after: '',
    })),
  )
}

function signedGet({ payload, refuse }: SchemeRequest, urls: readonly UrlParts[], sent: string | undefined) {
  if (sent === undefined || payload() === undefined) return undefined
  if (isQueryOfGet(sent, urls)) return signedWith(urls, sent, NO_BYTES)
  return urls.some(({ query }) => query !== '') ? refuse(ANOTHER_QUERY) : undefined
}

/** `added` is the query with the hash that Twilio has added to it, if it has one. */
function signedJson(
  { body, refuse }: SchemeRequest,
  urls: readonly UrlParts[],
  open: string | undefined,
  added: string | undefined,
) {
  if (open?.includes(FIRST_FIELD)) return refuse(QUERY_NOT_DIVIDED)
  const divider = open !== undefined || urls[0]?.query !== '' ? '&' : '?'
  return whenKnown(sha256(body, 'hex'), (hash) =>
    added?.endsWith(hash) === false
      ? undefined
      : signedWith(urls, open, encodeUtf8(`${divider}bodySHA256=${hash}`)),
  )
}

function signedForm(
  { fields, refuse }: SchemeRequest,
  urls: readonly UrlParts[],
  open: string | undefined,
  starts: readonly string[],
) {
  const form = fields()
  const signed = form && signedFields(form)
  if (signed === undefined) return undefined
  if (open !== undefined) {
    return isDivided(open, form ?? []) ? signedWith(urls, open, signed) : refuse(QUERY_NOT_DIVIDED)
  }
  // Otherwise a captured GET, or JSON, could be replayed as a form with such a field.
  const begin = byteText(signed.subarray(0, Math.max(...starts.map(({ length }) => length))))
  const isOfGet = urls.some(({ base, query }) =>
    starts.some((start) => (base + query + begin).startsWith(start)),
  )
  return isOfGet ? undefined : signedWith(urls, undefined, signed)
}

function signedTo(publicUrl: string): SignedBytes {
  const urls = signedUrls(publicUrl)
  const starts = urls.map(startOfGet)
  return (request) => {
    const { header, method, refuse, url } = request
    const sent = url === undefined ? undefined : requestedQuery(url, publicUrl)
    if (typeof sent === 'object') return refuse(sent.problem)
    if (method === 'GET') return signedGet(request, urls, sent)
    const isJson = mediaTypeOf(header('content-type') ?? FORM) !== FORM
    const query = isJson && sent !== undefined ? withoutHash(sent) : sent
    const open = query !== '' && urls.every((each) => each.query === '') ? query : undefined
    if (query !== undefined && open === undefined && !urls.some((each) => isConfigured(query, each))) {
      return refuse(ANOTHER_QUERY)
    }
    return isJson
      ? signedJson(request, urls, open, sent === query ? undefined : sent)
      : signedForm(request, urls, open, starts)
  }
}

/**
 * The payload of a form lists the values of a repeated field as they are signed: as a sorted set, of which a single value is no list.
 * Otherwise anyone could repeat a value of a captured delivery, or change the order.
 */
const listsSets = ({ readerFor }: CompiledScheme): Partial<CompiledScheme> => ({
  readerFor(mediaType) {
    const read = readerFor(mediaType)
    const isForm = mediaType === undefined || mediaType === FORM
    return read && isForm ? (body, limits) => withSets(read(body, limits)) : read
  },
})

function withSets(form: ParseResult): ParseResult {
  if ('reason' in form) return form
  const fields = Object.entries(form.payload ?? {}).map(([name, value]) => {
    const values = [...new Set([value].flat())].sort()
    return [name, values.length > 1 ? values : values[0]]
  })
  return { payload: Object.fromEntries(fields) } // creates own members, even for `__proto__`
}

/**
 * Verifies webhooks from Twilio by their `X-Twilio-Signature` header; it is an HMAC-SHA1, the only algorithm that Twilio
 * offers. The key is the account's primary auth token, on the Console's first page. Pass the webhook's URL as `publicUrl`,
 * exactly as you entered it. A `bodySHA256` at its end is ignored, because Twilio adds one to each request. The signature
 * covers the URL, and every field of a form or a hash of a JSON body. It covers the values of a repeated field as a sorted
 * set, and so does `event.payload` list them: `a=1&a=1` is `{ a: '1' }`.
 *
 * If `publicUrl` has no query, that of the request is verified. It may differ from call to call. A form then needs `AccountSid` as
 * the first of its sorted fields, as Twilio sends it, and not in the query: otherwise nothing shows where the query ends, and
 * `publicUrl` must have it.
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
export const twilio: SchemeFactory<SecretOptions & UrlOptions> = schemeOf(
  {
    name: 'twilio',
    sender: 'Twilio',
    secretName: 'primary auth token of the account',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha1',
    key: 'text',
    signature: { headers: ['x-twilio-signature'], spelling: 'base64' },
    methods: ['POST', 'GET'],
    signs: /* @__PURE__ */ signedBytesFor(signedTo),
    takes: ['publicUrl'],
    eventId: { header: 'i-twilio-idempotency-token' },
    content: ['form', 'json'],
    maxBodyBytes: 262_144,
    facts: {
      unsigned: false,
      otherKeys: { SK: 'the SID of an API key', AC: 'the SID of an account' },
      hexDigits: 32,
      otherSecrets:
        'each account and subaccount has its own, Twilio signs with the primary one, and never with an API key',
    },
    limits:
      'The time and the headers are not signed. A form’s names and values are joined without a separator, to each other and to the URL: NumMedia=0 and NumMedi=a0 have the same signature.',
  },
  {
    preAuth: PRE_AUTH_BODY,
    differs: listsSets,
    forms: FORMS,
    requests: signedRequest,
    checksSecret: warnOfCut,
  },
)
