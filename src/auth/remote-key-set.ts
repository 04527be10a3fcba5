import type { CryptoKey } from 'jose'
import type { JwtAlgorithm } from '../crypto/signature-keys.ts'
import { KeySetError } from '../errors.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import {
  aBoolean,
  aFunction,
  checkOptions,
  type OptionTable,
  optional,
  positiveSeconds,
  timerSeconds,
  withMethods,
} from '../lib/options.ts'
import type { Clock } from '../listener-options.ts'
import { type Fetch, fetchJwks } from './fetch-jwks.ts'
import type { Jwks } from './jwks.ts'
import { jwksUrl } from './jwks-url.ts'
import type { KeySet } from './key-set.ts'
import { type SharedAttempt, sharedAttempt, type WaitUntil } from './shared-attempt.ts'

/** The options of `remoteKeySet`. */
export interface RemoteKeySetOptions {
  /** How long one attempt may take, body included, in seconds. Default 5. */
  readonly timeoutSeconds?: number | undefined
  /** How long the last good set is used while the host is down, in seconds. Default 86,400, which is 24 hours. */
  readonly maxStaleSeconds?: number | undefined
  /** Also take `http:` URLs of this machine, for tests. Default false. */
  readonly allowInsecureLoopback?: boolean | undefined
  /** Default `globalThis.fetch`. */
  readonly fetch?: Fetch | undefined
  /** Measures ages, in milliseconds. Default `performance`, which no one can set back. */
  readonly clock?: Clock | undefined
  /**
   * Called with each attempt, which then outlives the request that began it: `waitUntil` of `cloudflare:workers`, or of
   * your platform. Without it, on Workers, an attempt ends with its request, and others may wait for it in vain.
   */
  readonly waitUntil?: WaitUntil | undefined
}

const OPTIONS: OptionTable<RemoteKeySetOptions> = {
  timeoutSeconds: optional(timerSeconds),
  maxStaleSeconds: optional(positiveSeconds),
  allowInsecureLoopback: optional(aBoolean),
  fetch: optional(aFunction),
  clock: optional(withMethods('now')),
  waitUntil: optional(aFunction),
}

const FRESH_MS = 600_000
/** A set in use is renewed before it expires, so that no delivery has to wait for it. */
const RENEW_AFTER_MS = FRESH_MS / 2
const COOLDOWN_MS = 30_000
/** For an attempt's own deadline to come before it counts as lost. */
const GRACE_MS = 1000
/** How long a failure proves that the host is down. It covers the pause between two attempts. */
const DOWN_MS = 2 * COOLDOWN_MS

/**
 * The sender's JWKS, fetched when a token first needs it and then kept (specification 5.2). Built for an endpoint that
 * strangers can call: one attempt per 30 s, failures included, shared by all who wait; a set is fresh for 10 minutes
 * and renewed after 5; a `kid` it lacks is worth an attempt, but not a storm; while the host is down, the last good
 * set stands in. A key that a later set lacks is gone at once. Make one per URL, at start.
 *
 * Not checked: where the host name leads. For URLs that strangers configure, give a `fetch` that refuses private addresses.
 *
 * @throws ListenerConfigError unless the URL is `https:` and carries no credentials.
 */
export function remoteKeySet(url: string | URL, options: RemoteKeySetOptions = {}): KeySet {
  checkOptions('remoteKeySet', options, OPTIONS)
  return new RemoteKeySet(jwksUrl(url, options.allowInsecureLoopback), options)
}

class RemoteKeySet implements KeySet {
  readonly #where: string
  readonly #fetchJwks: () => Promise<Jwks>
  readonly #clock: Clock
  readonly #usableMs: number
  readonly #attempt: SharedAttempt

  #jwks: Jwks | undefined
  #fetchedAt = -Infinity
  #failure: unknown
  #failedAt = -Infinity

  constructor({ href, origin, pathname }: URL, options: RemoteKeySetOptions) {
    const { clock = performance, timeoutSeconds = 5, maxStaleSeconds = 86_400, waitUntil } = options
    const { fetch = (...request) => globalThis.fetch(...request) } = options
    const timeoutMs = timeoutSeconds * 1000
    this.#where = origin + pathname
    this.#fetchJwks = () => fetchJwks(href, fetch, timeoutMs)
    this.#clock = clock
    this.#usableMs = FRESH_MS + maxStaleSeconds * 1000
    this.#attempt = sharedAttempt(() => this.#load(), timeoutMs + GRACE_MS, clock, waitUntil)
  }

  find(keyId: string, algorithm: JwtAlgorithm): MaybePromise<CryptoKey | string> {
    const age = this.#since(this.#fetchedAt)
    const usable = age < this.#usableMs
    const known = usable && this.#jwks?.has(keyId)
    if (known && age < RENEW_AFTER_MS) return this.#answer(keyId, algorithm)
    // A lost attempt says nothing of the host, and without any keys nobody can wait out the pause.
    const isDue = this.#since(this.#attempt.beganAt()) >= COOLDOWN_MS || (this.#attempt.isLost() && !usable)
    const begun = isDue ? this.#attempt.begin() : undefined
    // Known keys wait only once a set has expired, unless the host has just proved to be down.
    const wait = !known || (age >= FRESH_MS && this.#since(this.#failedAt) >= DOWN_MS)
    const attempt = wait ? (begun ?? this.#attempt.join()) : undefined
    return attempt ? attempt.then(() => this.#answer(keyId, algorithm)) : this.#answer(keyId, algorithm)
  }

  #answer(keyId: string, algorithm: JwtAlgorithm): MaybePromise<CryptoKey | string> {
    if (this.#jwks && this.#since(this.#fetchedAt) < this.#usableMs) return this.#jwks.find(keyId, algorithm)
    const wait = Math.max(1, Math.ceil((COOLDOWN_MS - this.#since(this.#attempt.beganAt())) / 1000))
    throw new KeySetError(`${this.#where} ${reasonOf(this.#failure)}`, wait, { cause: this.#failure })
  }

  /** Never rejects: a failure is kept, and the old set too. */
  async #load(): Promise<void> {
    try {
      this.#jwks = await this.#fetchJwks()
      this.#fetchedAt = this.#clock.now()
    } catch (error) {
      this.#failure = error
      this.#failedAt = this.#clock.now()
    }
  }

  /** A clock that was set back makes every age unknown, which is as good as very old. */
  #since(then: number): number {
    const age = this.#clock.now() - then
    return age < 0 ? Infinity : age
  }
}

/** What `fetch` throws says only that it failed; why stands in its cause. */
function reasonOf(failure: unknown): string {
  const { message = 'has not answered yet', cause } = Object(failure)
  const why = cause?.message || cause?.code
  return why ? `${message}: ${why}` : message
}
