import { createHash } from 'node:crypto'
import { NOW } from '../common.mjs'
import { doubled, replaced, without } from '../deliver.mjs'
import { secretsOf } from '../keys.mjs'
import { hmac } from '../sign.mjs'

const keys = secretsOf('rfc9421')
const URL = 'https://receiver.example/hooks/rfc9421?tenant=7'
const BODY = '{"type": "made.up", "note": "Gr\u00fc\u00dfe"}'
const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
const missing = { ok: false, status: 401, reason: 'auth_missing' }
const stale = { ok: false, status: 400, reason: 'timestamp_out_of_range' }

const USUAL = ['@method', '@target-uri', 'content-type', 'content-digest']
const digestOf = (body, name = 'sha-256') =>
  `${name}=:${createHash(name.replace('-', '')).update(body).digest('base64')}:`

/** RFC 9421 as its text describes it. Each option is something that another sender or an attacker would do. */
function signed({
  secret = keys.new,
  components = USUAL,
  body = BODY,
  digest = digestOf(body),
  url = URL,
  method = 'POST',
  parameters = `;created=${NOW};keyid="key-1";alg="hmac-sha256"`,
  write = (raw) => raw.toString('base64'),
  signs = {},
}) {
  const { host, pathname, search } = new globalThis.URL(url)
  const values = {
    '@method': method,
    '@target-uri': url,
    '@authority': host,
    '@path': pathname,
    '@query': search,
    '@scheme': 'https',
    '@request-target': pathname + search,
    'content-type': 'application/json',
    'content-digest': digest,
  }
  const usual = components.map((name) => [`"${name}"`, values[name]])
  const all = [...usual, ...Object.entries(signs)]
  const input = `(${all.map(([identifier]) => identifier).join(' ')})${parameters}`
  const lines = [
    ...all.map(([identifier, value]) => `${identifier}: ${value}`),
    `"@signature-params": ${input}`,
  ]
  const text = Buffer.from(lines.join('\n'), 'latin1')
  return { digest, input, signature: `:${write(hmac('sha256', secret, [text]))}:` }
}

function delivery(how = {}) {
  const { digest, input, signature } = signed(how)
  const list = [
    ['Content-Type', 'application/json'],
    ['Content-Digest', how.sentDigest ?? digest],
    ...(how.fields ?? []),
    ['Signature-Input', how.sentInput?.(input) ?? `sig1=${input}`],
    ['Signature', how.sentSignature?.(signature) ?? `sig1=${signature}`],
  ]
  const headers = how.headers?.(list) ?? list
  return { method: 'POST', headers, body: Buffer.from(how.sentBody ?? how.body ?? BODY) }
}

const given = (name, how, expect, more = {}) => ({
  name,
  delivery: delivery(how),
  expect,
  otherBody: how?.body !== undefined,
  ...more,
})
const refused = (name, how, more) => given(name, how, mismatch, more)
const at = (name, created, expect, more) =>
  given(name, { parameters: `;created=${created}` }, expect, { sentAt: created, ...more })

const DIGEST = 'The SDK never compares Content-Digest with the body. Without that, the body is not signed.'
const UNPARSED = 'The SDK checks only the request’s headers.'
const LENIENT = 'The SDK decodes leniently. Senders use one spelling, so we accept no other.'
const JOINED =
  'Node joins repeated headers with a comma and the SDK reads the result as a list. We refuse a repeated signature header.'
const BYTES = 'Node joins the lines of a header before the SDK sees them. hookgate verifies each line.'
const UTF8 = 'The SDK signs the UTF-8 of a header. RFC 9421 signs its bytes.'
const NAMES = 'The SDK leaves keyid to the function that looks the key up.'
const LAST = 'The SDK lets the last signature decide. For hookgate, one valid signature is enough.'

const cases = () => [
  given('a delivery as the sender makes it', {}, { ok: true }),
  given(
    'signed with the second secret of a rotation',
    { secret: keys.old, parameters: `;created=${NOW};keyid="key-2"` },
    { ok: true, secretId: 'key-2' },
  ),
  refused('the name of the other key', { parameters: `;created=${NOW};keyid="key-2"` }, { lax: NAMES }),
  refused('the name of no key', { parameters: `;created=${NOW};keyid="key-3"` }, { lax: NAMES }),
  refused('signed with another account\u2019s secret', { secret: keys.foreign }),
  given(
    'every derived component of a request',
    {
      components: [
        '@method',
        '@authority',
        '@scheme',
        '@path',
        '@query',
        '@request-target',
        'content-digest',
      ],
    },
    { ok: true },
  ),
  given('nothing but the digest', { components: ['content-digest'] }, { ok: true }),
  given('an empty header', { signs: { '"x-id"': '' }, fields: [['X-Id', '']] }, { ok: true }),
  refused('an empty header that did not arrive', { signs: { '"x-id"': '' } }),
  given(
    'a header in two lines',
    {
      signs: { '"x-id"': 'a, b' },
      fields: [
        ['X-Id', 'a'],
        ['X-Id', 'b'],
      ],
    },
    { ok: true },
  ),
  given(
    'the bytes of a header’s two lines',
    {
      signs: { '"x-id";bs': ':YQ==:, :Yg==:' },
      fields: [
        ['X-Id', 'a'],
        ['X-Id', 'b'],
      ],
    },
    { ok: true },
    { strict: BYTES },
  ),
  refused('the bytes of two lines that arrived as one', {
    signs: { '"x-id";bs': ':YQ==:, :Yg==:' },
    fields: [['X-Id', 'a, b']],
  }),
  given(
    'the bytes of a header with commas',
    { signs: { '"x-id";bs': ':YSwgYg==:' }, fields: [['X-Id', 'a, b']] },
    { ok: true },
  ),
  given('a parameter of the query', { signs: { '"@query-param";name="tenant"': '7' } }, { ok: true }),
  refused('a parameter of the query that is missing', { signs: { '"@query-param";name="id"': '7' } }),
  given(
    'a header outside ASCII',
    { signs: { '"x-id"': 'Gr\u00fc\u00dfe' }, fields: [['X-Id', 'Gr\u00fc\u00dfe']] },
    { ok: true },
    { strict: UTF8 },
  ),
  refused('a header whose characters are 256 higher', {
    signs: { '"x-id"': '1acme' },
    fields: [['X-Id', '\u0131\u0161\u0163\u016d\u0165']],
  }),
  given('no parameters but the time', { parameters: `;created=${NOW}` }, { ok: true }),
  given('a tag and a nonce', { parameters: `;created=${NOW};nonce="a\\"b";tag="made-up"` }, { ok: true }),
  given('a digest by SHA-512', { digest: digestOf(BODY, 'sha-512') }, { ok: true }),
  given(
    'two digests, both right',
    { digest: `${digestOf(BODY)}, ${digestOf(BODY, 'sha-512')}` },
    { ok: true },
  ),
  refused(
    'two digests, the second of another body',
    { digest: `${digestOf(BODY)}, ${digestOf('{}', 'sha-512')}` },
    { lax: DIGEST },
  ),
  refused('a digest by MD5 alone', { digest: digestOf(BODY, 'md5') }, { lax: DIGEST }),
  refused('one byte of the body changed', { sentBody: BODY.replace('made', 'makes') }, { lax: DIGEST }),
  refused('a space after the body', { sentBody: `${BODY} ` }, { lax: DIGEST }),
  refused('another body with its digest', { sentBody: '{}', sentDigest: digestOf('{}') }),
  refused('a digest that is not signed', { components: ['@method', '@target-uri', 'content-type'] }),
  given('a body with CRLF line ends', { body: '{\r\n  "note": 1\r\n}' }, { ok: true }),
  given('an empty object', { body: '{}' }, { ok: true }),
  given(
    'a body that is not JSON, correctly signed',
    { body: '{"note": ' },
    { ok: false, status: 400, reason: 'body_not_json' },
    { lax: UNPARSED },
  ),
  refused('signed for another URL', { url: 'https://receiver.example/hooks/other' }),
  refused('signed for another method', { method: 'PUT' }),
  refused('another time than was signed', {
    sentInput: (input) => `sig1=${input.replace(`${NOW}`, `${NOW - 1}`)}`,
  }),
  refused('a component taken off the list', {
    sentInput: (input) => `sig1=${input.replace('"@method" ', '')}`,
  }),
  refused('a component that came in no header', {
    sentInput: (input) => `sig1=${input.replace('"@method"', '"x-other"')}`,
  }),
  at('signed 300 s ago', NOW - 300, { ok: true }),
  at('signed 301 s ago', NOW - 301, stale),
  at('a day old', NOW - 86_400, stale),
  at('a day ahead', NOW + 86_400, stale),
  at(
    'signed 2 s ahead, by a clock that is fast',
    NOW + 2,
    { ok: true },
    {
      strict: 'By default, the SDK allows no time in the future. Clocks differ.',
    },
  ),
  given(
    'no time',
    { parameters: ';keyid="key-1"' },
    { ok: false, status: 400, reason: 'timestamp_malformed' },
  ),
  given('an end that has not come', { parameters: `;created=${NOW};expires=${NOW}` }, { ok: true }),
  refused('an end that has passed', { parameters: `;created=${NOW};expires=${NOW - 1}` }),
  refused('another algorithm in the parameters', { parameters: `;created=${NOW};alg="ed25519"` }),
  refused('a truncated signature', { write: (raw) => raw.subarray(0, 16).toString('base64') }),
  refused('a lengthened signature', {
    write: (raw) => Buffer.concat([raw, Buffer.of(0)]).toString('base64'),
  }),
  refused(
    'the signature without its padding',
    { write: (raw) => raw.toString('base64').replace(/=+$/, '') },
    { lax: LENIENT },
  ),
  refused('the signature in base64url', {
    write: (raw) => raw.toString('base64url').replace(/[^-_]$/, '-'),
  }),
  refused('the signature in hex', { write: (raw) => raw.toString('hex') }),
  refused('a signature of zeros', { write: (raw) => Buffer.alloc(raw.length).toString('base64') }),
  given('no signature', { headers: without('Signature') }, missing),
  given('an empty signature', { headers: replaced('Signature', '') }, missing),
  given('no signature input', { headers: without('Signature-Input') }, missing),
  given('the signature twice', { headers: doubled('Signature') }, mismatch, { lax: JOINED }),
  given('the signature input twice', { headers: doubled('Signature-Input') }, mismatch, { lax: JOINED }),
  refused('no digest', { headers: without('Content-Digest') }),
  refused('a signature under another label', { sentSignature: (signature) => `sig2=${signature}` }),
  given(
    'a right signature, then one of a proxy',
    {
      sentInput: (input) => `sig1=${input}, proxy=("@method");created=${NOW};keyid="proxy"`,
      sentSignature: (signature) => `sig1=${signature}, proxy=:AAAA:`,
    },
    { ok: true },
    { strict: LAST },
  ),
  given(
    'one of a proxy with parameters of components, then a right one',
    {
      sentInput: (input) => `proxy=("@method";req "cookie";key="a b");created=${NOW}, sig1=${input}`,
      sentSignature: (signature) => `proxy=:AAAA:, sig1=${signature}`,
    },
    { ok: true },
    { strict: LAST },
  ),
  refused(
    'one label twice',
    {
      sentInput: (input) => `sig1=("@method");created=${NOW}, sig1=${input}`,
      sentSignature: (signature) => `sig1=:AAAA:, sig1=${signature}`,
    },
    { lax: 'The SDK uses the last of two equal labels. No sender repeats a label.' },
  ),
]

export default [
  {
    scheme: 'rfc9421',
    sdk: 'http-message-signatures',
    now: NOW,
    keys,
    options: {
      secrets: [
        { id: 'key-1', secret: keys.new },
        { id: 'key-2', secret: keys.old },
      ],
      publicUrl: URL,
    },
    time: { unit: 'seconds', of: 'attempt' },
    cases,
    notApplicable: {},
  },
]
