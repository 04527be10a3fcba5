import type { CryptoKey } from 'jose'
import type { JwtAlgorithm } from '../crypto/signature-keys.ts'
import { ListenerConfigError } from '../errors.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { Jwks } from './jwks.ts'

/** The public keys that a sender signs with. */
export interface KeySet {
  /**
   * The one key with this `kid` that fits the algorithm; a string says why there is none, or more than one.
   * @throws KeySetError when no key set is to be had.
   */
  find(keyId: string, algorithm: JwtAlgorithm): MaybePromise<CryptoKey | string>
}

/**
 * A key set that is at hand: the parsed JWKS document (RFC 7517 5). Keys that may not be used (see `Jwks`) are passed
 * over, and named when a token asks for them.
 *
 * @throws ListenerConfigError when it is not a JWKS, or has over 100 keys.
 */
export function localKeySet(jwks: { readonly keys: readonly object[] }): KeySet {
  try {
    return new Jwks(jwks)
  } catch (error) {
    throw new ListenerConfigError('jwks', error instanceof Error ? error.message : String(error))
  }
}
