import { describe, expect, it } from 'vitest'
import { readCertificate } from '../../src/crypto/certificate.ts'
import { certificateOf, rsaPublicKey, toPem } from '../support/certificate.ts'
import { der, integer, sequence } from '../support/der.ts'
import { newKey } from '../support/keys.ts'
import { itOutsideWorkerd } from '../support/runtime.ts'
import { selfSigned } from '../support/self-signed.ts'

const KEY = newKey('RS256').publicKey
const seconds = (date: string) => Date.parse(date) / 1000
const keyOf = (modulus: string, exponent: string) =>
  rsaPublicKey({ n: Buffer.from(modulus, 'hex').toString('base64url'), e: exponent })

const RSA = sequence(der(0x06, '2a864886f70d010101'), der(0x05, ''))
const WHOLE = rsaPublicKey(KEY)
/** Modulus and exponent. */
const NUMBERS = WHOLE.subarray(WHOLE.indexOf('00308201', 0, 'hex') + 1)

describe('a certificate', () => {
  it('a certificate gives its expiry and its key', () => {
    expect(readCertificate(certificateOf(KEY))).toEqual({
      notAfter: seconds('2099-12-31T23:59:59Z'),
      publicKey: new Uint8Array(rsaPublicKey(KEY)),
    })
  })

  it('a certificate may have either line ending, text around it, and other certificates after it', () => {
    const pem = certificateOf(KEY)
    const parts = readCertificate(pem)
    for (const text of [
      pem.replaceAll('\n', '\r\n'),
      `subject=x\n${pem}`,
      pem + toPem(sequence(der(0x05, ''))),
    ]) {
      expect(readCertificate(text)).toEqual(parts)
    }
  })

  it('a certificate of version 1 states no version', () => {
    const rewrite = (bytes: Buffer) => {
      const version = Buffer.from('a003020102', 'hex')
      const at = bytes.indexOf(version)
      const parts = Buffer.concat([bytes.subarray(8, at), bytes.subarray(at + version.length)])
      const length = bytes.readUInt16BE(6) - version.length
      return sequence(sequence(parts.subarray(0, length)), parts.subarray(length))
    }
    expect(readCertificate(certificateOf(KEY, { rewrite }))).toMatchObject({
      notAfter: seconds('2099-12-31T23:59:59Z'),
    })
  })

  it.each([
    ['491231235959Z', '2049-12-31T23:59:59Z'],
    ['20500101000000Z', '2050-01-01T00:00:00Z'],
  ])('a certificate ends at %s: %s', (notAfter, date) => {
    expect(readCertificate(certificateOf(KEY, { notAfter }))).toMatchObject({ notAfter: seconds(date) })
  })

  it('a certificate ends in the last century where two digits say so', () => {
    const dates = { notBefore: '500101000000Z', notAfter: '500101000001Z' }
    expect(readCertificate(certificateOf(KEY, dates))).toMatchObject({
      notAfter: seconds('1950-01-01T00:00:01Z'),
    })
  })
})

describe('a certificate is refused', () => {
  it.each([
    ['that is not PEM', 'hello'],
    ['that is cut off', certificateOf(KEY).slice(0, 400)],
    ['that is empty', toPem(Buffer.alloc(0))],
    ['whose base64 is not canonical', certificateOf(KEY).replace('MII', 'MI I')],
  ])('a certificate is refused: %s', (_, pem) => {
    expect(readCertificate(pem)).toMatch(/^(no|a malformed) certificate$/)
  })

  it.each([
    ['with trailing bytes', (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(1)])],
    ['followed by another certificate', (bytes: Buffer) => Buffer.concat([bytes, bytes])],
    ['that lacks its last byte', (bytes: Buffer) => bytes.subarray(0, -1)],
    ['that is a set', (bytes: Buffer) => Buffer.concat([Buffer.of(0x31), bytes.subarray(1)])],
  ])('a certificate is refused: %s', (_, rewrite) => {
    expect(readCertificate(certificateOf(KEY, { rewrite }))).toBe('a malformed certificate')
  })

  it.each([
    ['not a date', { notAfter: '20991331235959Z' }],
    ['without seconds', { notAfter: '209912312359Z' }],
    ['with an offset', { notAfter: '4912312359+0100' }],
    ['before its beginning', { notBefore: '250101000001Z', notAfter: '250101000000Z' }],
  ])('a certificate whose end is %s is refused', (_, parts) => {
    expect(readCertificate(certificateOf(KEY, parts))).toBe('a malformed certificate')
  })

  it.each([
    ['of 1,024 bits', keyOf(`c1${'0f'.repeat(127)}`, 'AQAB'), 'its modulus has 1024 bits'],
    ['with an even exponent', keyOf(`c1${'0f'.repeat(255)}`, 'AQAC'), 'its exponent is not safe'],
    ['with a third number', withMore(rsaPublicKey(KEY)), 'it is malformed'],
    ['with something behind its bits', sequence(RSA, bitsOf(NUMBERS), der(0x05, '')), 'it is malformed'],
    ['with something behind its numbers', sequence(RSA, bitsOf(NUMBERS, der(0x05, ''))), 'it is malformed'],
    [
      'with unused bits',
      sequence(sequence(der(0x06, '2a864886f70d010101'), der(0x05, '')), der(0x03, '01')),
      'it is malformed',
    ],
    ['of another type', sequence(sequence(der(0x06, '2a8648ce3d0201')), der(0x03, '00')), 'it is not an RSA'],
    ['that is malformed', der(0x05, ''), 'it is not an RSA'],
  ])('a certificate with a key %s is refused', (_, publicKey, problem) => {
    expect(readCertificate(certificateOf(KEY, { publicKey }))).toMatch(
      `a certificate whose key is not used: ${problem}`,
    )
  })

  itOutsideWorkerd('workerd makes no elliptic keys of this kind')('with an elliptic key', () => {
    expect(readCertificate(selfSigned().cert)).toMatch('it is not an RSA key')
  })
})

function bitsOf(...parts: readonly Buffer[]): Buffer {
  return der(0x03, Buffer.concat([Buffer.alloc(1), ...parts]))
}

/** The modulus and exponent of the key, and those of another one. */
function withMore(publicKey: Buffer): Buffer {
  const numbers = publicKey.subarray(publicKey.indexOf('00308201', 0, 'hex') + 5)
  const more = sequence(numbers, integer(Buffer.of(1)))
  return sequence(
    sequence(der(0x06, '2a864886f70d010101'), der(0x05, '')),
    der(0x03, Buffer.concat([Buffer.alloc(1), more])),
  )
}
