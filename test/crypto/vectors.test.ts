import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import * as nodeCrypto from '../../src/crypto/node.ts'
import * as webCrypto from '../../src/crypto/web.ts'
import fc from '../support/property.ts'
import rfc4231 from '../vectors/rfc4231.json' with { type: 'json' }

interface Vector {
  readonly case: number
  readonly key: string
  readonly data: string
  readonly mac: string
}

/** RFC 4231. Cases 3, 6 and 7 have keys of bytes AA, which are not UTF-8. Long keys are tested below. */
const VECTORS: readonly Vector[] = rfc4231

const SCRATCH = 65_536

const ascii = (maxLength: number) => fc.string({ unit: 'binary-ascii', maxLength })

/** Lengths around the edges of a block, of the padding and of the scratch buffer, and others up to 70,000. */
const length = fc.oneof(
  fc.constantFrom(0, 1, 55, 56, 63, 64, 65, 127, 128, SCRATCH - 1, SCRATCH, SCRATCH + 1, 70_000),
  fc.nat(300),
  fc.nat(70_000),
)
const bytes = fc.tuple(length, fc.uint8Array({ minLength: 1, maxLength: 16 })).map(([size, pattern]) => {
  return Uint8Array.from(
    { length: size },
    (_, index) => (pattern[index % pattern.length] ?? 0) ^ (index >> 8),
  )
})

describe.each([
  ['node.ts', nodeCrypto],
  ['web.ts', webCrypto],
])('crypto/%s', (_, { hashWith, hmacWith, sha256 }) => {
  /** As in hookgate's own scheme. */
  const hmacSha256 = (secret: string) => {
    const mac = hmacWith('sha256', Buffer.from(secret), 'base64url')
    return (prefix: string, body: Uint8Array) => mac(prefix, body, '')
  }

  it.each(VECTORS)(
    'HMAC-SHA256 gives the MAC of RFC 4231 case $case for every split into prefix and body',
    async (vector) => {
      const mac = hmacSha256(Buffer.from(vector.key, 'hex').toString())
      const data = Buffer.from(vector.data, 'hex')
      const splits = data.every((byte) => byte < 128) ? data.length : 0
      for (let split = 0; split <= splits; split += 1) {
        const seen = await mac(data.subarray(0, split).toString(), data.subarray(split))
        expect(Buffer.from(seen, 'base64url').toString('hex').slice(0, vector.mac.length)).toBe(vector.mac)
        expect(seen).toMatch(/^[A-Za-z0-9_-]{43}$/)
      }
    },
  )

  it.each(['sha1', 'sha256', 'sha512'] as const)(
    '%s covers the three parts as one text',
    async (algorithm) => {
      const right = createHash(algorithm).update('before \xe9 body \xff after', 'latin1').digest('hex')
      const body = Buffer.from(' body \xff', 'latin1')
      expect(await hashWith(algorithm, 'hex')('before \xe9', body, ' after')).toBe(right)
      expect(
        await hashWith(algorithm, 'hex')('', Buffer.from('before \xe9 body \xff after', 'latin1'), ''),
      ).toBe(right)
    },
  )

  it('HMAC-SHA256 agrees with node:crypto for any secret, prefix and body', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ minLength: 1, maxLength: 200 }), fc.string({ unit: 'grapheme', minLength: 1 })),
        ascii(64),
        bytes,
        async (secret, prefix, body) => {
          const wanted = createHmac('sha256', secret).update(prefix).update(body).digest('base64url')
          expect(await hmacSha256(secret)(prefix, body)).toBe(wanted)
        },
      ),
      { numRuns: 300 },
    )
  })

  it.each([1, 63, 64, 65, 131, 1000])('HMAC-SHA256 takes a key of %i bytes', async (size) => {
    const secret = 'k'.repeat(size)
    const wanted = createHmac('sha256', secret).update('p.b').digest('base64url')
    expect(await hmacSha256(secret)('p.', Buffer.from('b'))).toBe(wanted)
  })

  it.each([-1, 0, 1])(
    'HMAC-SHA256 takes a body %i bytes from the end of the scratch buffer',
    async (offset) => {
      const mac = hmacSha256('secret')
      for (const prefixLength of [0, 1, 49, 63, 64, 65]) {
        const prefix = 'p'.repeat(prefixLength)
        const body = Buffer.alloc(SCRATCH + 64 - prefixLength + offset, 'b')
        const wanted = createHmac('sha256', 'secret').update(prefix).update(body).digest('base64url')
        expect(await mac(prefix, body)).toBe(wanted)
      }
    },
  )

  it('HMAC-SHA256 keeps nothing of one computation for the next, or for a concurrent one', async () => {
    const first = hmacSha256('first secret')
    const second = hmacSha256('second secret')
    const wanted = (secret: string, body: Uint8Array) =>
      createHmac('sha256', secret).update('p').update(body).digest('base64url')
    const long = Buffer.alloc(60_000, 'l')
    const short = Buffer.from('s')
    const answers = [first('p', long), second('p', short), second('p', long), first('p', short)]
    expect(await Promise.all(answers)).toStrictEqual([
      wanted('first secret', long),
      wanted('second secret', short),
      wanted('second secret', long),
      wanted('first secret', short),
    ])
  })

  it('HMAC-SHA256 and SHA-256 read the body during the call, so later changes do not count', async () => {
    const body = Buffer.from('before')
    const answers = [hmacSha256('secret')('', body), sha256(body)]
    body.write('after!')
    expect(await Promise.all(answers)).toStrictEqual([
      createHmac('sha256', 'secret').update('before').digest('base64url'),
      createHash('sha256').update('before').digest('base64url'),
    ])
  })

  it('a part of a larger buffer is read as that part', async () => {
    const part = Buffer.from('xxbodyxx').subarray(2, 6)
    expect(await sha256(part)).toBe(createHash('sha256').update('body').digest('base64url'))
    expect(await hmacSha256('secret')('', part)).toBe(
      createHmac('sha256', 'secret').update('body').digest('base64url'),
    )
  })

  it('SHA-256 agrees with node:crypto for any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, async (body) => {
        expect(await sha256(body)).toBe(createHash('sha256').update(body).digest('base64url'))
      }),
      { numRuns: 200 },
    )
  })
})
