import { hmac } from './sign.mjs'

/** Cases that only some senders have. */

const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }

export function githubCases() {
  const asForm = (list) =>
    list.map(([name, value]) => [name, name === 'Content-Type' ? 'application/x-www-form-urlencoded' : value])
  return [
    {
      name: 'a form with the JSON in its payload field',
      change: {
        body: 'payload=%7B%22action%22%3A%22opened%22%2C%22issue%22%3A%7B%22number%22%3A1%7D%7D',
        headers: asForm,
      },
      expect: { ok: true },
      otherBody: true,
    },
    {
      name: 'a form with one byte changed',
      change: {
        body: 'payload=%7B%22a%22%3A1%7D',
        headers: asForm,
        sentBody: () => 'payload=%7B%22a%22%3A2%7D',
      },
      expect: { ok: false, status: 401, reason: 'signature_mismatch' },
    },
    {
      name: 'the old SHA-1 signature alone',
      change: {
        headers: (list) =>
          list.map(([name, value]) =>
            name === 'X-Hub-Signature-256'
              ? ['X-Hub-Signature', `sha1=${value.slice(7, 47)}`]
              : [name, value],
          ),
      },
      expect: { ok: false, status: 401, reason: 'auth_missing' },
    },
    {
      name: 'the JSON with characters that GitHub escapes and others that it does not',
      change: { body: '{"title": "\\u003cb\\u003e \u2028 caf\u00e9 \\/"}' },
      expect: { ok: true },
      otherBody: true,
    },
  ]
}

export function shopifyCases() {
  const without = (name) => (list) => list.filter(([each]) => each !== name)
  const asEvents = (list) =>
    list.map(([name, value]) => [
      name.replace(/^X-(?=Shopify-)/, ''),
      name.endsWith('-Topic') ? 'Product' : value,
    ])
  return [
    {
      name: 'the headers of Events',
      change: { headers: asEvents },
      expect: { ok: true },
      id: 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043',
      type: null,
    },
    {
      name: 'no topic header, which nothing signs',
      change: { headers: without('X-Shopify-Topic') },
      expect: { ok: true },
      type: null,
      strict: 'The SDK requires five headers. They are not signed, so we do not need them.',
    },
  ]
}

export function linearCases({ keys }) {
  const body = (text) => ({ body: text, secret: keys.new })
  const malformed = { ok: false, status: 400, reason: 'timestamp_malformed' }
  return [
    {
      name: 'no time in the body',
      change: body('{"action": "create", "type": "Issue"}'),
      expect: malformed,
      otherBody: true,
    },
    {
      name: 'a fresh time in the header, which nothing signs, and a stale one in the body',
      change: { time: '1763639000000' },
      expect: { ok: false, status: 400, reason: 'timestamp_out_of_range' },
    },
  ]
}

/** DocuSign signs with each configured key and numbers the headers. */
function manyHeaders({ keys }) {
  const numbered = (name, secret, count, expect, more) => ({
    name,
    change: {
      also: ({ body }) => [
        `X-DocuSign-Signature-${count}`,
        hmac('sha256', secret, [body]).toString('base64'),
      ],
      ...more,
    },
    expect,
  })
  return [
    numbered('a second header, of a key that we do not have', keys.foreign, 2, { ok: true }),
    numbered(
      'a foreign first signature and a right second one',
      keys.old,
      2,
      { ok: true, secretId: 'old' },
      { secret: keys.foreign },
    ),
    numbered(
      'a foreign first signature and a right hundredth one',
      keys.old,
      100,
      { ok: true, secretId: 'old' },
      { secret: keys.foreign },
    ),
    numbered('two foreign signatures', keys.foreign, 2, mismatch, { secret: keys.foreign }),
  ]
}

const XML =
  '<?xml version="1.0" encoding="utf-8"?>\r\n<DocuSignEnvelopeInformation><Status>Completed</Status></DocuSignEnvelopeInformation>'
const typed = (type) => (list) =>
  list.map(([name, value]) => (name === 'Content-Type' ? [name, type] : [name, value]))

/** Several headers, and the format that Connect had before JSON. */
export const docusignCases = (recipe) => [
  ...manyHeaders(recipe),
  {
    name: 'XML, the older format',
    change: { body: XML, headers: typed('text/xml; charset=utf-8') },
    otherBody: true,
    expect: { ok: true },
  },
  {
    name: 'XML under its other type',
    change: { body: XML, headers: typed('application/xml') },
    otherBody: true,
    expect: { ok: true },
  },
  {
    name: 'XML with a byte order mark',
    change: { body: `\ufeff${XML}`, headers: typed('text/xml') },
    otherBody: true,
    expect: { ok: true },
  },
  {
    name: 'JSON that is called XML, whose type is not signed',
    change: { headers: typed('text/xml') },
    expect: { ok: false, status: 400, reason: 'body_malformed' },
  },
  {
    name: 'XML that is called JSON',
    change: { body: XML },
    expect: { ok: false, status: 400, reason: 'body_not_json' },
  },
  {
    name: 'XML in UTF-16',
    change: { body: Buffer.from(`\ufeff${XML}`, 'utf16le'), headers: typed('text/xml') },
    expect: { ok: false, status: 400, reason: 'body_malformed' },
  },
  {
    name: 'a content type that the sender does not send',
    change: { headers: typed('text/csv') },
    expect: { ok: false, status: 400, reason: 'content_type_not_accepted' },
  },
]
