import { createHash, createHmac, type webcrypto } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { hashWith, hmacWith, sha256, verifySignature } from '../../src/crypto/node.ts'
import { ABANDONED, abandon, BYTES_A_TURN } from '../../src/crypto/turns.ts'
import { turnsOf } from '../support/turns-of.ts'

const MB = 1_048_576
const body = Uint8Array.from({ length: 4 * MB + 17 }, (_, index) => (index * 7 + (index >> 9)) & 0xff)
const LENGTHS = [MB + 1, MB + BYTES_A_TURN - 1, 2 * MB, 2 * MB + 1, 4 * MB + 17]
const ALGORITHMS = ['sha1', 'sha256', 'sha512'] as const

describe.each(ALGORITHMS)('%s', (algorithm) => {
  it.each(LENGTHS)('over %d bytes equals that of one update', async (length) => {
    const long = body.subarray(0, length)
    const mac = hmacWith(algorithm, Buffer.from('key'), 'hex')('before\xff.', long, '.\xe9after')
    const hash = hashWith(algorithm, 'base64')('before\xff.', long, '.\xe9after')
    expect(mac).toBeInstanceOf(Promise)
    expect(hash).toBeInstanceOf(Promise)
    const whole = Buffer.concat([
      Buffer.from('before\xff.', 'latin1'),
      long,
      Buffer.from('.\xe9after', 'latin1'),
    ])
    expect(await mac).toBe(createHmac(algorithm, 'key').update(whole).digest('hex'))
    expect(await hash).toBe(createHash(algorithm).update(whole).digest('base64'))
  })

  it('over a megabyte is computed at once, and over a byte more in turns', async () => {
    const mac = hmacWith(algorithm, Buffer.from('key'), 'hex')
    const hash = hashWith(algorithm, 'hex')
    expect(mac('', body.subarray(0, MB), '')).toBeTypeOf('string')
    expect(hash('', body.subarray(0, MB), '')).toBeTypeOf('string')
    const work = Promise.all([mac('', body.subarray(0, MB + 1), ''), hash('', body.subarray(0, MB + 1), '')])
    expect(await turnsOf(work)).toBeGreaterThanOrEqual(2 * 5 - 1)
  })
})

describe('the number of secrets', () => {
  const mac = hmacWith('sha256', Buffer.from('key'), 'hex')

  it('counts: 16 times 64 KB are computed at once, and 17 times in turns', () => {
    expect(mac('', body.subarray(0, 65_536), '', 16)).toBeTypeOf('string')
    expect(mac('', body.subarray(0, 65_536), '', 17)).toBeInstanceOf(Promise)
  })

  it('counts for an empty body too: 1,024 at once, and 1,025 in turns', async () => {
    expect(mac('', new Uint8Array(0), '', 1024)).toBeTypeOf('string')
    const late = mac('a', new Uint8Array(0), 'b', 1025)
    expect(late).toBeInstanceOf(Promise)
    expect(await late).toBe(createHmac('sha256', 'key').update('ab').digest('hex'))
  })

  it('lets others run: a thousand secrets over 64 KB take some 250 turns', async () => {
    const all = Array.from({ length: 1000 }, () => mac('', body.subarray(0, 65_536), '', 1000))
    expect(await turnsOf(Promise.all(all))).toBeGreaterThanOrEqual(249)
  })
})

describe('sha256', () => {
  it('over a long body equals that of one update, and long texts are hashed at once', async () => {
    const hash = sha256(body, 'hex')
    expect(hash).toBeInstanceOf(Promise)
    expect(await hash).toBe(createHash('sha256').update(body).digest('hex'))
    expect(sha256('a'.repeat(2 * MB), 'hex')).toBeTypeOf('string')
  })
})

describe('a signature by a public key', () => {
  const algorithms = {
    RS256: {
      name: 'RSASSA-PKCS1-v1_5',
      hash: 'SHA-256',
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
    },
    ES256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
    EdDSA: { name: 'Ed25519' },
  } as const
  const keysFor = async (name: keyof typeof algorithms) =>
    (await crypto.subtle.generateKey(algorithms[name], false, ['sign', 'verify'])) as webcrypto.CryptoKeyPair

  it.each(['RS256', 'ES256', 'EdDSA'] as const)('%s verifies over a long body', async (name) => {
    const { privateKey, publicKey: key } = await keysFor(name)
    for (const [before, after] of [
      ['1700000000.\xff', '\xe9'],
      ['', ''],
    ] as const) {
      const whole = Buffer.concat([Buffer.from(before, 'latin1'), body, Buffer.from(after, 'latin1')])
      const signature = new Uint8Array(await crypto.subtle.sign(algorithms[name], privateKey, whole))
      const message = { before, body, after }
      expect(await verifySignature(name, key, signature, message)).toBe(true)
      const verified = verifySignature(name, key, signature, { ...message, after: `${after}!` })
      expect(await turnsOf(verified)).toBeGreaterThanOrEqual(name === 'EdDSA' ? 1 : 15)
      expect(await verified).toBe(false)
      const wrong = signature.slice()
      wrong[7] = (wrong[7] ?? 0) ^ 1
      expect(await verifySignature(name, key, wrong, message)).toBe(false)
    }
  })

  it('says that it was abandoned, and not that it does not verify', async () => {
    const { publicKey: key } = await keysFor('ES256')
    const unwanted = body.slice()
    abandon(unwanted)
    const message = { before: '', body: unwanted, after: '' }
    await expect(verifySignature('ES256', key, new Uint8Array(64), message)).rejects.toBe(ABANDONED)
  })
})

describe('an abandoned body', () => {
  it('ends the computation in the middle', async () => {
    const unwanted = body.slice()
    const mac = Promise.resolve(hmacWith('sha256', Buffer.from('key'), 'hex')('', unwanted, ''))
    setImmediate(() => setImmediate(() => abandon(unwanted)))
    expect(await turnsOf(mac.catch(() => {}))).toBeLessThanOrEqual(5)
    await expect(mac).rejects.toBe(ABANDONED)
  })
})
