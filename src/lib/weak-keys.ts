/** Public keys that make forging easy. Both tests are run once a key, when a key set is read. */

const P = 2n ** 255n - 19n
const SIGN = 1n << 255n

/** The y coordinates of Curve25519's points of order 8. Orders 1, 2 and 4 have y = 1, -1 and 0. */
const ORDER_8 = [
  2707385501144840649318225287225658788936804267575313519463743609750303402022n,
  P - 2707385501144840649318225287225658788936804267575313519463743609750303402022n,
]
const SMALL_ORDER = [0n, 1n, P - 1n, ...ORDER_8]

/**
 * Whether an encoded Ed25519 point (RFC 8032 5.1.2, as a little-endian number) is one of eight for which anyone can
 * make signatures that verify, or is written with y >= p, which gives a point a second spelling.
 */
export function isSmallOrderEd25519(encoded: bigint): boolean {
  const y = encoded & (SIGN - 1n)
  return y >= P || SMALL_ORDER.includes(y)
}

const ROCA_PRIMES = [11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157]

/** Whether an RSA modulus bears the mark of ROCA (CVE-2017-15361): modulo small primes it is a power of 65537. */
export function hasRocaFingerprint(modulus: bigint): boolean {
  return ROCA_PRIMES.every((prime) => powersOf65537(prime).has(Number(modulus % BigInt(prime))))
}

function powersOf65537(prime: number): Set<number> {
  const powers = new Set<number>()
  for (let power = 1; !powers.has(power); power = (power * 65537) % prime) powers.add(power)
  return powers
}
