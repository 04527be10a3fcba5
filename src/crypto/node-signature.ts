/** Signatures of tokens on node:crypto. What else is of Node is global: importing node:process would make its streams. */
import { KeyObject, verify } from 'node:crypto'
import { isKeyFor, type JwtAlgorithm, type SignatureKey } from './signature-keys.ts'

type SignatureCheck = readonly [
  digest: string | null,
  text: Uint8Array,
  key: KeyObject,
  signature: Uint8Array,
]

/**
 * Whether `signature` over the ASCII `text` verifies with a key that was imported for the algorithm (RFC 7515 5.2).
 *
 * A check that is alone runs here: the way to the thread pool and back takes as long as the check. Where others are
 * under way, in this stretch of code, in the pool or in this turn of the event loop, the other cores help.
 */
export async function verifySignature(
  algorithm: JwtAlgorithm,
  key: SignatureKey,
  signature: Uint8Array<ArrayBuffer>,
  text: string,
): Promise<boolean> {
  try {
    const keyObject = keyObjectFor(algorithm, key)
    const encoded = algorithm === 'ES256' ? derSignature(signature) : signature
    if (!keyObject || !encoded) return false
    const digest = algorithm === 'EdDSA' ? null : 'sha256'
    const check: SignatureCheck = [digest, Buffer.from(text, 'latin1'), keyObject, encoded]
    waiting += 1
    await undefined // those who begin together are counted by now
    waiting -= 1
    return isAlone() ? verify(...check) : await runInPool(check)
  } catch {
    return false
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
  const end = writeInteger(der, writeInteger(der, 2, signature.subarray(0, 32)), signature.subarray(32))
  der[0] = 0x30
  der[1] = end - 2
  return der.subarray(0, end)
}

/** As short as it can be, with a zero in front where the first bit is set: that would be a sign. */
function writeInteger(der: Uint8Array, at: number, bytes: Uint8Array): number {
  let start = 0
  while (start < 31 && bytes[start] === 0) start += 1
  const zero = (bytes[start] ?? 0) >> 7
  der[at] = 0x02
  der[at + 1] = zero + 32 - start
  der.set(bytes.subarray(start), at + 2 + zero)
  return at + 34 + zero - start
}

let waiting = 0
let inPool = 0
let checkedThisTurn = false
let noticed = false

function isAlone(): boolean {
  if (waiting > 0 || inPool > 0 || checkedThisTurn) return false
  if (!noticed) {
    noticed = true
    // Only when this task is over: one that checks token after token is still alone.
    process.nextTick(() => {
      checkedThisTurn = true
      setImmediate(() => {
        checkedThisTurn = noticed = false
      })
    })
  }
  return true
}

function runInPool(check: SignatureCheck): Promise<boolean> {
  return new Promise((resolve) => {
    verify(...check, (error, verifies) => {
      inPool -= 1
      resolve(error === null && verifies)
    })
    inPool += 1
  })
}
