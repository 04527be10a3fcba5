import type { CryptoKey } from 'jose'
import { importJWK } from 'jose/key/import'
import type { JwtAlgorithm } from '../crypto/algorithms.ts'
import { type ReadJwk, readJwk } from '../crypto/public-keys.ts'
import { ListenerConfigError } from '../errors.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { memberOf, textOf } from '../lib/member-of.ts'
import { MAX_KEYS } from '../limits.ts'

interface Entry extends ReadJwk {
  imported?: CryptoKey
}

/** The keys of one JWKS document (RFC 7517 5). A bad key is never used, and does not affect the good ones. */
export class Jwks implements KeySet {
  readonly #entries: readonly Entry[]
  readonly size: number

  /** @throws Error when the document is not a JWKS or has over 100 keys. */
  constructor(document: unknown) {
    const keys = memberOf(document, 'keys')
    if (!Array.isArray(keys)) throw new Error('is not a JWKS: { keys: [...] }')
    if (keys.length > MAX_KEYS) throw new Error(`has over ${MAX_KEYS} keys`)
    this.#entries = keys.flatMap((key) => readJwk(key) ?? [])
    this.size = this.#entries.length
  }

  has(keyId: string): boolean {
    return this.#entries.some((entry) => entry.keyId === keyId)
  }

  find(keyId: string, algorithm: JwtAlgorithm): MaybePromise<CryptoKey | string> {
    const namesakes = this.#entries.filter((entry) => entry.keyId === keyId)
    const fitting = namesakes.filter((entry) => entry.algorithm === algorithm && !entry.problem)
    const [entry, another] = fitting
    if (another) return `more than one ${algorithm} key has this kid`
    if (entry === undefined) {
      const problem = namesakes.find((entry) => entry.problem)?.problem
      return problem ? `the key with this kid is not used: ${problem}` : `no ${algorithm} key has this kid`
    }
    return entry.imported ?? importEntry(entry)
  }
}

async function importEntry(entry: Entry): Promise<CryptoKey | string> {
  try {
    entry.imported = (await importJWK(entry.jwk, entry.algorithm)) as CryptoKey // importJWK returns bytes only for `kty: oct`
    return entry.imported
  } catch {
    return 'the key with this kid cannot be imported'
  }
}

/** Finds the public keys of a sender. */
export interface KeySet {
  /**
   * Returns the one key with this `kid` and algorithm. Returns a string with the reason if there is none, or more than one.
   *
   * @throws KeySetError if no key set is available, or it lacks the key and may be outdated.
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
    throw new ListenerConfigError('jwks', textOf(error, 'message') ?? 'cannot be read')
  }
}
