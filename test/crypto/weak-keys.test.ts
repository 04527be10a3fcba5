import { describe, expect, it } from 'vitest'
import { hasRocaFingerprint, isSmallOrderEd25519 } from '../../src/crypto/public-keys.ts'
import { newKey, toNumber } from '../support/keys.ts'

const P = 2n ** 255n - 19n
const SIGN = 2n ** 255n

/** Edwards25519: -x² + y² = 1 + d x² y² (RFC 8032 5.1). */
const D = mod(-121665n * inverse(121666n))
const ROOT_OF_MINUS_1 = power(2n, (P - 1n) / 4n)
const IDENTITY = { x: 0n, y: 1n }

interface Point {
  readonly x: bigint
  readonly y: bigint
}

describe('points of small order', () => {
  const torsion = findTorsion()

  it('all eight points are detected, which arithmetic finds here', () => {
    expect(new Set(torsion.map(encode)).size).toBe(8)
    for (const point of torsion) {
      expect(multiply(point, 8n)).toEqual(IDENTITY)
      expect(isSmallOrderEd25519(encode(point))).toBe(true)
    }
  })

  it('the check detects each y with either sign', () => {
    for (const { y } of torsion) {
      expect(isSmallOrderEd25519(y)).toBe(true)
      expect(isSmallOrderEd25519(y + SIGN)).toBe(true)
    }
  })

  it('the check detects every second spelling, from p to 2^255 - 1, with either sign', () => {
    for (let y = P; y < SIGN; y += 1n) {
      expect(isSmallOrderEd25519(y)).toBe(true)
      expect(isSmallOrderEd25519(y + SIGN)).toBe(true)
    }
  })

  it('the check lets the neighbours of these points pass', () => {
    const special = new Set(torsion.map(({ y }) => y))
    for (const { y } of torsion) {
      for (const neighbour of [y - 1n, y + 1n]) {
        if (neighbour < 0n || neighbour >= P || special.has(neighbour)) continue
        expect(isSmallOrderEd25519(neighbour)).toBe(false)
      }
    }
    expect(isSmallOrderEd25519(P - 2n)).toBe(false)
    expect(isSmallOrderEd25519(P - 2n + SIGN)).toBe(false)
  })

  it('the check lets ordinary keys pass', () => {
    for (let round = 0; round < 100; round += 1) {
      const x = Buffer.from(String(newKey('EdDSA').publicKey.x), 'base64url').reverse()
      expect(isSmallOrderEd25519(toNumber(x))).toBe(false)
    }
  })
})

describe('the mark of ROCA', () => {
  const primes = [11n, 13n, 17n, 19n, 37n, 53n, 61n, 71n, 73n, 79n, 97n, 103n, 107n, 109n, 127n, 151n, 157n]
  const product = primes.reduce((left, right) => left * right)

  it('the mark is detected in every power of 65537 modulo the product of the primes', () => {
    let power = 1n
    for (let exponent = 0; exponent < 200; exponent += 1) {
      expect(hasRocaFingerprint(power + product * 2n ** 1900n)).toBe(true)
      power = (power * 65537n) % product
    }
  })

  it.each(primes)('the mark is not detected if the number is not such a power modulo %d', (prime) => {
    const rest = product / prime
    const powers = new Set<bigint>()
    for (let power = 1n; !powers.has(power); power = (power * 65537n) % prime) powers.add(power)
    let number = 1n
    while (powers.has(number % prime)) number += rest
    expect(hasRocaFingerprint(number)).toBe(false)
  })

  it('the mark is not detected in ordinary keys', () => {
    for (let round = 0; round < 3; round += 1) {
      const n = Buffer.from(String(newKey('RS256').publicKey.n), 'base64url')
      expect(hasRocaFingerprint(toNumber(n))).toBe(false)
    }
  })
})

/** The points whose order divides 8. Multiplying any point by the prime order leaves only such a point. */
function findTorsion(): readonly Point[] {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n
  for (let y = 2n; ; y += 1n) {
    const point = decode(y)
    const generator = point && multiply(point, order)
    if (generator && encode(multiply(generator, 4n)) !== encode(IDENTITY)) {
      return Array.from({ length: 8 }, (_, index) => multiply(generator, BigInt(index)))
    }
  }
}

function decode(y: bigint): Point | undefined {
  const square = mod((y * y - 1n) * inverse(D * y * y + 1n))
  const candidate = power(square, (P + 3n) / 8n)
  for (const x of [candidate, mod(candidate * ROOT_OF_MINUS_1)]) {
    if (mod(x * x) === square) return { x, y }
  }
  return undefined
}

function encode({ x, y }: Point): bigint {
  return y + (x & 1n) * SIGN
}

function add(a: Point, b: Point): Point {
  const product = D * a.x * b.x * a.y * b.y
  return {
    x: mod((a.x * b.y + b.x * a.y) * inverse(1n + product)),
    y: mod((a.y * b.y + a.x * b.x) * inverse(1n - product)),
  }
}

function multiply(point: Point, factor: bigint): Point {
  let sum: Point = IDENTITY
  let double = point
  for (let rest = factor; rest > 0n; rest >>= 1n) {
    if (rest & 1n) sum = add(sum, double)
    double = add(double, double)
  }
  return sum
}

function mod(value: bigint): bigint {
  return ((value % P) + P) % P
}

function inverse(value: bigint): bigint {
  return power(value, P - 2n)
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  let square = mod(base)
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = mod(result * square)
    square = mod(square * square)
  }
  return result
}
