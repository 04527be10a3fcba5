import { LRUCache } from 'lru-cache'
import { ListenerConfigError, ListenerLoadError } from './errors.ts'
import { isListener } from './is-listener.ts'
import { type Clock, timeOf, withDeadline } from './lib/clock.ts'
import { callHook } from './lib/hooks.ts'
import { type MaybePromise, whenKnown } from './lib/maybe-promise.ts'
import {
  aFunction,
  anySeconds,
  checkOptions,
  type OptionTable,
  optional,
  positiveInteger,
  positiveSeconds,
  timerSeconds,
  withMethods,
} from './lib/options.ts'
import { Refreshed, type WaitUntil } from './lib/refreshed.ts'
import type { Listener, VerdictContext } from './listener.ts'
import { noteReplaced } from './shared-id.ts'

const OPTIONS: OptionTable<ListenersOptions<Listener<unknown>>> = {
  load: aFunction,
  maxListeners: optional(positiveInteger),
  ttlSeconds: optional(positiveSeconds),
  staleSeconds: optional(anySeconds),
  unknownSeconds: optional(anySeconds),
  maxUnknown: optional(positiveInteger),
  timeoutSeconds: optional(timerSeconds),
  onError: optional(aFunction),
  clock: optional(withMethods(['now'])),
  waitUntil: optional(aFunction),
}

/**
 * Caches the listeners of many tenants, for the lookup of an adapter.
 *
 * Loads each listener once for all waiting deliveries, and reloads it in the background. After a failure, does not load it
 * again for a second. A change takes effect after
 * `ttlSeconds` and one more delivery, at the latest after `ttlSeconds` + `staleSeconds`, and in this process at once after
 * `forget()`. The same holds for a secret that you withdraw. IDs that strangers invent have their own cache and evict no
 * tenant.
 *
 * Does not limit how many uncached IDs are loaded at once. Each costs one `load`.
 *
 * @example
 * ```ts
 * import type { Request } from 'express'
 *
 * const tenants = listeners({ load: async (id) => toListener(await findTenant(id)) })
 * app.post('/webhooks/:tenant', verifyWebhook(({ params }: Request<{ tenant: string }>) => tenants.find(params.tenant)), handler)
 * ```
 *
 * @throws ListenerConfigError for unknown or invalid options.
 */
export function listeners<Given extends Listener<unknown> = Listener>(
  options: ListenersOptions<Given>,
): Listeners<Given> {
  checkOptions('listeners', options, OPTIONS)
  return new ListenerCache(options)
}

/**
 * Loads a tenant's settings, e.g. from your database, and builds its listener with `defineListener()`. Returns undefined if
 * there is no such tenant.
 */
export type LoadListener<Given extends Listener<unknown> = Listener> = (
  id: string,
  known: Given | undefined,
) => MaybePromise<Given | undefined>

/** The options of `listeners`. */
export interface ListenersOptions<Given extends Listener<unknown> = Listener> {
  /**
   * Loads one listener. `known` is the previous result. Return it if nothing has changed, to keep what it has fetched, e.g.
   * the keys of `remoteKeySet()`. Throw if you cannot decide.
   */
  readonly load: LoadListener<Given>
  /** Maximum number of cached listeners; the least recently used is evicted. Defaults to 10,000. */
  readonly maxListeners?: number | undefined
  /** Age in seconds at which a listener is reloaded in the background. Defaults to 60. */
  readonly ttlSeconds?: number | undefined
  /**
   * How long a listener may be used beyond `ttlSeconds`, while it is reloaded or loading fails. After that, deliveries wait
   * for the reload. In seconds, defaults to 300. With 0, deliveries always wait once `ttlSeconds` have passed.
   */
  readonly staleSeconds?: number | undefined
  /** How long an unknown ID is remembered, in seconds. Defaults to 10. With 0, every request loads it again. */
  readonly unknownSeconds?: number | undefined
  /** Maximum number of unknown IDs remembered, separate from `maxListeners`: strangers can invent any number. Defaults to 10,000. */
  readonly maxUnknown?: number | undefined
  /** Timeout for one `load`, in seconds. Defaults to 5. */
  readonly timeoutSeconds?: number | undefined
  /** Called when `load` fails or times out. Not awaited; errors it throws are ignored. */
  readonly onError?: ((error: unknown, context: VerdictContext) => unknown) | undefined
  /** Measures ages, in milliseconds. Defaults to `performance`, which is monotonic. */
  readonly clock?: Clock | undefined
  /**
   * Keeps a load alive after its request ends: `waitUntil` of `cloudflare:workers`, or your platform's own. Without it,
   * Workers cancel the load with the request that started it, and other requests may wait for it in vain.
   */
  readonly waitUntil?: WaitUntil | undefined
}

/** Caches the listeners of many tenants by ID. */
export interface Listeners<Given extends Listener<unknown> = Listener> {
  /**
   * Returns the listener with this ID, synchronously if it is cached. Returns undefined if there is none, and for every ID
   * that is empty or longer than 256 characters.
   *
   * @throws ListenerLoadError (also as a rejection) if `load` fails and no earlier result may be used.
   */
  find(id: string | undefined): MaybePromise<Given | undefined>
  /**
   * Drops a cached listener. Call it when you change or remove a tenant. Affects this process only, and no delivery that has found
   * its listener.
   */
  forget(id: string): void
}

const LONGEST_ID = 256
/** The pause between a failed load and the next. */
const RETRY_MS = 1000
/** A failure takes over 1 KB, with its cause. */
const MOST_FAILURES = 1000

/** The listener of one ID, or undefined if there is none. */
interface Entry<Given> {
  readonly id: string
  readonly cached: Refreshed<Given | undefined>
}

class ListenerCache<Given extends Listener<unknown>> implements Listeners<Given> {
  readonly #options: ListenersOptions<Given>
  readonly #ttlMs: number
  readonly #usableMs: number
  readonly #unknownMs: number
  readonly #loadOptions: ConstructorParameters<typeof Refreshed>[1]
  readonly #clock: Clock
  readonly #known: LRUCache<string, Entry<Given>>
  /** IDs without a listener. */
  readonly #unknown: LRUCache<string, Entry<Given>>
  /** IDs without a listener whose last load failed. */
  readonly #failed = new LRUCache<string, Entry<Given>>({ max: MOST_FAILURES })
  /** The loads in flight, oldest first. Not evicted, so that no ID is loaded twice at once. */
  readonly #loading = new Map<string, Entry<Given>>()

  constructor(options: ListenersOptions<Given>) {
    const { ttlSeconds = 60, staleSeconds = 300, unknownSeconds = 10, timeoutSeconds = 5 } = options
    this.#options = options
    this.#ttlMs = ttlSeconds * 1000
    this.#usableMs = (ttlSeconds + staleSeconds) * 1000
    this.#unknownMs = unknownSeconds * 1000
    this.#clock = options.clock ?? performance
    this.#loadOptions = {
      clock: this.#clock,
      timeoutMs: timeoutSeconds * 1000,
      waitUntil: options.waitUntil,
    }
    this.#known = new LRUCache({
      max: options.maxListeners ?? 10_000,
      dispose: (entry, _id, why) => {
        if (why === 'evict') noteGone(entry.cached)
      },
    })
    this.#unknown = new LRUCache({ max: options.maxUnknown ?? 10_000 })
  }

  find(id: string | undefined): MaybePromise<Given | undefined> {
    if (typeof id !== 'string' || id === '' || id.length > LONGEST_ID) return undefined
    const entry = this.#entryOf(id) ?? this.#meet(id)
    const { cached } = entry
    if (cached.since(cached.last?.at) < (cached.last?.value ? this.#ttlMs : this.#unknownMs))
      return cached.last?.value
    const begun = this.#isResting(entry) ? undefined : this.#begin(entry)
    if (this.#isUsable(entry)) return cached.last?.value
    const askedAt = timeOf(this.#clock)
    return whenKnown(begun ?? cached.join(), () => this.#answer(entry, askedAt))
  }

  forget(id: string): void {
    noteGone(this.#entryOf(id)?.cached)
    this.#drop(id)
  }

  #drop(id: string): void {
    for (const entries of [this.#known, this.#loading, this.#unknown, this.#failed]) entries.delete(id)
  }

  #entryOf(id: string): Entry<Given> | undefined {
    return this.#known.get(id) ?? this.#loading.get(id) ?? this.#unknown.get(id) ?? this.#failed.get(id)
  }

  /** Copies the ID, because a substring keeps the whole URL in memory. */
  #meet(given: string): Entry<Given> {
    const id = structuredClone(given)
    const cached = new Refreshed<Given | undefined>((known) => this.#load(id, known), this.#loadOptions)
    return { id, cached }
  }

  #isUsable({ cached }: Entry<Given>): boolean {
    return cached.last?.value !== undefined && cached.since(cached.last?.at) < this.#usableMs
  }

  #isResting({ cached }: Entry<Given>): boolean {
    return cached.since(cached.failure?.at) < RETRY_MS
  }

  /** Undefined while another load of this entry is in flight. */
  #begin(entry: Entry<Given>): Promise<void> | undefined {
    const begun = entry.cached.begin()
    if (begun === undefined) return undefined
    this.#loading.delete(entry.id) // it becomes the newest, if its last load was lost
    this.#dropLost()
    this.#loading.set(entry.id, entry)
    begun.then(() => {
      // Forgotten meanwhile: the load may have read what was there before.
      if (this.#loading.get(entry.id) !== entry) return
      this.#drop(entry.id)
      this.#cacheFor(entry).set(entry.id, entry)
    })
    return begun
  }

  /** Loads that ended with their request never settle. */
  #dropLost(): void {
    for (const [id, { cached }] of this.#loading) {
      if (!cached.isLost()) return
      this.#loading.delete(id)
    }
  }

  async #load(id: string, known: Given | undefined): Promise<Given | undefined> {
    const { load, onError } = this.#options
    const beganAt = timeOf(this.#clock)
    const { timeoutMs } = this.#loadOptions
    try {
      const found = Promise.resolve(load(id, known))
      const late = () => new Error(`load took longer than ${timeoutMs} ms`)
      const loaded = checked(await withDeadline(found, timeoutMs, late))
      if (known !== undefined && known !== loaded) noteReplaced(known)
      return loaded
    } catch (cause) {
      const failure = new ListenerLoadError('the listener could not be loaded', { cause })
      callHook(onError, failure, { listenerId: id, durationMs: timeOf(this.#clock) - beganAt })
      throw failure
    }
  }

  #cacheFor({ cached }: Entry<Given>): LRUCache<string, Entry<Given>> {
    if (cached.last?.value !== undefined) return this.#known
    return cached.failure ? this.#failed : this.#unknown
  }

  /** Phrased so that a clock that answers NaN or Infinity does not load for ever. */
  #answer(entry: Entry<Given>, askedAt: number): MaybePromise<Given | undefined> {
    const { last, failure } = entry.cached
    const isLoaded = last !== undefined && entry.cached.isCurrent()
    if (this.#isUsable(entry) || (isLoaded && !(askedAt - last.at >= this.#usableMs))) return last?.value
    if (isLoaded) return this.find(entry.id) // joined so late that the result is too old
    throw failure?.error ?? new ListenerLoadError('the request that was loading the listener ended first')
  }
}

/** Deliveries that have found this listener may still claim for it when another one has been loaded. */
function noteGone(cached: Pick<Refreshed<Listener<unknown> | undefined>, 'last'> | undefined): void {
  if (cached?.last?.value) noteReplaced(cached.last.value)
}

function checked<Given extends Listener<unknown>>(found: Given | undefined): Given | undefined {
  if (found === undefined || isListener(found)) return found
  throw new ListenerConfigError('load', 'must return the result of defineListener(), or undefined')
}
