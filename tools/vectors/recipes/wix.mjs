import { createPublicKey } from 'node:crypto'
import { NOW } from '../common.mjs'
import { brokenTokens, jwt } from '../jwt.mjs'
import { rsaOf } from '../keys.mjs'

const [sender, old, foreign] = [rsaOf('sender'), rsaOf('foreign'), undefined]
const pemOf = ({ privateKey }) => createPublicKey(privateKey).export({ format: 'pem', type: 'spki' })
const EVENT = {
  id: '8d4f5a1e-6a0e-4c37-9d7d-6c1b8c1f2a10',
  entityFqdn: 'wix.contacts.v4.contact',
  slug: 'created',
  entityId: '1f0c5a52-54a1-4f36-9a1c-0a2b6f2a7c11',
  eventTime: '2025-11-20T11:59:59.000Z',
  createdEvent: { entity: { id: '1f0c5a52', info: { name: { first: 'Gr\u00fc\u00dfe' } } } },
}
const data = (event = EVENT, more = {}) =>
  JSON.stringify({
    eventType: 'wix.contacts.v4.contact_created',
    instanceId: '4e9d1b4e-3b1f-4b52-8a4a-9d3b5c1f0a77',
    data: JSON.stringify(event),
    identity: JSON.stringify({ identityType: 'WIX_USER', wixUserId: '9c1f' }),
    ...more,
  })

const token = ({ key = sender, alg = 'RS256', claims = {}, header } = {}) =>
  jwt({
    alg,
    key: key.privateKey ?? key,
    claims: { data: data(), iat: NOW - 1, exp: NOW + 300_000, ...claims },
    header: { kid: 'qG1kD2dz', ...header },
  })

const unauthorized = { ok: false, status: 401 }
const given = (name, body, expect, more = {}) => ({
  name,
  delivery: {
    method: 'POST',
    headers: more.headers ?? [['Content-Type', 'text/plain; charset=utf-8']],
    body: Buffer.from(body),
  },
  expect,
  ...more,
})
const refused = (name, how, more) => given(name, token(how), unauthorized, more)
const accepted = (name, how, more) => given(name, token(how), { ok: true }, more)
const right = token()
const [head, payload, signature] = right.split('.')
const reserialised = Buffer.from(
  JSON.stringify({ ...JSON.parse(Buffer.from(payload, 'base64url')), more: 1 }),
)
const LENIENT = 'The SDK decodes leniently.'

const cases = () => [
  accepted('a delivery as the sender makes it'),
  accepted(
    'signed with the second key of a rotation',
    { key: old },
    { expect: { ok: true, secretId: 'old' } },
  ),
  accepted('no key ID', { header: { kid: undefined } }),
  accepted('without an expiry', { claims: { exp: undefined } }),
  given('no content type', right, { ok: true }, { headers: [] }),
  accepted('a legacy event without an ID', { claims: { data: data({ note: 1 }) } }, { otherBody: true }),
  accepted(
    'an event whose data is a text that is not JSON',
    { claims: { data: data(EVENT, { data: 'plain' }) } },
    { otherBody: true, strict: 'The SDK requires JSON in the text.' },
  ),
  refused('an expired token', { claims: { exp: NOW - 1 } }),
  refused('a token that expires now', { claims: { exp: NOW } }),
  refused('an expiry that is text', { claims: { exp: 'never' } }),
  given(
    'one claim added, under the old signature',
    `${head}.${reserialised.toString('base64url')}.${signature}`,
    unauthorized,
  ),
  refused('no algorithm at all', { alg: 'none' }),
  given(
    'an HMAC whose key is the public key',
    jwt({ alg: 'HS256', key: pemOf(sender), claims: { data: data(), exp: NOW + 300 } }),
    unauthorized,
  ),
  given(
    'the algorithm PS256 over a signature of RS256',
    jwt({
      alg: 'RS256',
      key: sender.privateKey,
      claims: { data: data(), exp: NOW + 300 },
      header: { alg: 'PS256' },
    }),
    unauthorized,
  ),
  refused('a critical extension', { header: { crit: ['exp'], exp: 1 } }),
  given('data that is no text', token({ claims: { data: 1 } }), {
    ok: false,
    status: 400,
    reason: 'body_malformed',
  }),
  given('no data', token({ claims: { data: undefined } }), {
    ok: false,
    status: 400,
    reason: 'body_malformed',
  }),
  ...brokenTokens(right).map(([name, broken]) => given(name, broken, unauthorized, { lax: LENIENT })),
  given('white space after the token', `${right}\n`, unauthorized, { lax: LENIENT }),
  given('the token in JSON', JSON.stringify({ data: right }), unauthorized),
  given('an empty body', '', { ok: false, status: 401, reason: 'auth_missing' }),
]

export default [
  {
    scheme: 'wix',
    sdk: '@wix/sdk',
    now: NOW,
    options: {
      publicKeys: [
        { id: 'new', secret: pemOf(sender) },
        { id: 'old', secret: Buffer.from(pemOf(old)).toString('base64') },
      ],
    },
    expect: { id: EVENT.id, type: 'wix.contacts.v4.contact_created' },
    cases,
    notApplicable: {
      'another account\u2019s key': foreign ?? 'The two keys of the file are the configured ones.',
      'stale and future time': 'The token\u2019s own end takes its place.',
      'a list of signatures': 'The body is one token.',
    },
  },
]
