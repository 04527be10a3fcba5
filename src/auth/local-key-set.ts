import { ListenerConfigError } from '../errors.ts'
import { Jwks } from './jwks.ts'
import type { KeySet } from './key-set.ts'

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
