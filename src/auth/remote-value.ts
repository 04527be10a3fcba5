import { KeySetError } from '../errors.ts'
import type { Clock } from '../lib/clock.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import { memberOf, textOf } from '../lib/member-of.ts'
import {
  aFunction,
  type OptionTable,
  optional,
  positiveSeconds,
  timerSeconds,
  withMethods,
} from '../lib/options.ts'
import { Refreshed, type WaitUntil } from '../lib/refreshed.ts'
import type { Fetch } from './fetch-bytes.ts'

const FRESH_MS = 600_000
/** A value in use is renewed before it expires, so that no delivery has to wait for it. */
const RENEW_AFTER_MS = FRESH_MS / 2
export const COOLDOWN_MS = 30_000
/** How long a failure proves that the host is down. It covers the pause between two fetches. */
const DOWN_MS = 2 * COOLDOWN_MS

/**
 * Why a value is fetched: there is none yet, it is too old, it soon will be, or it is fresh but lacks a key.
 */
export type Trigger = 'first' | 'expired' | 'early' | 'unknown_kid'

/**
 * A document on another host, fetched when first needed and then cached. Safe for endpoints that strangers
 * can call: it makes at most one fetch per 30 s, failures included, and shares it among all waiting
 * deliveries. A value is fresh for 10 minutes and renewed after 5. While the host is down, the last good
 * value is used.
 */
export class RemoteValue<T> {
  readonly #where: string
  readonly #usableMs: number
  readonly #cached: Refreshed<T>

  /** @param fetchValue Settles within the timeout. */
  constructor(where: string, fetchValue: (trigger: Trigger) => MaybePromise<T>, options: RemoteOptions) {
    const {
      clock = performance,
      timeoutSeconds = TIMEOUT_SECONDS,
      maxStaleSeconds = 86_400,
      waitUntil,
    } = options
    this.#where = where
    this.#usableMs = FRESH_MS + maxStaleSeconds * 1000
    const load = async () => await fetchValue(this.#trigger())
    this.#cached = new Refreshed(load, { clock, timeoutMs: timeoutSeconds * 1000, waitUntil })
  }

  /**
   * Returns what `read` finds in the value. If that is not enough, fetches again, within the limits above.
   *
   * @param mayFetch Called before each fetch. If it returns false, there is none.
   * @throws KeySetError if there is no usable value, or it does not suffice and the last fetch has not succeeded: a newer one may.
   */
  get<R>(
    suffices: (value: T) => boolean,
    read: (value: T) => MaybePromise<R>,
    mayFetch?: () => boolean,
  ): MaybePromise<R> {
    const cached = this.#cached
    const age = this.#age()
    const usable = this.#usable()
    const known = usable !== undefined && suffices(usable.value)
    if (known && age < RENEW_AFTER_MS) return read(usable.value)
    // A lost fetch says nothing about the host. Without a usable value, retry at once instead of waiting for the cooldown.
    const isDue = cached.since(cached.beganAt) >= COOLDOWN_MS || (cached.isLost() && !usable)
    const begun = isDue ? cached.begin(mayFetch) : undefined
    // Wait only if no suitable value is cached, or if it has expired and the host has not failed recently.
    const wait = !known || (age >= FRESH_MS && cached.since(cached.failure?.at) >= DOWN_MS)
    return whenKnown(wait ? (begun ?? cached.join()) : undefined, () => this.#answer(suffices, read))
  }

  /** Whether a fetch is under way. */
  isFetching(): boolean {
    return this.#cached.isLoading()
  }

  /** From the end of its fetch. Infinity without a value. */
  #age(): number {
    return this.#cached.since(this.#cached.last?.endedAt)
  }

  #usable(): { readonly value: T } | undefined {
    return this.#age() < this.#usableMs ? this.#cached.last : undefined
  }

  #answer<R>(suffices: (value: T) => boolean, read: (value: T) => MaybePromise<R>): MaybePromise<R> {
    const usable = this.#usable()
    if (usable && (suffices(usable.value) || this.#cached.isCurrent())) return read(usable.value)
    const cause = this.#cached.failure?.error
    const wait = Math.max(1, Math.ceil((COOLDOWN_MS - this.#cached.since(this.#cached.beganAt)) / 1000))
    throw new KeySetError(`${this.#where} ${reasonOf(cause)}`, wait, { cause })
  }

  #trigger(): Trigger {
    const age = this.#age()
    if (age < RENEW_AFTER_MS) return 'unknown_kid'
    if (age < FRESH_MS) return 'early'
    return this.#cached.last ? 'expired' : 'first'
  }
}

/** `fetch` rejects with an error that says only that it failed. Its cause says why. */
function reasonOf(failure: unknown): string {
  if (failure === undefined) return 'has not answered yet'
  const message = textOf(failure, 'message') ?? 'failed'
  const cause = memberOf(failure, 'cause')
  const why = textOf(cause, 'message') || textOf(cause, 'code')
  return why ? `${message}: ${why}` : message
}

/** How to fetch public keys, and how long to keep them. */
export interface RemoteOptions {
  /** Timeout for one fetch, body included, in seconds. Defaults to 5. */
  readonly timeoutSeconds?: number | undefined
  /** How long the last good response is used while the host is down, in seconds. Defaults to 86,400 (24 hours). */
  readonly maxStaleSeconds?: number | undefined
  /** Defaults to `globalThis.fetch`. */
  readonly fetch?: Fetch | undefined
  /** Measures ages, in milliseconds. Defaults to `performance`, which is monotonic. */
  readonly clock?: Clock | undefined
  /**
   * Keeps a fetch alive after its request ends: `waitUntil` of `cloudflare:workers`, or your platform's own. Without it,
   * Workers cancel the fetch with the request that started it, and other requests may wait for it in vain.
   */
  readonly waitUntil?: WaitUntil | undefined
}

/** The default of `timeoutSeconds`. */
export const TIMEOUT_SECONDS = 5

export const REMOTE_OPTIONS: OptionTable<RemoteOptions> = {
  timeoutSeconds: /* @__PURE__ */ optional(timerSeconds),
  maxStaleSeconds: /* @__PURE__ */ optional(positiveSeconds),
  fetch: /* @__PURE__ */ optional(aFunction),
  clock: /* @__PURE__ */ optional(/* @__PURE__ */ withMethods(['now'])),
  waitUntil: /* @__PURE__ */ optional(aFunction),
}
