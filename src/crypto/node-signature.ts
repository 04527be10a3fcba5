/** Verifies token signatures with node:crypto. Uses the global `process`: importing node:process creates its streams. */
import { KeyObject, verify } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { isKeyFor, type JwtAlgorithm, type SignatureKey } from './signature-keys.ts'

/**
 * Verifies `signature` over `message`, which is ASCII text or bytes, with a key imported for the algorithm (RFC 7515 5.2).
 *
 * Synchronous if nothing else is in flight, because a round trip to the thread pool costs as much as the check. Otherwise
 * uses the pool, to spread the load over the other cores, if there are any.
 */
export async function verifySignature(
  algorithm: JwtAlgorithm,
  key: SignatureKey,
  signature: Uint8Array<ArrayBuffer>,
  message: string | Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  underWay += 1
  try {
    const keyObject = keyObjectFor(algorithm, key)
    const encoded = algorithm === 'ES256' ? derSignature(signature) : signature
    if (!keyObject || !encoded) return false
    const bytes = typeof message === 'string' ? Buffer.from(message, 'latin1') : message
    const digest = algorithm === 'EdDSA' ? null : 'sha256'
    const check = [digest, bytes, keyObject, encoded] as const
    await undefined // lets calls of the same tick be counted
    if (isAlone()) return verify(...check)
    return await new Promise((resolve) => {
      verify(...check, (error, verifies) => resolve(error === null && verifies))
    })
  } catch {
    return false
  } finally {
    underWay -= 1
  }
}

const keyObjects = new WeakMap<SignatureKey, readonly [JwtAlgorithm, KeyObject]>()

/** Cached per key. Passed to `verify` bare: some versions of Node reparse `{ key, … }`, which costs more than RS256. */
function keyObjectFor(algorithm: JwtAlgorithm, key: SignatureKey): KeyObject | undefined {
  let known = keyObjects.get(key)
  if (known === undefined && isKeyFor(algorithm, key)) {
    known = [algorithm, KeyObject.from(key)]
    keyObjects.set(key, known)
  }
  return known?.[0] === algorithm ? known[1] : undefined
}

/** Converts r and s (RFC 7518 3.4) to an Ecdsa-Sig-Value (RFC 3279 2.2.3), which needs no `{ key, dsaEncoding }`. */
function derSignature(signature: Uint8Array): Uint8Array | undefined {
  if (signature.length !== 64) return undefined
  const der = new Uint8Array(72)
  let end = 2
  for (let start = 0, next = 32; next <= 64; start = next, next += 32) {
    // DER integers are minimal, with a leading zero if the first bit is set, because that is the sign bit.
    while (start < next - 1 && signature[start] === 0) start += 1
    const zero = (signature[start] ?? 0) >> 7
    const length = zero + next - start
    der[end] = 0x02
    der[end + 1] = length
    der.set(signature.subarray(start, next), end + 2 + zero)
    end += 2 + length
  }
  der[0] = 0x30
  der[1] = end - 2
  return der.subarray(0, end)
}

const hasOneCore = availableParallelism() === 1
let underWay = 0
let noticed = false

function isAlone(): boolean {
  if (hasOneCore) return true
  if (underWay > 1) return false
  if (!noticed) {
    noticed = true
    // In flight from the next tick to the end of the turn, so that sequential checks stay synchronous.
    process.nextTick(() => {
      underWay += 1
      setImmediate(() => {
        underWay -= 1
        noticed = false
      })
    })
  }
  return true
}
