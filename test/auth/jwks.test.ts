import { describe, expect, it } from 'vitest'
import { Jwks } from '../../src/auth/jwks.ts'
import { remoteKeySet } from '../../src/jwt.ts'
import { ACCEPTED, invalid, jwtSender, remoteSender, unavailable } from '../support/jwt-listener.ts'
import { respondWith } from '../support/key-host.ts'
import { newKey } from '../support/keys.ts'
import fc from '../support/property.ts'

const KEY = newKey('ES256')
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const

describe('documents that are no key set', () => {
  it.each([
    ['a page of HTML', '<!doctype html><title>Sign in</title>', /did not send JSON/],
    ['nothing', '', /did not send JSON/],
    ['half a document', '{"keys":[', /did not send JSON/],
    ['a leading byte order mark', `\ufeff{"keys":[]}`, /did not send JSON/],
    ['bytes that are not UTF-8', Buffer.from('{"keys":["\xff"]}', 'latin1'), /did not send JSON/],
    ['null', 'null', /is not a JWKS/],
    ['a string', '"keys"', /is not a JWKS/],
    ['an array of keys', JSON.stringify([KEY.publicKey]), /is not a JWKS/],
    ['one key', JSON.stringify(KEY.publicKey), /is not a JWKS/],
    ['{}', '{}', /is not a JWKS/],
    ['keys that are an object', '{"keys":{}}', /is not a JWKS/],
    ['keys that are an object like an array', '{"keys":{"length":1,"0":{}}}', /is not a JWKS/],
    ['keys that are null', '{"keys":null}', /is not a JWKS/],
    ['keys that are text', '{"keys":"keys"}', /is not a JWKS/],
    ['keys in a member named __proto__', '{"__proto__":{"keys":[]}}', /is not a JWKS/],
  ])('a remote key set fails on %s', async (_, body, message) => {
    const { send } = await remoteSender(KEY, respondWith(200, body, { 'content-type': 'application/json' }))
    await expect(send()).rejects.toMatchObject(unavailable(message))
  })

  it('a remote key set fails on an answer without a body', async () => {
    const fetch = async () => new Response(null)
    const { send } = jwtSender(KEY, { keySet: remoteKeySet('https://sender.example/jwks.json', { fetch }) })
    await expect(send()).rejects.toMatchObject(unavailable(/did not send JSON/))
  })

  it('the error does not quote the document', async () => {
    const { send } = await remoteSender(KEY, respondWith(200, 'very-secret-page'))
    const error: unknown = await send().catch((reason: unknown) => reason)
    expect(error).toMatchObject(unavailable(/did not send JSON/))
    expect(`${error} ${error instanceof Error && error.cause}`).not.toContain('secret')
  })
})

describe('the number of keys', () => {
  const others = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ kty: 'EC', kid: `k${index}` }))

  it('a key set may have 100 keys, and not 101', async () => {
    const full = await remoteSender(KEY, { keys: [...others(99), KEY.publicKey] })
    expect(await full.send()).toMatchObject(ACCEPTED)
    const over = await remoteSender(KEY, { keys: [...others(100), KEY.publicKey] })
    await expect(over.send()).rejects.toMatchObject(unavailable(/has over 100 keys/))
  })

  it('a key set of 10,000 keys is refused', async () => {
    const { send } = await remoteSender(
      KEY,
      respondWith(200, JSON.stringify({ keys: Array(10_000).fill({ kid: 'k' }) })),
    )
    await expect(send()).rejects.toMatchObject(unavailable(/has over 100 keys/))
  })

  it('a key set without any key is an answer: the token is refused, not the host', async () => {
    const { send } = await remoteSender(KEY, { keys: [] })
    expect(await send()).toMatchObject(invalid('no ES256 key has this kid'))
  })
})

describe('a bad key among good ones', () => {
  const { x, y } = KEY.publicKey
  const bad: [string, unknown][] = [
    ['null', null],
    ['a number', 7],
    ['text', 'key'],
    ['an array', [KEY.publicKey]],
    ['an empty object', {}],
    ['no kid', { kty: 'EC', crv: 'P-256', x, y }],
    ['an empty kid', { kty: 'EC', crv: 'P-256', x, y, kid: '' }],
    ['a kid that is a number', { kty: 'EC', crv: 'P-256', x, y, kid: 1 }],
    ['an unknown type', { kty: 'XYZ', kid: KEY.keyId }],
    ['no coordinates', { kty: 'EC', crv: 'P-256', kid: 'bad' }],
    ['coordinates that are objects', { kty: 'EC', crv: 'P-256', kid: 'bad', x: {}, y: [] }],
    ['a point off the curve', { kty: 'EC', crv: 'P-256', kid: 'bad', x, y: x }],
    ['a modulus of 100 KB', { kty: 'RSA', kid: 'bad', n: '_'.repeat(100_000), e: 'AQAB' }],
    ['an exponent of 100 KB', { kty: 'RSA', kid: 'bad', n: '_'.repeat(342), e: '_'.repeat(100_000) }],
    ['key_ops that are a number', { ...KEY.publicKey, kid: 'bad', key_ops: 1 }],
  ]

  it.each(bad)('a bad key does not spoil the good ones: %s', async (_, entry) => {
    for (const keys of [
      [entry, KEY.publicKey],
      [KEY.publicKey, entry],
    ]) {
      const { send } = await remoteSender(KEY, { keys })
      expect(await send()).toMatchObject(ACCEPTED)
    }
  })

  it.each(bad)('a bad key is never used itself: %s', async (_, entry) => {
    const { send } = await remoteSender(KEY, { keys: [entry] })
    expect(await send()).toMatchObject(invalid(/./))
    expect(await send({ header: { kid: 'bad' } })).toMatchObject(invalid(/./))
  })
})

describe('any document', () => {
  it('the parser reads past members that are nested 50,000 deep', async () => {
    const deep = `{"kid":"bad","kty":"EC","crv":"P-256","x":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
    const { send } = await remoteSender(
      KEY,
      respondWith(200, `{"keys":[${deep},${JSON.stringify(KEY.publicKey)}]}`),
    )
    expect(await send()).toMatchObject(ACCEPTED)
    expect(await send({ header: { kid: 'bad' } })).toMatchObject(invalid(/are not base64url/))
  })

  const member = fc.oneof(
    fc.constantFrom(
      'RSA',
      'EC',
      'OKP',
      'oct',
      'P-256',
      'Ed25519',
      'RS256',
      'ES256',
      'EdDSA',
      'sig',
      'verify',
      'AQAB',
    ),
    fc.constantFrom(KEY.publicKey.x, KEY.publicKey.y, 'a'.repeat(342), '', '='),
    fc.jsonValue(),
  )
  const names = [
    'kty',
    'crv',
    'kid',
    'alg',
    'use',
    'key_ops',
    'n',
    'e',
    'x',
    'y',
    'd',
    'k',
    '__proto__',
  ] as const
  const key = fc.oneof(
    fc.dictionary(fc.constantFrom(...names), member),
    fc.record({
      kid: fc.constant('k'),
      kty: fc.constantFrom('RSA', 'EC', 'OKP'),
      crv: member,
      n: member,
      e: member,
      x: member,
      y: member,
    }),
    fc.jsonValue(),
  )

  it('a document never makes the parser throw anything but an Error', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.jsonValue(), fc.record({ keys: fc.oneof(fc.array(key), fc.jsonValue()) })),
        (document) => {
          try {
            return new Jwks(document) instanceof Jwks
          } catch (error) {
            return error instanceof Error && /JWKS|over 100 keys/.test(error.message)
          }
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('a document never makes a search throw, or find anything but a public key', async () => {
    const search = fc.asyncProperty(fc.array(key, { maxLength: 5 }), fc.string(), async (keys, keyId) => {
      const jwks = new Jwks({ keys })
      for (const algorithm of ALGORITHMS) {
        for (const wanted of ['k', keyId]) {
          const found = await jwks.find(wanted, algorithm)
          if (typeof found !== 'string')
            expect(found).toMatchObject({ type: 'public', extractable: expect.any(Boolean) })
        }
      }
    })
    await fc.assert(search, { numRuns: 500 })
  })
})
