/** Detects public keys that make forgery easy. Run once per key. */

const P = 2n ** 255n - 19n

/**
 * Whether an encoded Ed25519 point (RFC 8032 5.1.2, as a little-endian number) has small order, so that anyone can forge
 * signatures, or is not canonical (y >= p).
 *
 * Orders 1, 2 and 4 have y = 1, -1 and 0. A point of order 8, doubled, has y = 0, so that x² = -y² (RFC 8032 5.1.4), and
 * the curve -x² + y² = 1 + dx²y² with d = -121665/121666 becomes 121665y⁴ - 243332y² + 121666 = 0.
 */
export function isSmallOrderEd25519(encoded: bigint): boolean {
  const y = BigInt.asUintN(255, encoded)
  const square = y * y
  const order8 = (121665n * square - 243332n) * square + 121666n
  return y >= P || (y * (square - 1n) * order8) % P === 0n
}

const ROCA_PRIMES = [11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157]

/** Whether an RSA modulus has the ROCA fingerprint (CVE-2017-15361): a power of 65537 modulo small primes. */
export function hasRocaFingerprint(modulus: bigint): boolean {
  return ROCA_PRIMES.every((prime) => isPowerOf65537(Number(modulus % BigInt(prime)), prime))
}

/** The powers are cyclic: after the last comes 1. */
function isPowerOf65537(residue: number, prime: number): boolean {
  let power = 1
  do {
    if (power === residue) return true
    power = (power * 65537) % prime
  } while (power !== 1)
  return false
}
