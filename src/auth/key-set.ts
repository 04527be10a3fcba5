import type { CryptoKey } from 'jose'
import type { JwtAlgorithm } from '../crypto/signature-keys.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'

/**
 * Finds the public keys of a sender.
 *
 * @example
 * ```ts
 * const keys: KeySet = localKeySet(JSON.parse(process.env.SENDER_JWKS ?? '{}'))
 * ```
 */
export interface KeySet {
  /**
   * Returns the one key with this `kid` and algorithm. Returns a string with the reason if there is none, or more than one.
   *
   * @throws KeySetError if no key set is available.
   */
  find(keyId: string, algorithm: JwtAlgorithm): MaybePromise<CryptoKey | string>
}
