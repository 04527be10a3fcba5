import { availableParallelism } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { type CryptoKey, importJWK } from 'jose'
import { describe, expect, it } from 'vitest'
import type { JwtAlgorithm } from '../../src/crypto/algorithms.ts'
import * as nodeCrypto from '../../src/crypto/node.ts'
import * as webCrypto from '../../src/crypto/web.ts'
import { newKey } from '../support/keys.ts'
import fc from '../support/property.ts'
import { IN_WORKERD, itOutsideWorkerd } from '../support/runtime.ts'

const TEXT = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0'
const P256_ORDER = 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551'

const KEYS = await Promise.all(
  (['RS256', 'ES256', 'EdDSA'] as const).map(async (algorithm) => {
    const signer = newKey(algorithm)
    const key = (await importJWK(signer.publicKey, algorithm)) as CryptoKey // none of them is symmetric
    const { alg: _, ...jwk } = signer.publicKey
    return { algorithm, key, jwk, sign: (text: string) => new Uint8Array(signer.sign(text)) }
  }),
)

function keyFor(wanted: JwtAlgorithm) {
  const found = KEYS.find(({ algorithm }) => algorithm === wanted)
  if (found === undefined) throw new Error('there is one for each')
  return found
}

/** `bytes` with bit `index` flipped. */
function flipped(bytes: Uint8Array<ArrayBuffer>, index: number) {
  return bytes.map((byte, at) => (at === index >> 3 ? byte ^ (1 << (index & 7)) : byte))
}

describe.each([
  ['node.ts', nodeCrypto],
  ['web.ts', webCrypto],
])('signatures by crypto/%s', (_, { verifySignature }) => {
  it.each(KEYS)('$algorithm verifies over its own text, and no other', async ({ algorithm, key, sign }) => {
    const signature = sign(TEXT)
    expect(await verifySignature(algorithm, key, signature, TEXT)).toBe(true)
    expect(await verifySignature(algorithm, key, signature, `${TEXT}0`)).toBe(false)
    expect(await verifySignature(algorithm, key, signature, '')).toBe(false)
    expect(await verifySignature(algorithm, key, sign(''), '')).toBe(true)
  })

  it.each(KEYS)('$algorithm is tied to every bit of the signature', async ({ algorithm, key, sign }) => {
    const signature = sign(TEXT)
    for (let bit = 0; bit < signature.length * 8; bit += 7) {
      expect(await verifySignature(algorithm, key, flipped(signature, bit), TEXT)).toBe(false)
    }
  })

  it.each(KEYS)(
    '$algorithm accepts only signatures of the right length',
    async ({ algorithm, key, sign }) => {
      const signature = sign(TEXT)
      const longer = new Uint8Array(signature.length + 1)
      longer.set(signature)
      const lengths = [0, 1, 31, 32, 63, 64, 65, signature.length - 1].filter((at) => at < signature.length)
      const wrong = [longer, ...lengths.map((length) => signature.slice(0, length))]
      for (const bytes of wrong) expect(await verifySignature(algorithm, key, bytes, TEXT)).toBe(false)
    },
  )

  it.each(KEYS)(
    '$algorithm judges each of many concurrent signatures separately',
    async ({ algorithm, key, sign }) => {
      const texts = Array.from({ length: 40 }, (_, index) => `${TEXT}${index}`)
      const answers = texts.map((text, index) =>
        verifySignature(algorithm, key, sign(index % 3 === 0 ? TEXT : text), text),
      )
      expect(await Promise.all(answers)).toStrictEqual(texts.map((_, index) => index % 3 !== 0))
    },
  )

  it.each(KEYS)(
    '$algorithm judges each of many concurrent messages in parts, whose sizes differ',
    async ({ algorithm, key, sign }) => {
      const messages = Array.from({ length: 40 }, (_, index) => ({
        before: `${index}.`,
        body: Buffer.alloc(((index * 7) % 11) * 9000, index),
        after: '.end',
      }))
      const answers = messages.map(({ before, body, after }, index) => {
        const text = before + body.toString('latin1') + (index % 3 === 0 ? '.bad' : after)
        return verifySignature(algorithm, key, sign(text), { before, body, after })
      })
      expect(await Promise.all(answers)).toStrictEqual(messages.map((_, index) => index % 3 !== 0))
    },
  )

  it('EdDSA verifies a message of over a megabyte', async () => {
    const { key, sign } = keyFor('EdDSA')
    const body = Buffer.alloc(1_100_000, 'a')
    const signature = sign(`1.${body}`)
    expect(await verifySignature('EdDSA', key, signature, { before: '1.', body, after: '' })).toBe(true)
    expect(await verifySignature('EdDSA', key, signature, { before: '2.', body, after: '' })).toBe(false)
  })

  it.each(KEYS)('$algorithm refuses a key of another algorithm', async ({ algorithm, key, sign }) => {
    for (const other of KEYS) {
      if (other.algorithm === algorithm) continue
      expect(await verifySignature(other.algorithm, key, sign(TEXT), TEXT)).toBe(false)
    }
  })

  it.each([
    ['RS256', { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-512' }],
    ['RS256', { name: 'RSA-PSS', hash: 'SHA-256' }],
    ['EdDSA', { name: 'Ed25519' }, []],
  ] as const)(
    '%s refuses its own key, imported as %j',
    async (algorithm, as, usages: readonly [] | ['verify'] = ['verify']) => {
      const { jwk, sign } = keyFor(algorithm)
      const key = await crypto.subtle.importKey('jwk', jwk, as, true, [...usages])
      expect(await verifySignature(algorithm, key, sign(TEXT), TEXT)).toBe(false)
    },
  )

  it.each([{}, null, 'a key', new Uint8Array(32)])('%j as a key fails without throwing', async (other) => {
    const key = other as unknown as CryptoKey
    expect(await verifySignature('EdDSA', key, keyFor('EdDSA').sign(TEXT), TEXT)).toBe(false)
  })

  it('ES256 accepts r and s that begin with zero bytes or with a high bit', async () => {
    const { key, sign } = keyFor('ES256')
    const seen = { zero: false, high: false }
    for (let serial = 0; !(seen.zero && seen.high); serial += 1) {
      const text = `${TEXT}${serial}`
      const signature = sign(text)
      const first = [signature[0] ?? 0, signature[32] ?? 0]
      if (!first.includes(0) && seen.high) continue
      seen.zero ||= first.includes(0)
      seen.high ||= first.some((byte) => byte > 127)
      expect(await verifySignature('ES256', key, signature, text)).toBe(true)
    }
  })

  it.each([
    ['both 0', '00'.repeat(64)],
    ['r 0', `${'00'.repeat(32)}${'01'.repeat(32)}`],
    ['s 0', `${'01'.repeat(32)}${'00'.repeat(32)}`],
    ['both 1', `${'00'.repeat(31)}01${'00'.repeat(31)}01`],
    ['the order of the curve', P256_ORDER.repeat(2)],
    ['all bits', 'ff'.repeat(64)],
  ])('ES256 refuses r and s: %s', async (_, hex) => {
    const { key } = keyFor('ES256')
    expect(await verifySignature('ES256', key, new Uint8Array(Buffer.from(hex, 'hex')), TEXT)).toBe(false)
  })

  it('verification refuses any other bytes without throwing', async () => {
    const bytes = fc.uint8Array({ maxLength: 300 }).map((given) => new Uint8Array(given))
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...KEYS), bytes, async ({ algorithm, key }, signature) => {
        expect(await verifySignature(algorithm, key, signature, TEXT)).toBe(false)
      }),
    )
  })
})

/** With one core nothing goes to the pool: see test/repo/one-core.test.ts. */
const itWithPool =
  availableParallelism() === 1 && !IN_WORKERD ? it.skip : itOutsideWorkerd('it has no thread pool')

describe('where node.ts checks a signature', () => {
  /** True if all checks end before any other task of this process runs. */
  async function areDoneAtOnce(count: number): Promise<boolean> {
    const { key, sign } = keyFor('EdDSA')
    const signature = sign(TEXT)
    let done = 0
    const checks = Array.from({ length: count }, async () => {
      await nodeCrypto.verifySignature('EdDSA', key, signature, TEXT)
      done += 1
    })
    for (let step = 0; step < 20; step += 1) await undefined
    const atOnce = done === count
    await Promise.all(checks)
    return atOnce
  }

  /** as between two requests that are far apart */
  async function idle(): Promise<void> {
    for (let turn = 0; turn < 50; turn += 1) await setImmediate()
  }

  it('a lone signature is checked synchronously, however often', async () => {
    await idle()
    for (let turn = 0; turn < 5; turn += 1) expect(await areDoneAtOnce(1)).toBe(true)
    await idle()
    expect(await areDoneAtOnce(1)).toBe(true)
  })

  itWithPool('of two at once the pool has a part (needs a second core)', async () => {
    await idle()
    expect(await areDoneAtOnce(2)).toBe(false)
  })

  itWithPool(
    'a second task in one turn of the event loop finds the first, and goes to the pool (needs a second core)',
    async () => {
      await idle()
      const answers: boolean[] = []
      await new Promise<void>((resolve) => {
        for (const _ of [1, 2]) {
          globalThis.setImmediate(async () => {
            answers.push(await areDoneAtOnce(1))
            if (answers.length === 2) resolve()
          })
        }
      })
      expect(answers).toStrictEqual([true, false])
    },
  )
})
