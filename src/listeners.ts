import type { Json } from './lib/json.ts'
import type { MaybePromise } from './lib/maybe-promise.ts'
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
import type { WaitUntil } from './lib/shared-attempt.ts'
import type { Listener } from './listener.ts'
import { ListenerCache } from './listener-cache.ts'
import type { Clock, VerdictContext } from './listener-options.ts'

/** Makes a tenant's listener, by `defineListener()`, from what your database has of it. Undefined: there is no such tenant. */
export type LoadListener<Payload> = (
  id: string,
  known: Listener<Payload> | undefined,
) => MaybePromise<Listener<Payload> | undefined>

/** The options of `listeners`. */
export interface ListenersOptions<Payload = Json> {
  /**
   * Finds one listener. `known` is what it found last time: return it if nothing has changed, so that what it has fetched,
   * like the keys of `remoteKeySet()`, stays in use. A throw means that it could not decide.
   */
  readonly load: LoadListener<Payload>
  /** Most listeners kept. The one not asked for longest makes room. Default 10,000. */
  readonly max?: number | undefined
  /** How old a listener may be before it is loaded again, while deliveries go on using it. In seconds, default 60. */
  readonly ttlSeconds?: number | undefined
  /**
   * How long beyond `ttlSeconds` a listener is used, because nobody has asked for it or because loading fails. Older ones
   * are waited for. In seconds, default 300; 0 makes every delivery wait for a listener that is due.
   */
  readonly staleSeconds?: number | undefined
  /** How long an ID without a listener is answered so, without loading. In seconds, default 10; 0 asks every time. */
  readonly unknownSeconds?: number | undefined
  /** Most IDs without a listener remembered, apart from `max`: strangers can make up any number. Default 10,000. */
  readonly maxUnknown?: number | undefined
  /** How long one `load` may take, in seconds. Default 5. */
  readonly timeoutSeconds?: number | undefined
  /** Told of every `load` that failed or took too long. Never awaited; what it throws is dropped. */
  readonly onError?: ((error: unknown, context: VerdictContext) => unknown) | undefined
  /** Measures ages, in milliseconds. Default `performance`, which no one can set back. */
  readonly clock?: Clock | undefined
  /**
   * Called with each load, which then outlives the request that began it: `waitUntil` of `cloudflare:workers`, or of your
   * platform. Without it, on Workers, a load ends with its request, and others may wait for it in vain.
   */
  readonly waitUntil?: WaitUntil | undefined
}

/** The listeners of a service with many tenants, by their IDs. */
export interface Listeners<Payload = Json> {
  /**
   * The listener with this ID, at once if it is known. Undefined if there is none; so is every ID that is empty or longer than
   * 256 characters.
   *
   * @throws ListenerLoadError now or later, when `load` fails and nothing that it found before may be used.
   */
  find(id: string | undefined): MaybePromise<Listener<Payload> | undefined>
  /** Has the next `find()` load this listener: call it when you have changed or removed a tenant. In this process only. */
  forget(id: string): void
}

const OPTIONS: OptionTable<ListenersOptions<unknown>> = {
  load: aFunction,
  max: optional(positiveInteger),
  ttlSeconds: optional(positiveSeconds),
  staleSeconds: optional(anySeconds),
  unknownSeconds: optional(anySeconds),
  maxUnknown: optional(positiveInteger),
  timeoutSeconds: optional(timerSeconds),
  onError: optional(aFunction),
  clock: optional(withMethods('now')),
  waitUntil: optional(aFunction),
}

/**
 * Keeps the listeners of many tenants, for the lookup of an adapter:
 *
 * ```ts
 * const tenants = listeners({ load: async (id) => toListener(await findTenant(id)) })
 * app.post('/webhooks/:tenant', verifyWebhook((request) => tenants.find(request.params.tenant)), …)
 * ```
 *
 * A listener is loaded once for all deliveries that wait for it, and renewed behind their backs. A change counts after
 * `ttlSeconds` and one more delivery, and at the latest after `ttlSeconds` + `staleSeconds`; in this process at once after
 * `forget()`. So does a secret that you withdraw. IDs that strangers make up have a cache of their own, and push no tenant out.
 *
 * Not limited: how many IDs that nobody has asked for are loaded at once. Each costs one `load`.
 *
 * @throws ListenerConfigError for options that are unknown or wrong.
 */
export function listeners<Payload = Json>(options: ListenersOptions<Payload>): Listeners<Payload> {
  checkOptions('listeners', options, OPTIONS)
  return new ListenerCache(options)
}
