import { describe, expect, it } from 'vitest'
import type { SignatureAlgorithm } from '../../src/crypto/algorithms.ts'
import { fromDerSignature, toDerSignature } from '../../src/crypto/der.ts'
import * as nodeCrypto from '../../src/crypto/node.ts'
import * as webCrypto from '../../src/crypto/web.ts'
import { IN_WORKERD } from '../support/runtime.ts'
import rfc4231 from '../vectors/rfc4231.json' with { type: 'json' }
import wycheproof from '../vectors/wycheproof.json' with { type: 'json' }

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))

interface Parameters {
  readonly name: string
  readonly hash?: string
  readonly namedCurve?: string
}

const PARAMETERS: { readonly [algorithm: string]: Parameters } = {
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  RS384: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-384' },
  PS256: { name: 'RSA-PSS', hash: 'SHA-256' },
  PS384: { name: 'RSA-PSS', hash: 'SHA-384' },
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  ES384: { name: 'ECDSA', namedCurve: 'P-384' },
}

const importKey = (key: string, algorithm: string) =>
  crypto.subtle.importKey('spki', bytes(key), PARAMETERS[algorithm] ?? { name: '' }, true, ['verify'])

/** workerd's own node:crypto knows no PSS and refuses it. Workers get crypto/web.ts. */
const judgedBy = (build: string) =>
  wycheproof.filter(({ algorithm }) => !(IN_WORKERD && build === 'node.ts' && /^PS/.test(algorithm)))

describe.each([
  ['node.ts', nodeCrypto],
  ['web.ts', webCrypto],
])('algorithms of senders by crypto/%s', (build, { hmacWith, verifySignature }) => {
  it.each(rfc4231.filter(({ sha384 }) => sha384 !== undefined))(
    'HMAC-SHA384 and HMAC-SHA512 give the MACs of RFC 4231 case $case',
    async ({ key, data, sha384, sha512 }) => {
      expect(await hmacWith('sha384', bytes(key), 'hex')('', bytes(data), '')).toBe(sha384)
      expect(await hmacWith('sha512', bytes(key), 'hex')('', bytes(data), '')).toBe(sha512)
    },
  )

  it.each(judgedBy(build))('$algorithm judges the signatures of Wycheproof as it does', async (file) => {
    const [name = '', isDer] = file.algorithm.split(' ')
    const algorithm = name as SignatureAlgorithm // as the file says
    const judged: boolean[] = []
    for (const { key, tests } of file.groups) {
      const imported = await importKey(key, algorithm)
      for (const { id, why, message, signature, valid } of tests) {
        const size = Number(algorithm.slice(2)) / 8
        const given = isDer ? fromDerSignature(bytes(signature), size) : bytes(signature)
        const body = bytes(message)
        const found =
          given !== undefined &&
          (await verifySignature(algorithm, imported, given, { before: '', body, after: '' }))
        expect({ id, why, found }).toEqual({ id, why, found: valid })
        judged.push(found)
      }
    }
    expect(new Set(judged).size).toBe(2)
  })

  it.each(judgedBy(build).filter(({ algorithm }) => !algorithm.endsWith('DER')))(
    'a key of $algorithm verifies by no other algorithm',
    async ({ algorithm, groups }) => {
      const [{ key, tests } = { key: '', tests: [] }] = groups
      const imported = await importKey(key, algorithm)
      const genuine = tests.find(({ valid }) => valid) ?? { message: '', signature: '' }
      const verifies = (name: string) =>
        verifySignature(name as SignatureAlgorithm, imported, bytes(genuine.signature), {
          before: '',
          body: bytes(genuine.message),
          after: '',
        })
      const names = [...Object.keys(PARAMETERS), 'EdDSA', 'ES512', 'none', '']
      const taken = await Promise.all(names.map(async (name) => ((await verifies(name)) ? [name] : [])))
      expect(taken.flat()).toEqual([algorithm])
    },
  )
})

describe('an ECDSA signature in DER', () => {
  const numbers = (size: number) => new Uint8Array(size * 2).fill(0x80)

  it.each([32, 48])('r and s of %i bytes return from DER as they were', (size) => {
    for (const fill of [0x00, 0x01, 0x7f, 0x80, 0xff]) {
      const given = new Uint8Array(size * 2).fill(fill)
      const der = toDerSignature(given, size)
      expect(der && fromDerSignature(der, size)).toEqual(given)
    }
  })

  it('r and s of one curve are not those of the other', () => {
    expect(toDerSignature(numbers(32), 48)).toBeUndefined()
    expect(toDerSignature(numbers(48), 32)).toBeUndefined()
    const der = toDerSignature(numbers(48), 48) ?? new Uint8Array()
    expect(fromDerSignature(der, 32)).toBeUndefined()
    expect(fromDerSignature(der, 48)).toEqual(numbers(48))
  })
})
