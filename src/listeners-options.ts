import type { Clock } from './lib/clock.ts'
import type { Json } from './lib/json.ts'
import type { MaybePromise } from './lib/maybe-promise.ts'
import type { WaitUntil } from './lib/single-flight.ts'
import type { Listener } from './listener.ts'
import type { VerdictContext } from './listener-options.ts'

/**
 * Loads a tenant's settings, e.g. from your database, and builds its listener with `defineListener()`. Returns undefined if
 * there is no such tenant.
 *
 * @example
 * ```ts
 * const load: LoadListener<Json> = async (id) => toListener(await findTenant(id))
 * ```
 */
export type LoadListener<Payload> = (
  id: string,
  known: Listener<Payload> | undefined,
) => MaybePromise<Listener<Payload> | undefined>

/**
 * The options of `listeners`.
 *
 * @example
 * ```ts
 * const options: ListenersOptions = { load, max: 50_000, ttlSeconds: 30 }
 * ```
 */
export interface ListenersOptions<Payload = Json> {
  /**
   * Loads one listener. `known` is the previous result. Return it if nothing has changed, to keep what it has fetched, e.g.
   * the keys of `remoteKeySet()`. Throw if you cannot decide.
   */
  readonly load: LoadListener<Payload>
  /** Maximum number of cached listeners; the least recently used is evicted. Defaults to 10,000. */
  readonly max?: number | undefined
  /** Age in seconds at which a listener is reloaded in the background. Defaults to 60. */
  readonly ttlSeconds?: number | undefined
  /**
   * How long a listener may be used beyond `ttlSeconds`, while it is reloaded or loading fails. After that, deliveries wait
   * for the reload. In seconds, defaults to 300. With 0, deliveries always wait once `ttlSeconds` have passed.
   */
  readonly staleSeconds?: number | undefined
  /** How long an unknown ID is remembered, in seconds. Defaults to 10. With 0, every request loads it again. */
  readonly unknownSeconds?: number | undefined
  /** Maximum number of unknown IDs remembered, separate from `max`: strangers can invent any number. Defaults to 10,000. */
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

/**
 * Caches the listeners of many tenants by ID.
 *
 * @see {@link listeners}
 */
export interface Listeners<Payload = Json> {
  /**
   * Returns the listener with this ID, synchronously if it is cached. Returns undefined if there is none, and for every ID
   * that is empty or longer than 256 characters.
   *
   * @throws ListenerLoadError (also as a rejection) if `load` fails and no earlier result may be used.
   */
  find(id: string | undefined): MaybePromise<Listener<Payload> | undefined>
  /** Drops a cached listener. Call it when you change or remove a tenant. Affects this process only. */
  forget(id: string): void
}
