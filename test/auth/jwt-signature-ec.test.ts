import { describe, expect, it } from 'vitest'
import { verify } from '../../src/index.ts'
import { ACCEPTED, invalid, jwtSender } from '../support/jwt-listener.ts'
import { changeSignature, newKey, toBytes, toNumber } from '../support/keys.ts'

const EC = newKey('ES256')
const ED = newKey('EdDSA')
const UNVERIFIED = invalid('the signature does not verify')

/** The orders of the groups of P-256 (FIPS 186-5) and of Ed25519 (RFC 8032 5.1). */
const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const L = 2n ** 252n + 27742317777372353535851937790883648493n

describe('ES256 signatures', () => {
  const { listener, deliver, send } = jwtSender(EC)

  const forms: [string, (r: bigint, s: bigint) => [bigint, bigint]][] = [
    ['r = s = 0', () => [0n, 0n]],
    ['r = 0', (_, s) => [0n, s]],
    ['s = 0', (r) => [r, 0n]],
    ['r = s = n', () => [N, N]],
    ['r = n', (_, s) => [N, s]],
    ['s = n', (r) => [r, N]],
    ['r = n, s = 0', () => [N, 0n]],
    ['r = 0, s = n', () => [0n, N]],
    ['r = s = n + 1', () => [N + 1n, N + 1n]],
    ['r = s = 1', () => [1n, 1n]],
    ['r = 1, s = 0', () => [1n, 0n]],
    ['r = s = n - 1', () => [N - 1n, N - 1n]],
    ['r = s = 2^256 - 1', () => [2n ** 256n - 1n, 2n ** 256n - 1n]],
    ['r and s swapped', (r, s) => [s, r]],
    ['n - r', (r, s) => [N - r, s]],
    ['s + 1', (r, s) => [r, s + 1n]],
  ]
  it.each(forms)('jwt() refuses the pair %s', async (_, form) => {
    const token = (compact: string) =>
      changeSignature(compact, (signature) => {
        const [r, s] = form(...split(signature))
        return Buffer.concat([toBytes(r, 32), toBytes(s, 32)])
      })
    expect(await send({ token })).toMatchObject(UNVERIFIED)
  })

  it('jwt() refuses a DER signature', async () => {
    const token = (compact: string) => changeSignature(compact, (signature) => toDer(...split(signature)))
    expect(await send({ token })).toMatchObject(UNVERIFIED)
  })

  it.each<[string, (signature: Buffer) => Uint8Array]>([
    ['63 bytes, the last one cut', (signature) => signature.subarray(0, 63)],
    ['63 bytes, the first one cut', (signature) => signature.subarray(1)],
    ['65 bytes, a trailing zero', (signature) => Buffer.concat([signature, Buffer.alloc(1)])],
    ['65 bytes, a leading zero', (signature) => Buffer.concat([Buffer.alloc(1), signature])],
    ['66 bytes, a zero in front of both', (signature) => widen(signature, 33)],
    ['128 bytes, zeros in front of both', (signature) => widen(signature, 64)],
    ['128 bytes, twice the same', (signature) => Buffer.concat([signature, signature])],
    ['32 bytes, r alone', (signature) => signature.subarray(0, 32)],
    ['one byte', () => Buffer.alloc(1, 1)],
  ])('jwt() refuses a signature of %s', async (_, change) => {
    expect(await send({ token: (compact) => changeSignature(compact, change) })).toMatchObject(UNVERIFIED)
  })

  it('jwt() refuses a signature whose leading zeros are left out', async () => {
    let eventId = ''
    let authorization = ''
    // Each text differs, because some engines sign the same text the same way (RFC 6979).
    while (!/\.A[A-D][^.]{84}$/.test(authorization)) {
      eventId = crypto.randomUUID()
      authorization = String(deliver({ eventId }).header('authorization'))
    }
    const shortened = changeSignature(authorization, (signature) => signature.subarray(1))
    expect(await verify(deliver({ eventId, authorization: () => shortened }), listener)).toMatchObject(
      UNVERIFIED,
    )
    expect(await verify(deliver({ eventId, authorization: () => authorization }), listener)).toMatchObject(
      ACCEPTED,
    )
  })

  it('jwt() takes (r, n - s) for the same event: a signature is not an identity', async () => {
    const eventId = crypto.randomUUID()
    let mirrored = ''
    const delivery = deliver({
      eventId,
      token: (compact) => {
        mirrored = changeSignature(compact, (signature) => {
          const [r, s] = split(signature)
          return Buffer.concat([toBytes(r, 32), toBytes(N - s, 32)])
        })
        return compact
      },
    })
    const first = await verify(delivery, listener)
    expect(first).toMatchObject(ACCEPTED)
    if (first.ok) await first.event.commit()
    const replay = deliver({ eventId, token: () => mirrored })
    expect(replay.header('authorization')).not.toBe(delivery.header('authorization'))
    expect(await verify(replay, listener)).toMatchObject({
      ok: false,
      status: 409,
      reason: 'event_duplicate',
    })
    expect(await verify(replay, jwtSender(EC, { id: 'L2' }).listener)).toMatchObject(ACCEPTED)
  })
})

describe('EdDSA signatures', () => {
  const { send } = jwtSender(ED)

  it('jwt() accepts the plain form of an EdDSA signature', async () => {
    expect(await send()).toMatchObject(ACCEPTED)
  })

  it.each<[string, (signature: Buffer) => Uint8Array]>([
    ['S + L', (signature) => withS(signature, (s) => s + L)],
    ['S + 2 L', (signature) => withS(signature, (s) => s + 2n * L)],
    ['S + 8 L', (signature) => withS(signature, (s) => s + 8n * L)],
    ['L - S', (signature) => withS(signature, (s) => L - s)],
    ['S = 0', (signature) => withS(signature, () => 0n)],
    ['S = L', (signature) => withS(signature, () => L)],
    ['R = 0', (signature) => Buffer.concat([Buffer.alloc(32), signature.subarray(32)])],
    ['R and S swapped', (signature) => Buffer.concat([signature.subarray(32), signature.subarray(0, 32)])],
    ['R with its sign changed', (signature) => signature.with(31, (signature[31] ?? 0) ^ 0x80)],
    ['63 bytes', (signature) => signature.subarray(0, 63)],
    ['32 bytes', (signature) => signature.subarray(0, 32)],
    ['65 bytes, a trailing zero', (signature) => Buffer.concat([signature, Buffer.alloc(1)])],
    ['65 bytes, a leading zero', (signature) => Buffer.concat([Buffer.alloc(1), signature])],
    ['114 bytes, as Ed448 has', (signature) => Buffer.concat([signature, Buffer.alloc(50)])],
    ['all zeros', () => Buffer.alloc(64)],
    ['all ones', () => Buffer.alloc(64, 255)],
  ])('jwt() refuses a signature with %s', async (_, change) => {
    expect(await send({ token: (compact) => changeSignature(compact, change) })).toMatchObject(UNVERIFIED)
  })
})

function split(signature: Buffer): [r: bigint, s: bigint] {
  return [toNumber(signature.subarray(0, 32)), toNumber(signature.subarray(32))]
}

function widen(signature: Buffer, length: number): Buffer {
  return Buffer.concat(split(signature).map((value) => toBytes(value, length)))
}

function toDer(...values: readonly bigint[]): Buffer {
  const integers = values.map((value) => {
    const bytes = toBytes(value, 33)
    return Buffer.from([0x02, bytes.length, ...bytes])
  })
  const content = Buffer.concat(integers)
  return Buffer.concat([Buffer.from([0x30, content.length]), content])
}

function withS(signature: Buffer, change: (s: bigint) => bigint): Buffer {
  const s = toNumber(Buffer.from(signature.subarray(32)).reverse())
  return Buffer.concat([signature.subarray(0, 32), toBytes(change(s), 32).reverse()])
}
