/** Signatures of tokens on node:crypto. `process` is the global one: importing node:process would make its streams. */
import { KeyObject, verify } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { isKeyFor, type JwtAlgorithm, type SignatureKey } from './signature-keys.ts'

/**
 * Whether `signature` over the ASCII `message`, or over its bytes, verifies with a key that was imported for the algorithm (RFC 7515 5.2).
 *
 * A check that is alone runs here: the way to the thread pool and back takes as long as the check. Where others are
 * under way, in this stretch of code, in the pool or in this turn of the event loop, the other cores help, if there are any.
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
    await undefined // those who begin together are counted by now
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

/** Made once a key. Alone, not as `{ key, … }`: that is read anew, in some versions of Node for longer than RS256 takes. */
function keyObjectFor(algorithm: JwtAlgorithm, key: SignatureKey): KeyObject | undefined {
  let known = keyObjects.get(key)
  if (known === undefined && isKeyFor(algorithm, key)) {
    known = [algorithm, KeyObject.from(key)]
    keyObjects.set(key, known)
  }
  return known?.[0] === algorithm ? known[1] : undefined
}

/** r and s of 32 bytes each (RFC 7518 3.4) as an Ecdsa-Sig-Value (RFC 3279 2.2.3), which needs no `{ key, dsaEncoding }`. */
function derSignature(signature: Uint8Array): Uint8Array | undefined {
  if (signature.length !== 64) return undefined
  const der = new Uint8Array(72)
  let end = 2
  for (let start = 0, next = 32; next <= 64; start = next, next += 32) {
    // An integer is as short as it can be, with a zero in front where the first bit is set: that would be a sign.
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
    // It counts until this turn is over, but not before this task is: who checks token after token is still alone.
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
