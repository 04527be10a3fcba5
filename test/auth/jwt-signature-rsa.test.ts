import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { verify } from '../../src/index.ts'
import { ACCEPTED, invalid, jwtSender } from '../support/jwt-listener.ts'
import { changeSignature, newKey, toBytes, toNumber } from '../support/keys.ts'

const RSA = newKey('RS256')
const { send } = jwtSender(RSA)
const UNVERIFIED = invalid('the signature does not verify')

/** DigestInfo of SHA-256 up to the hash (RFC 8017 9.2, note 1). */
const SHA256_INFO = '3031300d060960864801650304020105000420'
const LENGTH = 256
const N = toNumber(Buffer.from(String(RSA.publicKey.n), 'base64url'))

describe('RS256 padding', () => {
  it('jwt() accepts the one padding of RFC 8017, made by hand', async () => {
    expect(await send({ signer: padded((hash) => block(info(SHA256_INFO, hash))) })).toMatchObject(ACCEPTED)
  })

  it.each<[string, (hash: Buffer) => Buffer]>([
    ['no DigestInfo', (hash) => block(hash)],
    [
      'no NULL parameter',
      (hash) => block(info('302f300b0609608648016503040201', Buffer.from('0420', 'hex'), hash)),
    ],
    ['an empty OID', (hash) => block(info('302830040600050004', Buffer.from('20', 'hex'), hash))],
    ['the OID of SHA-1', (hash) => block(info('3029300906052b0e03021a05000420', hash))],
    ['the OID of SHA-512', (hash) => block(info('3031300d060960864801650304020305000420', hash))],
    ['a long-form length', (hash) => block(info('308131300d060960864801650304020105000420', hash))],
    ['an indefinite length', (hash) => block(info('3080300d060960864801650304020105000420', hash, zeros(2)))],
    ['a hash length of 0', () => block(info('3011300d060960864801650304020105000400'))],
    [
      'a hash length of 31',
      (hash) => block(info('3030300d06096086480165030402010500041f', hash.subarray(1))),
    ],
    ['bytes after the hash', (hash) => block(info(SHA256_INFO, hash, zeros(8)))],
    [
      'bytes after the hash, inside DigestInfo',
      (hash) => block(info('3033300d060960864801650304020105000420', hash, zeros(2))),
    ],
    [
      'bytes in the NULL parameter',
      (hash) => block(info('3035300f0609608648016503040201050200000420', hash)),
    ],
    ['8 bytes of padding, and garbage to the end', (hash) => short(info(SHA256_INFO, hash), 8)],
    ['no padding bytes, and garbage to the end', (hash) => short(info(SHA256_INFO, hash), 0)],
    ['a padding byte that is not ff', (hash) => block(info(SHA256_INFO, hash)).fill(0xfe, 10, 11)],
    ['a zero in the padding', (hash) => block(info(SHA256_INFO, hash)).fill(0, 10, 11)],
    ['a first byte of 01', (hash) => block(info(SHA256_INFO, hash)).fill(1, 0, 1)],
    ['block type 00', (hash) => block(info(SHA256_INFO, hash)).fill(0, 1, 2)],
    ['block type 02', (hash) => block(info(SHA256_INFO, hash)).fill(2, 1, 2)],
    [
      'no zero before DigestInfo',
      (hash) => block(Buffer.concat([Buffer.from([0xff]), info(SHA256_INFO, hash)])),
    ],
    ['the hash of something else', () => block(info(SHA256_INFO, zeros(32)))],
    ['all zeros', () => zeros(LENGTH)],
  ])('jwt() refuses a block with %s', async (_, build) => {
    expect(await send({ signer: padded(build) })).toMatchObject(UNVERIFIED)
  })
})

describe('RS256 signatures as numbers', () => {
  it.each<[string, (signature: Buffer) => Uint8Array]>([
    ['0', () => zeros(LENGTH)],
    ['1', () => toBytes(1n, LENGTH)],
    ['n - 1', () => toBytes(N - 1n, LENGTH)],
    ['n', () => toBytes(N, LENGTH)],
    ['2^2048 - 1', () => Buffer.alloc(LENGTH, 255)],
    ['n - s', (signature) => toBytes(N - toNumber(signature), LENGTH)],
    ['s + n', (signature) => toBytes(toNumber(signature) + N, LENGTH + 1)],
    ['a leading zero', (signature) => Buffer.concat([zeros(1), signature])],
    ['a trailing zero', (signature) => Buffer.concat([signature, zeros(1)])],
    ['the first byte cut', (signature) => signature.subarray(1)],
    ['the last byte cut', (signature) => signature.subarray(0, LENGTH - 1)],
    ['twice the same', (signature) => Buffer.concat([signature, signature])],
    ['one byte', () => zeros(1)],
  ])('jwt() refuses a signature of %s', async (_, change) => {
    expect(await send({ token: (compact) => changeSignature(compact, change) })).toMatchObject(UNVERIFIED)
  })

  it('jwt() refuses a signature whose leading zero is left out', async () => {
    const { deliver, listener } = jwtSender(RSA)
    let eventId = ''
    let authorization = ''
    while (!/\.A[A-P][^.]+$/.test(authorization)) {
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
})

/** The bare operation (RFC 8017 5.2.1), written by hand because Deno's node:crypto has no RSA without padding. */
function rawRsa(message: Buffer): Buffer {
  const d = toNumber(Buffer.from(String(RSA.privateKey.d), 'base64url'))
  let power = 1n
  let base = toNumber(message) % N
  for (let exponent = d; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) power = (power * base) % N
    base = (base * base) % N
  }
  return toBytes(power, LENGTH)
}

/** Signs any block that a forger may choose. */
function padded(build: (hash: Buffer) => Buffer): (input: string) => Buffer {
  return (input) => {
    const hash = createHash('sha256').update(input).digest()
    return rawRsa(build(hash))
  }
}

/** 00 01 ff … ff 00 content. */
function block(content: Buffer): Buffer {
  const padding = Buffer.alloc(LENGTH - 3 - content.length, 255)
  return Buffer.concat([Buffer.from([0, 1]), padding, zeros(1), content])
}

/** The same with less padding. A verifier that ignores the bytes behind the hash would accept it. */
function short(content: Buffer, paddingBytes: number): Buffer {
  const start = [Buffer.from([0, 1]), Buffer.alloc(paddingBytes, 255), zeros(1), content]
  return Buffer.concat([...start, zeros(LENGTH)]).subarray(0, LENGTH)
}

function info(prefix: string, ...parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat([Buffer.from(prefix, 'hex'), ...parts])
}

function zeros(length: number): Buffer {
  return Buffer.alloc(length)
}
