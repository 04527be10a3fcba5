import { macOver, NOW } from '../common.mjs'
import { decoded, secretsOf, whsec } from '../keys.mjs'
import { polarCases } from '../polar-cases.mjs'
import { v1aCases } from '../v1a-cases.mjs'

export const SIGNED = ['{id}', '.', '{time}', '.', '{body}']

/** Standard Webhooks, version 1, and all senders that use it. */
export function standard(scheme, sdk, rest) {
  const family = rest.family ?? 'Webhook'
  const name = (which) => `${family}-${which}`
  return {
    scheme,
    sdk,
    now: NOW,
    keys: secretsOf(scheme, whsec),
    id: { header: name('Id'), signed: true, divider: '.', value: 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W' },
    time: { header: name('Timestamp'), unit: 'seconds', of: 'attempt', tolerance: 300 },
    signature: {
      header: name('Signature'),
      encoding: 'base64',
      prefix: 'v1,',
      otherPrefix: 'v2,',
      list: ' ',
      sign: macOver('sha256', SIGNED, decoded),
    },
    ...rest,
    moreCases: (recipe) => [...kinCases(recipe), ...(rest.moreCases?.(recipe) ?? [])],
  }
}

function kinCases({ signature, time, now }) {
  return [
    {
      name: 'a signature of another version, then the right one',
      change: { value: (value) => `v1a,${Buffer.alloc(64, 7).toString('base64')} ${value}` },
      expect: { ok: true },
    },
    {
      name: 'a list separated by commas instead of spaces',
      change: { value: (value) => `v1,${Buffer.alloc(32, 7).toString('base64')},${value}` },
      expect: { ok: false, status: 401, reason: 'signature_mismatch' },
    },
    {
      name: 'signed with the text of the secret instead of its bytes',
      change: { value: (_, { signWith }) => `v1,${plain(signWith)}` },
      expect: { ok: false, status: 401, reason: 'signature_mismatch' },
      skip: signature.plainKey,
    },
    {
      name: 'a time in milliseconds, which has too many digits',
      change: { time: `${now}000` },
      expect: { ok: false, status: 400, reason: 'timestamp_malformed' },
      lax: 'The SDK never checks the signed time.',
      skip: !time,
    },
  ]
}

/** A key that decodes to the text of the secret. */
const plain = (signWith) =>
  signWith({ secret: whsec(Buffer.from('the text of the secret, which is no key')) }).toString('base64')

const bare = 'The SDK accepts a signature without its prefix. The sender always writes the prefix.'

const openai = standard('openai', 'openai', {
  body: '{"object": "event", "id": "evt_685343a1381c819085d44c354e1b330e", "type": "response.completed", "created_at": 1763640000, "data": {"id": "resp_abc123"}}',
  expect: { type: 'response.completed' },
  why: {
    'the signature without its prefix': bare,
    'the prefix of another version': undefined,
  },
})

const replicate = standard('replicate', 'replicate', {
  blind: true,
  body: '{"id": "ufawqhfynnddngldkgtslldrkq", "version": "5c7d5dc6", "status": "succeeded", "output": ["a", "b"], "error": null}',
})

const FORM = 'application/x-www-form-urlencoded'

const MESSAGE = { ok: true, type: 'message' }

/** What an app behind hookgate's gateway gets: any body, which the gateway has signed. */
const gateway = standard('gateway', 'standardwebhooks', {
  id: {
    header: 'Webhook-Id',
    signed: true,
    divider: '.',
    value: '0f8fad5b-d9cb-469f-a165-70867728950e',
  },
  takesAnyBody: true,
  body: '{"id": "evt_1", "type": "invoice.paid", "data": {"object": {"id": "in_1", "amount_paid": 1250}}}',
  expect: { type: 'invoice.paid' },
  moreCases: () => [
    sentAs('a form', FORM, 'AccountSid=AC1&Body=Hi+there&type=message', { expect: MESSAGE }),
    sentAs('a form that is called text', 'text/plain', 'AccountSid=AC1&Body=Hi+there&type=message', {
      expect: MESSAGE,
    }),
    sentAs('a text that is called a form', FORM, 'Hi there&type=message'),
    sentAs('what cannot be decoded as a form', FORM, 'type=message&rate=7%'),
    sentAs('a string of JSON that holds a form', FORM, '"a=1&type=message"', { strict: undefined }),
    sentAs('JSON that is called a form', FORM, '{"id": "evt_1", "type": "a=b"}', {
      expect: { ok: true, type: 'a=b' },
      strict: undefined,
    }),
    sentAs('XML', 'application/xml', '<?xml version="1.0"?><note/>'),
    sentAs('two lines of JSON', 'application/json', '{"n": 1}\n{"n": 2}\n'),
  ],
})

/** A case of another content type. Its body, but for JSON, is none that the SDK parses. */
function sentAs(name, type, body, more) {
  const headers = (list) => list.map(([each, value]) => [each, each === 'Content-Type' ? type : value])
  const strict = 'The SDK parses the body unless it is told not to, and takes JSON only.'
  return { name, change: { body, headers }, otherBody: true, expect: { ok: true }, strict, ...more }
}

const recipes = [
  standard('standard-webhooks', 'standardwebhooks', {
    body: '{"type": "invoice.paid", "timestamp": "2025-11-20T12:00:00.000000Z", "data": {"id": "in_1", "amount": 1250}}',
    expect: { type: 'invoice.paid' },
    moreCases: () => v1aCases(),
  }),
  standard('svix', 'svix', {
    family: 'Svix',
    body: '{"type": "user.created", "data": {"id": "usr_1", "email": "someone@example.com"}}',
    expect: { type: 'user.created' },
  }),
  standard('clerk', '@clerk/backend', {
    family: 'Svix',
    body: '{"data": {"id": "user_29w83sxmDNGwOuEthce5gg56FcC", "object": "user"}, "object": "event", "type": "user.created", "timestamp": 1763640000000, "instance_id": "ins_1"}',
    expect: { type: 'user.created' },
  }),
  standard('resend', 'resend', {
    family: 'Svix',
    body: '{"type": "email.delivered", "created_at": "2025-11-20T12:00:00.000Z", "data": {"email_id": "56761188-7520-42d8-8898-ff6fc54ce618"}}',
    expect: { type: 'email.delivered' },
  }),
  openai,
  standard('anthropic', '@anthropic-ai/sdk', {
    body: '{"type": "event", "id": "wevt_011CSHoEeqs5C35K2UUqR7Fy", "created_at": "2025-11-20T12:00:00Z", "data": {"type": "session.status_idled", "id": "sesn_1"}}',
  }),
  standard('polar', '@polar-sh/sdk', {
    keys: secretsOf('polar', (bytes) => `polar_whs_${bytes.toString('base64url')}`),
    body: '{"type": "order.created", "timestamp": "2025-11-20T12:00:00Z", "data": {"id": "ord_1", "amount": 1000}}',
    expect: { type: 'order.created' },
    signature: {
      header: 'Webhook-Signature',
      encoding: 'base64',
      prefix: 'v1,',
      otherPrefix: 'v2,',
      list: ' ',
      plainKey: true,
      sign: macOver('sha256', SIGNED),
    },
    moreCases: polarCases,
  }),
  standard('gitlab-signing', undefined, {
    source: 'GitLab merge requests 230944 and 231325: Standard Webhooks with a token of exactly 32 bytes',
    id: { header: 'Webhook-Id', signed: true, divider: '.', value: 'f5e5f430-f57b-4e6e-9fac-d9128cd7232f' },
    extra: [
      ['X-Gitlab-Event', 'Push Hook'],
      ['Idempotency-Key', 'f5e5f430-f57b-4e6e-9fac-d9128cd7232f'],
    ],
    typeInHeader: true,
    body: '{"object_kind": "push", "ref": "refs/heads/main", "checkout_sha": "da1560886d4f094c3e6c9ef40349f7d38b5d27d7"}',
    expect: { type: 'Push Hook' },
  }),
  replicate,
  standard('dodo', 'dodopayments', {
    body: '{"business_id": "bus_1", "type": "payment.succeeded", "timestamp": "2025-11-20T12:00:00Z", "data": {"payment_id": "pay_1"}}',
    expect: { type: 'payment.succeeded' },
  }),
  gateway,
  standard('lithic', 'lithic', {
    body: '{"card_token": "00000000-0000-0000-1000-000000000000", "event_type": "card.created"}',
    expect: { type: 'card.created' },
  }),
]

export default recipes
