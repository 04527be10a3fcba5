import type { Random } from './random.ts'
import type { SigningKey } from './signing-keys.ts'

const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const ED25519_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n

const toNumber = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`)
const toBytes = (value: bigint) => Buffer.from((value % 2n ** 256n).toString(16).padStart(64, '0'), 'hex')

/** Signatures as attackers and careless libraries make them. */
export function oddSignature(signature: Buffer, key: SigningKey, input: string, random: Random): Buffer {
  if (random.chance(0.5)) return reshaped(signature, random)
  if (key.algorithm === 'ES256') return oddEcdsa(signature, random)
  if (key.algorithm === 'EdDSA') return oddEddsa(signature, random)
  return random.pick([
    Buffer.concat([Buffer.of(0), signature]),
    signature.subarray(1),
    key.sign(input, random.pick(['sha1', 'sha384', 'sha512'])),
    Buffer.from(key.publicJwk.n === undefined ? '' : `${key.publicJwk.n}`, 'base64url'),
  ])
}

function reshaped(signature: Buffer, random: Random): Buffer {
  const flipped = Buffer.from(signature)
  const at = random.below(flipped.length)
  flipped[at] = (flipped[at] ?? 0) ^ (1 << random.below(8))
  return random.pick([
    flipped,
    signature.subarray(0, -1),
    Buffer.concat([signature, Buffer.of(0)]),
    Buffer.concat([signature, signature]),
    Buffer.alloc(signature.length),
    Buffer.alloc(signature.length, 255),
    random.bytes(signature.length),
    Buffer.of(),
  ])
}

/** r and s at and beyond the limits of their range, the twin (r, n - s), and DER. */
function oddEcdsa(signature: Buffer, random: Random): Buffer {
  const [r, s] = [toNumber(signature.subarray(0, 32)), toNumber(signature.subarray(32))]
  const ends = [0n, 1n, P256_ORDER - 1n, P256_ORDER, P256_ORDER + 1n, 2n ** 256n - 1n]
  const pairs: readonly (readonly [bigint, bigint])[] = [
    ...[
      [r, P256_ORDER - s] as const,
      [r, P256_ORDER - s] as const,
      [s, r] as const,
      [r + P256_ORDER, s] as const,
    ],
    ...[[r, s + P256_ORDER] as const, [random.pick(ends), s] as const, [r, random.pick(ends)] as const],
    [random.pick(ends), random.pick(ends)],
  ]
  const [newR, newS] = random.pick(pairs)
  if (random.chance(0.9)) return Buffer.concat([toBytes(newR), toBytes(newS)])
  const integer = (bytes: Buffer) => Buffer.concat([Buffer.of(2, 33, 0), bytes])
  const parts = Buffer.concat([integer(signature.subarray(0, 32)), integer(signature.subarray(32))])
  return Buffer.concat([Buffer.of(0x30, parts.length), parts])
}

/** S + L, an R of small order, and an S of 0. */
function oddEddsa(signature: Buffer, random: Random): Buffer {
  const [start, end] = [signature.subarray(0, 32), signature.subarray(32)]
  const scalar = toNumber(Buffer.from(end).reverse())
  const identity = Buffer.alloc(32)
  identity[0] = 1
  return random.pick([
    Buffer.concat([start, toBytes(scalar + ED25519_ORDER).reverse()]),
    Buffer.concat([start, toBytes(ED25519_ORDER).reverse()]),
    Buffer.concat([identity, Buffer.alloc(32)]),
    Buffer.concat([start, Buffer.alloc(32)]),
    Buffer.concat([end, start]),
  ])
}
