// Hostile deliveries, each as large as allowed and hard on some parser. All are refused.
import { hookgateListener } from './hmac.mjs'
import { requestBytes } from './http/client.mjs'
import { jwtListener } from './jwt.mjs'
import { newKey } from './tokens.mjs'
import { deliveryOf, flat, now } from './workload.mjs'

const BODY = 65_536
const HEADERS = 16_384
const EVENT_ID = '7f1d3c5e-0a4b-4c8d-9e2f-000000000001'

/** `start`, as many different `part(index)` as fit, joined by commas, and `end`. */
function filled(start, part, end, size = BODY) {
  const parts = []
  let length = start.length + end.length
  for (let index = 0; ; index += 1) {
    const next = part(index)
    length += next.length + 1
    if (length > size) return start + parts.join(',') + end
    parts.push(next)
  }
}

const deep = (open, close, size) => open.repeat(size / 2) + close.repeat(size / 2)
const digits = (count) => '9'.repeat(count)

const BODIES = {
  'arrays in arrays': deep('[', ']', BODY),
  'objects in objects': `${'{"":'.repeat(13_000)}0${'}'.repeat(13_000)}`,
  'many short names': filled('{', (index) => `"${index.toString(36)}":0`, '}'),
  'names that are indexes': filled('{', (index) => `"${(index * 4_294_967) % 4_294_967_291}":0`, '}'),
  'falling indexes': filled('{', (index) => `"${4_294_967_290 - index * 9973}":0`, '}'),
  'one name again and again': filled('{', (index) => `"a":${index % 10}`, '}'),
  '__proto__ again and again': filled('{', () => '"__proto__":{}', '}'),
  'objects of different shapes': filled('[', (index) => `{"${index.toString(36)}":0,"b":1}`, ']'),
  'long shapes': filled('[', (index) => filled('{', (at) => `"${index}x${at}":1`, '}', 4000), ']'),
  'escapes in a string': `"${'\\u00e9'.repeat(10_922)}"`,
  'escapes in names': filled(
    '{',
    (index) => `"\\u00${(index % 256).toString(16).padStart(2, '0')}${index}":0`,
    '}',
  ),
  'escaped surrogates': `"${'\\ud83d\\ude00'.repeat(5461)}"`,
  'one number of 65,536 digits': digits(BODY),
  'a fraction of 65,534 digits': `0.${digits(BODY - 2)}`,
  'numbers of 767 digits': filled('[', () => `${digits(767)}.5e-300`, ']'),
  'small exponents': filled('[', () => '4.9e-324', ']'),
  'halfway numbers': filled(
    '[',
    (index) => `9007199254740993.${'0'.repeat(20 + (index % 5))}1e${index % 280}`,
    ']',
  ),
  'unfinished, at the end': `${deep('[', ']', BODY - 2)}[`,
  'unfinished, in a string': `"${'a'.repeat(BODY - 1)}`,
  'UTF-8 of 3 bytes': `"${'€'.repeat(21_844)}"`,
  'empty objects': filled('[', () => '{}', ']'),
  'white space': `${' '.repeat(BODY - 1)}0`,
}

/** Hostile tokens, which are parsed before authentication. */
const segment = (text) => Buffer.from(text).toString('base64url')
const HEADER = segment('{"alg":"ES256","kid":"k1"}')
const SIGNATURE = 'A'.repeat(86)
const roomy = 6000
const TOKENS = {
  'claims: arrays in arrays': `${HEADER}.${segment(`{"a":${deep('[', ']', roomy - 6)}}`)}.${SIGNATURE}`,
  'claims: many names': `${HEADER}.${segment(filled('{', (index) => `"${index.toString(36)}":0`, '}', roomy))}.${SIGNATURE}`,
  'claims: quotes': `${HEADER}.${segment(`{"a":"${'\\"'.repeat(roomy / 2 - 4)}"}`)}.${SIGNATURE}`,
  'header: many names': `${segment(filled('{', (index) => `"${index}":0`, '}', roomy))}.${segment('{}')}.${SIGNATURE}`,
  'header: digits': `${segment(`{"alg":${digits(roomy - 8)}}`)}.${segment('{}')}.${SIGNATURE}`,
  dots: '.'.repeat(8192),
  'one long segment': 'A'.repeat(8192),
}

/** Header values of up to 16 KB, for the regular expressions that read them. */
const HEADER_VALUES = {
  'Content-Type: parameters': [
    'content-type',
    `application/json${';a="\\""'.repeat(HEADERS)}`.slice(0, HEADERS),
  ],
  'Content-Type: 256 of spaces': ['content-type', `application/json${'; '.repeat(120)}`],
  'Content-Type: 256 of quotes': ['content-type', `application/json;a="${'\\"'.repeat(110)}`],
  'Webhook-Timestamp: digits': ['webhook-timestamp', digits(HEADERS)],
  'Webhook-Event-Id: hyphens': ['webhook-event-id', '-'.repeat(HEADERS)],
  'Webhook-Signature: 16 KB': ['webhook-signature', 'A'.repeat(HEADERS)],
  'Authorization: spaces': ['authorization', `Bearer ${' '.repeat(HEADERS)}`],
}

/** Yields [name, delivery, listener] for every kind. */
export function* strangers() {
  const byHmac = hookgateListener()
  const byToken = jwtListener(newKey('ES256'))
  const headersWith = (more) => ({
    'content-type': 'application/json',
    'webhook-timestamp': `${now()}`,
    'webhook-event-id': EVENT_ID,
    'webhook-signature': 'A'.repeat(43),
    authorization: `Bearer ${HEADER}.e30.${SIGNATURE}`,
    ...more,
  })
  for (const [name, text] of Object.entries(BODIES)) {
    const body = Buffer.from(text)
    if (body.length > BODY) throw new Error(`${name} is ${body.length} bytes long`)
    yield [`body: ${name}`, deliveryOf(headersWith(), body), byHmac]
  }
  const worst = Buffer.from(BODIES['many short names'])
  for (const [name, token] of Object.entries(TOKENS)) {
    const headers = headersWith({ authorization: flat(`Bearer ${token}`) })
    yield [`64 KB body and token: ${name}`, deliveryOf(headers, worst), byToken]
  }
  for (const [name, [header, value]] of Object.entries(HEADER_VALUES)) {
    const listener = header === 'authorization' ? byToken : byHmac
    yield [`64 KB body and ${name}`, deliveryOf(headersWith({ [header]: value }), worst), listener]
  }
}

/** Whole requests with 16 KB of headers in every shape, for the code between the socket and verify(). */
export function requests() {
  const body = Buffer.from(BODIES['many short names'])
  const required = {
    'content-type': 'application/json',
    'webhook-timestamp': `${now()}`,
    'webhook-event-id': EVENT_ID,
    'webhook-signature': 'A'.repeat(43),
  }
  const room = HEADERS - 600
  const lines = (line) =>
    Array.from({ length: Math.floor(room / (line(999).length + 2)) }, (_, index) => line(index))
  const shapes = {
    'one long header': [`x: ${'a'.repeat(room)}`],
    'many short headers': lines((index) => `${index.toString(36)}:`),
    'one header again and again': lines(() => 'x:'),
    'Webhook-Event-Id again and again': lines(() => `webhook-event-id: ${EVENT_ID}`),
    'X-Forwarded-For again and again': lines(() => 'x-forwarded-for: 10.0.0.1'),
    'X-Forwarded-For of 16 KB': [`x-forwarded-for: ${'10.0.0.1,'.repeat(room / 9)}`],
    cookies: lines((index) => `cookie: a${index}=b`),
  }
  return Object.entries(shapes).map(([name, extra]) => [
    `64 KB body and headers: ${name}`,
    requestBytes({ headers: required, extra, body }),
  ])
}
