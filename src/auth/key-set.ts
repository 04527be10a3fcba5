import type { CryptoKey } from 'jose'
import type { JwtAlgorithm } from '../crypto/signature-keys.ts'
import { ListenerConfigError } from '../errors.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { Jwks } from './jwks.ts'

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

/**
 * Makes a key set from a parsed JWKS document (RFC 7517 5). Skips unusable keys, and reports them when a token refers to
 * one.
 *
 * @example
 * ```ts
 * const keys = localKeySet({ keys: [publicJwk] })
 * ```
 *
 * @throws ListenerConfigError if it is not a JWKS, or has over 100 keys.
 */
export function localKeySet(jwks: { readonly keys: readonly object[] }): KeySet {
  try {
    return new Jwks(jwks)
  } catch (error) {
    throw new ListenerConfigError('jwks', error instanceof Error ? error.message : String(error))
  }
}
