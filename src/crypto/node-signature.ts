/** Verifies token signatures with node:crypto. Uses the global `process`: importing node:process creates its streams. */
import { KeyObject, verify } from 'node:crypto'
import { derSignature } from './der-signature.ts'
import { count, runsInline } from './node-pool.ts'
import { isKeyFor, type JwtAlgorithm, type SignatureKey } from './signature-keys.ts'

/**
 * Verifies `signature` over `message`, which is ASCII text or bytes, with a key imported for the algorithm (RFC 7515 5.2).
 *
 * Runs inline or in the thread pool: see `runsInline`.
 */
export async function verifySignature(
  algorithm: JwtAlgorithm,
  key: SignatureKey,
  signature: Uint8Array<ArrayBuffer>,
  message: string | Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  count(1)
  try {
    const keyObject = keyObjectFor(algorithm, key)
    const encoded = algorithm === 'ES256' ? derSignature(signature) : signature
    if (!keyObject || !encoded) return false
    const bytes = typeof message === 'string' ? Buffer.from(message, 'latin1') : message
    const digest = algorithm === 'EdDSA' ? null : 'sha256'
    const check = [digest, bytes, keyObject, encoded] as const
    await undefined // lets checks of the same tick be counted
    if (runsInline()) return verify(...check)
    return await new Promise((resolve) => {
      verify(...check, (error, verifies) => resolve(error === null && verifies))
    })
  } catch {
    return false
  } finally {
    count(-1)
  }
}

const keyObjects = new WeakMap<SignatureKey, readonly [JwtAlgorithm, KeyObject]>()

/** Cached per key. Pass the key itself to `verify`: some versions of Node parse `{ key, … }` again on each call, which takes longer than RS256. */
function keyObjectFor(algorithm: JwtAlgorithm, key: SignatureKey): KeyObject | undefined {
  let known = keyObjects.get(key)
  if (known === undefined && isKeyFor(algorithm, key)) {
    known = [algorithm, KeyObject.from(key)]
    keyObjects.set(key, known)
  }
  return known?.[0] === algorithm ? known[1] : undefined
}
