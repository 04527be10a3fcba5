import { describe, expect, it } from 'vitest'
import * as nodeBuild from '../../src/crypto/node.ts'
import * as webBuild from '../../src/crypto/web.ts'
import { encodeBase64url } from '../../src/lib/bytes.ts'
import fc from '../support/property.ts'

/** Only what the encoder writes is canonical, although a decoder would accept more. */
function isWhatBufferWrites(text: string): boolean {
  return Buffer.from(text, 'base64url').toString('base64url') === text
}

const text = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_-]{0,50}$/),
  fc.stringMatching(/^[A-Za-z0-9+/=_ -]{0,10}$/),
  fc.string({ unit: 'binary', maxLength: 10 }),
)

const holds = (bytes: Uint8Array) => (given: Uint8Array) => Buffer.compare(given, bytes) === 0

describe.each(Object.entries({ nodeBuild, webBuild }))('the decoder of %s', (_, { decodeBase64url }) => {
  it('the decoder encodes any bytes as Buffer does, and decodes them again', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const encoded = encodeBase64url(bytes)
        expect(encoded).toBe(Buffer.from(bytes).toString('base64url'))
        expect(decodeBase64url(encoded)).toSatisfy(holds(bytes))
      }),
    )
  })

  it('the decoder accepts exactly the texts that Buffer writes', () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(decodeBase64url(given) === undefined).toBe(!isWhatBufferWrites(given))
      }),
      { numRuns: 5000 },
    )
  })

  it('the decoder accepts one spelling of each one and two bytes', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const canonical = (prefix: string) => [...alphabet].filter((last) => decodeBase64url(prefix + last))
    expect(canonical('A')).toStrictEqual([...'AQgw'])
    expect(canonical('AA')).toStrictEqual([...'AEIMQUYcgkosw048'])
    expect(canonical('AAA')).toHaveLength(64)
    expect(canonical('')).toHaveLength(0)
  })

  it.each(['=', 'QQ==', 'QQ=', 'Q Q', 'QQ\n', '\nQQ', '+A', '/A', 'QUI=', 'A', 'AAAAA', 'QR', 'é', '😀'])(
    'the decoder refuses %j',
    (given) => {
      expect(decodeBase64url(given)).toBeUndefined()
    },
  )

  it('the decoder decodes the empty text to no bytes', () => {
    expect(decodeBase64url('')).toSatisfy(holds(new Uint8Array(0)))
  })
})
