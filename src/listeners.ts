import type { Json } from './lib/json.ts'
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
import { ListenerCache } from './listener-cache.ts'
import type { Listeners, ListenersOptions } from './listeners-options.ts'

export type { Listeners, ListenersOptions, LoadListener } from './listeners-options.ts'

const OPTIONS: OptionTable<ListenersOptions<unknown>> = {
  load: aFunction,
  max: optional(positiveInteger),
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
 * Loads each listener once for all waiting deliveries, and reloads it in the background. A change takes effect after
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
export function listeners<Payload = Json>(options: ListenersOptions<Payload>): Listeners<Payload> {
  checkOptions('listeners', options, OPTIONS)
  return new ListenerCache(options)
}
