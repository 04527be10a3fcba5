import { createHash, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { DER, fromDer } from '../../cli/signing/private-key.ts'
import { localKeySet } from '../../src/jwt.ts'
import { ACCEPTED, invalid, jwtSender } from '../support/jwt-listener.ts'
import { base64url, newKey, type SigningKey, signingKey, toBytes, toNumber } from '../support/keys.ts'
import { ENGINE } from '../support/runtime.ts'

const RSA = newKey('RS256')
const EC = newKey('ES256')
const ED = newKey('EdDSA')

/** The verdict on a valid token if the set holds this form of its key. */
function sendWith(key: SigningKey, jwk: object, signer: (input: string) => Uint8Array = key.sign) {
  return jwtSender(key, { keySet: localKeySet({ keys: [{ kid: key.keyId, ...jwk }] }) }).send({ signer })
}

describe('Ed25519 keys', () => {
  const P = 2n ** 255n - 19n
  const SIGN = 2n ** 255n
  const points: [string, bigint][] = [
    ['order 1', 1n],
    ['order 2', P - 1n],
    ['order 4', 0n],
    ['order 4, the other', SIGN],
    ['order 8', littleEndian('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05')],
    ['order 8, the second', littleEndian('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85')],
    ['order 8, the third', littleEndian('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a')],
    ['order 8, the fourth', littleEndian('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa')],
    ['order 1, with a sign', 1n + SIGN],
    ['order 2, with a sign', P - 1n + SIGN],
    ['order 4, written as p', P],
    ['order 4, written as p, with a sign', P + SIGN],
    ['order 1, written as p + 1', P + 1n],
    ['order 1, written as p + 1, with a sign', P + 1n + SIGN],
    ['no order known, written as p + 2', P + 2n],
    ['no order known, written as 2^255 - 1', SIGN - 1n],
  ]

  it.each(points)('jwt() refuses a point of %s, for which anyone can sign', async (_, point) => {
    const x = base64url(toBytes(point, 32).reverse())
    const forgery = () => Buffer.concat([toBytes(1n, 32).reverse(), Buffer.alloc(32)])
    // A point of order 8 would let one forgery in eight through.
    for (let attempt = 0; attempt < 64; attempt += 1) {
      expect(await sendWith(ED, { kty: 'OKP', crv: 'Ed25519', x }, forgery)).toMatchObject(
        invalid(/its point is not safe/),
      )
    }
  })

  it('jwt() accepts ordinary points, whatever their sign', async () => {
    for (let round = 0; round < 16; round += 1) {
      expect(await jwtSender(newKey('EdDSA')).send()).toMatchObject(ACCEPTED)
    }
  })

  // Written by hand, because not every engine can generate them.
  it.each([
    ['Ed448', 57],
    ['X25519', 32],
    ['X448', 56],
  ])('jwt() refuses a key for %s under EdDSA', async (crv, bytes) => {
    const jwk = { kty: 'OKP', crv, x: base64url(Buffer.alloc(bytes, 9)) }
    expect(await sendWith(ED, jwk)).toMatchObject(invalid('no EdDSA key has this kid'))
  })

  it('jwt() refuses an Ed25519 point under another curve or type, and under none', async () => {
    const { x } = ED.publicKey
    for (const named of [
      { crv: 'X25519' },
      { crv: 'ed25519' },
      { crv: undefined },
      { kty: 'EC' },
      { kty: 'AKP' },
    ]) {
      expect(await sendWith(ED, { kty: 'OKP', crv: 'Ed25519', x, ...named })).toMatchObject(
        invalid('no EdDSA key has this kid'),
      )
    }
  })

  it.each([31, 33, 0, 57])('jwt() refuses a point of %d bytes', async (length) => {
    const x = base64url(Buffer.alloc(length, 9))
    expect(await sendWith(ED, { kty: 'OKP', crv: 'Ed25519', x })).toMatchObject(
      invalid(/its coordinates are not 32 bytes each/),
    )
  })
})

describe('P-256 keys', () => {
  const { x = '', y = '' } = EC.publicKey

  // Deno imports such points, but verifies no signature with them.
  const refusal =
    ENGINE === 'deno' ? 'the signature does not verify' : 'the key with this kid cannot be imported'

  it('jwt() refuses a point that is not on the curve', async () => {
    const off = base64url(Buffer.alloc(32, 9))
    expect(await sendWith(EC, { kty: 'EC', crv: 'P-256', x, y: off })).toMatchObject(invalid(refusal))
  })

  it('jwt() refuses the point at infinity, and coordinates of p and more', async () => {
    const zero = base64url(Buffer.alloc(32))
    const beyond = base64url(Buffer.alloc(32, 255))
    for (const point of [
      { x: zero, y: zero },
      { x: beyond, y },
      { x, y: beyond },
    ]) {
      expect(await sendWith(EC, { kty: 'EC', crv: 'P-256', ...point })).toMatchObject(invalid(refusal))
    }
  })

  it.each([31, 33, 0, 66])('jwt() refuses coordinates of %d bytes', async (length) => {
    const other = base64url(Buffer.alloc(length, 1))
    for (const point of [
      { x: other, y },
      { x, y: other },
    ]) {
      expect(await sendWith(EC, { kty: 'EC', crv: 'P-256', ...point })).toMatchObject(
        invalid(/its coordinates are not 32 bytes each/),
      )
    }
  })

  it.each(['P-384', 'P-521', 'secp256k1', 'p-256', undefined])('the curve %s is refused', async (crv) => {
    expect(await sendWith(EC, { kty: 'EC', crv, x, y })).toMatchObject(invalid('no ES256 key has this kid'))
  })

  it.each([
    ['missing', undefined],
    ['a number', 7],
    ['padded', `${x}=`],
    ['with a space', ` ${x}`],
    ['in hexadecimal with a dot', 'ab.cd'],
  ])('jwt() refuses an x that is %s', async (_, value) => {
    expect(await sendWith(EC, { kty: 'EC', crv: 'P-256', x: value, y })).toMatchObject(
      invalid(/its x, y are not base64url/),
    )
  })
})

describe('RSA keys', () => {
  const { n = '', e = '' } = RSA.publicKey
  const ofBits = (bits: number) => base64url(toBytes(2n ** BigInt(bits) - 1n, Math.ceil(bits / 8)))

  it('jwt() refuses a real key of 1024 bits', async () => {
    const privateKey = fromDer(generateKeyPairSync('rsa', { modulusLength: 1024, ...DER }))
    const weak = signingKey(privateKey, 'RS256', 'weak')
    expect(await jwtSender(weak).send()).toMatchObject(invalid(/its modulus has 1024 bits, not 2048 to 8192/))
  })

  it.each([
    [2047, /its modulus has 2047 bits, not 2048 to 8192/],
    [2048, 'the signature does not verify'],
    [8192, 'the signature does not verify'],
    [8193, /its modulus has 8193 bits, not 2048 to 8192/],
  ])('a modulus of %d bits is judged by its length', async (bits, detail) => {
    expect(await sendWith(RSA, { kty: 'RSA', n: ofBits(bits), e })).toMatchObject(invalid(detail))
  })

  it('jwt() counts bits, not bytes: leading zeros do not make a key longer', async () => {
    const stretched = base64url(Buffer.concat([Buffer.alloc(200), Buffer.alloc(128, 255)]))
    expect(await sendWith(RSA, { kty: 'RSA', n: stretched, e })).toMatchObject(invalid(/has 1024 bits/))
  })

  it('jwt() refuses exponent 1, under which every block signs itself', async () => {
    const forge = (input: string) => {
      const hash = createHash('sha256').update(input).digest()
      const digestInfo = Buffer.from('3031300d060960864801650304020105000420', 'hex')
      const padding = Buffer.alloc(256 - 3 - digestInfo.length - hash.length, 255)
      return Buffer.concat([Buffer.from([0, 1]), padding, Buffer.alloc(1), digestInfo, hash])
    }
    expect(await sendWith(RSA, { kty: 'RSA', n, e: 'AQ' }, forge)).toMatchObject(
      invalid(/exponent is not safe/),
    )
  })

  it.each([
    ['0', 0n, 1],
    ['0 in no bytes', 0n, 0],
    ['2', 2n, 1],
    ['65536', 65536n, 3],
    ['2^32 + 1', 2n ** 32n + 1n, 5],
    ['3 in five bytes', 3n, 5],
    ['n - 2, as long as the modulus', toNumber(Buffer.from(n, 'base64url')) - 2n, 256],
  ])('jwt() refuses exponent %s', async (_, exponent, length) => {
    const bytes = length === 0 ? Buffer.alloc(0) : toBytes(exponent, length)
    expect(await sendWith(RSA, { kty: 'RSA', n, e: base64url(bytes) })).toMatchObject(
      invalid(/exponent is not safe/),
    )
  })

  it('jwt() accepts exponent 3', async () => {
    const privateKey = fromDer(generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3, ...DER }))
    expect(await jwtSender(signingKey(privateKey, 'RS256', 'three')).send()).toMatchObject(ACCEPTED)
  })

  it('a key with an exponent of four bytes, the longest, gets as far as the signature, if the engine imports it', async () => {
    const outcome = await sendWith(RSA, { kty: 'RSA', n, e: base64url(toBytes(2n ** 32n - 5n, 4)) })
    const detail = ENGINE === 'workerd' ? /cannot be imported/ : /signature does not verify/
    expect(outcome).toMatchObject(invalid(detail))
  })

  it('jwt() accepts a key of 3072 bits', async () => {
    const privateKey = fromDer(generateKeyPairSync('rsa', { modulusLength: 3072, ...DER }))
    expect(await jwtSender(signingKey(privateKey, 'RS256', 'long')).send()).toMatchObject(ACCEPTED)
  })

  it('jwt() refuses a modulus with the ROCA mark', async () => {
    const primes = [11n, 13n, 17n, 19n, 37n, 53n, 61n, 71n, 73n, 79n, 97n, 103n, 107n, 109n, 127n, 151n, 157n]
    const product = primes.reduce((left, right) => left * right, 2n)
    const marked = product * (2n ** 2047n / product) + 65537n + product
    expect(await sendWith(RSA, { kty: 'RSA', n: base64url(toBytes(marked, 256)), e })).toMatchObject(
      invalid(/its modulus is not safe/),
    )
  })
})

/** A point as it is published: 32 bytes, little-endian. */
function littleEndian(hex: string): bigint {
  return toNumber(Buffer.from(hex, 'hex').reverse())
}
