import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { DER, fromDer } from '../../cli/signing/private-key.ts'
import type { JwtAlgorithm } from '../../src/crypto/algorithms.ts'
import { verify } from '../../src/index.ts'
import { localKeySet } from '../../src/jwt.ts'
import { signJwt, toDelivery } from '../../src/testing/index.ts'
import { ACCEPTED, AUDIENCE, invalid, jwtSender, SUBJECT } from '../support/jwt-listener.ts'
import { newKey, type SigningKey } from '../support/keys.ts'
import { ENGINE } from '../support/runtime.ts'

const RSA = newKey('RS256')
const EC = newKey('ES256')
const ED = newKey('EdDSA')
const KEYS = { RS256: RSA, ES256: EC, EdDSA: ED }
const ALGORITHMS: readonly JwtAlgorithm[] = ['RS256', 'ES256', 'EdDSA']

const NOT_ALLOWED = 'alg is not one of RS256, ES256, EdDSA'

describe('the three algorithms', () => {
  it.each(ALGORITHMS)('jwt() accepts %s, and says who signed and what was claimed', async (algorithm) => {
    const { listener, clock } = jwtSender(KEYS[algorithm])
    const request = await signJwt({
      privateKey: KEYS[algorithm].privateKey,
      body: '{"a":1}',
      timestamp: clock.seconds(),
      subject: SUBJECT,
      audience: AUDIENCE,
      claims: { exp: clock.seconds() + 60, extra: ['kept'] },
    })
    const verdict = await verify(toDelivery(request), listener)
    expect(verdict).toMatchObject({
      ok: true,
      event: {
        payload: { a: 1 },
        auth: {
          method: 'jwt',
          keyId: `key-${algorithm}`,
          claims: { sub: SUBJECT, aud: AUDIENCE, htm: 'POST', extra: ['kept'] },
        },
      },
    })
  })

  it.each(ALGORITHMS)('jwt() refuses %s with another key of the same kind', async (algorithm) => {
    const { send } = jwtSender(KEYS[algorithm])
    expect(await send({ signer: newKey(algorithm).sign })).toMatchObject(
      invalid('the signature does not verify'),
    )
  })
})

describe('algorithms that are not allowed', () => {
  it.each(['none', 'None', 'nOnE', 'NONE'])('jwt() refuses alg %s, signature empty or not', async (alg) => {
    const { send } = jwtSender(RSA)
    expect(await send({ header: { alg } })).toMatchObject(invalid(NOT_ALLOWED))
    expect(await send({ header: { alg }, signer: () => Buffer.alloc(0) })).toMatchObject(invalid(/signature/))
  })

  it.each(ALGORITHMS)('jwt() refuses %s with an empty signature', async (algorithm) => {
    const { send } = jwtSender(KEYS[algorithm])
    expect(await send({ signer: () => Buffer.alloc(0) })).toMatchObject(invalid(/signature/))
  })

  it.each([
    ['PEM', 'spki', 'pem'],
    ['DER', 'spki', 'der'],
  ] as const)('jwt() refuses HS256 keyed with the %s of the public key', async (_, type, format) => {
    const secret = createPublicKey(RSA.keyObject).export({ type, format } as { type: 'spki'; format: 'pem' })
    const { send } = jwtSender(RSA)
    expect(await send({ header: { alg: 'HS256' }, signer: hs256(secret) })).toMatchObject(
      invalid(NOT_ALLOWED),
    )
    expect(await send({ signer: hs256(secret) })).toMatchObject(invalid('the signature does not verify'))
  })

  it('jwt() refuses HS256 keyed with the JWK text of the public key', async () => {
    const { send } = jwtSender(RSA)
    const signer = hs256(JSON.stringify(RSA.publicKey))
    expect(await send({ header: { alg: 'HS256' }, signer })).toMatchObject(invalid(NOT_ALLOWED))
    expect(await send({ signer })).toMatchObject(invalid('the signature does not verify'))
  })

  it.each(['HS256', 'HS384', 'HS512'])('jwt() refuses %s although the set has such a key', async (alg) => {
    const secret = Buffer.alloc(32, 7)
    const oct = { kty: 'oct', alg, kid: 'shared', k: secret.toString('base64url') }
    const { send } = jwtSender(RSA, { keySet: localKeySet({ keys: [oct, RSA.publicKey] }) })
    expect(await send({ header: { alg, kid: 'shared' }, signer: hs256(secret) })).toMatchObject(
      invalid(NOT_ALLOWED),
    )
  })

  it.each(foreignKeys())('jwt() refuses %s with a matching key in the set', async (alg, jwk, signer) => {
    const keySet = localKeySet({ keys: [{ ...jwk, kid: 'foreign' }] })
    const { send } = jwtSender(RSA, { keySet })
    expect(await send({ header: { alg, kid: 'foreign' }, signer })).toMatchObject(invalid(NOT_ALLOWED))
  })

  it.each(foreignKeys())(
    'a key for %s does not serve any algorithm that is allowed',
    async (alg, jwk, signer) => {
      const keySet = localKeySet({ keys: [{ ...jwk, kid: 'foreign', alg }] })
      for (const allowed of ALGORITHMS) {
        const { send } = jwtSender(RSA, { keySet })
        const verdict = await send({ header: { alg: allowed, kid: 'foreign' }, signer })
        expect(verdict).toMatchObject(invalid(/its alg is another one|no \w+ key has this kid/))
      }
    },
  )

  it('jwt() refuses alg Ed25519, the new name of EdDSA', async () => {
    const { send } = jwtSender(ED)
    expect(await send({ header: { alg: 'Ed25519' } })).toMatchObject(invalid(NOT_ALLOWED))
  })

  it('a key with alg Ed25519 serves a token with alg EdDSA', async () => {
    const keySet = localKeySet({ keys: [{ ...ED.publicKey, alg: 'Ed25519' }] })
    expect(await jwtSender(ED, { keySet }).send()).toMatchObject(ACCEPTED)
  })
})

describe('the key decides what it is for', () => {
  const pairs = ALGORITHMS.flatMap((said) => ALGORITHMS.map((real) => [said, KEYS[real]] as const))

  it.each(pairs)('jwt() judges alg %s by a key without alg', async (said, key: SigningKey) => {
    const { alg: _, ...unnamed } = key.publicKey
    const { send } = jwtSender(key, { keySet: localKeySet({ keys: [unnamed] }) })
    const expected = said === key.algorithm ? ACCEPTED : invalid(`no ${said} key has this kid`)
    expect(await send({ header: { alg: said } })).toMatchObject(expected)
  })

  it('jwt() refuses a key whose own alg is another one of its family', async () => {
    for (const alg of ['PS256', 'RS512', 'RSA-OAEP', 'ES256', 'EdDSA', null, 256]) {
      const { send } = jwtSender(RSA, { keySet: localKeySet({ keys: [{ ...RSA.publicKey, alg }] }) })
      expect(await send()).toMatchObject(invalid(/its alg is another one/))
    }
  })

  it.each([
    ['missing', undefined],
    ['a number', 256],
    ['an array of the right one', ['RS256']],
    ['an object', { toString: 'RS256' }],
    ['null', null],
    ['true', true],
    ['empty', ''],
    ['in lower case', 'rs256'],
    ['with a space', 'RS256 '],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['toString', 'toString'],
  ])('jwt() refuses an alg that is %s', async (_, alg) => {
    expect(await jwtSender(RSA).send({ header: { alg } })).toMatchObject(invalid(NOT_ALLOWED))
  })

  it('jwt() does not find an alg in a member named __proto__', async () => {
    const { send } = jwtSender(RSA)
    const headerText = () => `{"__proto__":{"alg":"RS256"},"kid":"${RSA.keyId}"}`
    expect(await send({ headerText })).toMatchObject(invalid(NOT_ALLOWED))
  })
})

function hs256(secret: string | Uint8Array): (input: string) => Buffer {
  return (input) => createHmac('sha256', secret).update(input).digest()
}

/** Algorithms that libraries support and the specification does not, each with a key that would fit. */
function foreignKeys(): [alg: string, jwk: object, signer: (input: string) => Uint8Array][] {
  const pss = { key: RSA.keyObject, padding: 6, saltLength: 32 }
  const rsa = { kty: 'RSA', n: RSA.publicKey.n, e: RSA.publicKey.e }
  const curve = (alg: string, namedCurve: string, hash: string): ReturnType<typeof foreignKeys>[number] => {
    const privateKey = fromDer(generateKeyPairSync('ec', { namedCurve, ...DER }))
    const signer = (input: string) =>
      sign(hash, Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    return [alg, createPublicKey(privateKey).export({ format: 'jwk' }), signer]
  }
  return [
    ['PS256', rsa, (input) => sign('sha256', Buffer.from(input), pss)],
    ['RS384', rsa, (input) => sign('sha384', Buffer.from(input), RSA.keyObject)],
    ['RS512', rsa, (input) => sign('sha512', Buffer.from(input), RSA.keyObject)],
    curve('ES384', 'P-384', 'sha384'),
    curve('ES512', 'P-521', 'sha512'),
    ...(ENGINE === 'bun' ? [] : [curve('ES256K', 'secp256k1', 'sha256')]), // BoringSSL does not have this curve
    ['ML-DSA-44', { kty: 'AKP', pub: 'AAAA' }, () => Buffer.alloc(2420, 1)],
  ]
}
