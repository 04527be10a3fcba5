import { storedKey } from '../../src/event-key.ts'
import { CLAIM_ANSWERS, COMMIT_ANSWERS, type EventKey, type EventStore } from '../../src/event-store.ts'
import {
  checkOptions,
  type OptionTable,
  optional,
  positiveInteger,
  wellFormedText,
} from '../../src/lib/options.ts'
import { DONE_BY_CLAIM, MODE_OPTIONS, type ModeOptions, singleSeconds } from '../contract.ts'
import { askObject, type EventNamespace } from './event-namespace.ts'

export type { EventNamespace } from './event-namespace.ts'
export type { ObjectSql } from './event-records.ts'
export { EventStoreObject, type ObjectState } from './event-store-object.ts'

/** The options of `durableObjectStore`. */
export interface DurableObjectStoreOptions extends ModeOptions {
  /**
   * Number of objects that a listener's events are spread over. Defaults to 1, enough for a few hundred deliveries per
   * second. After a change, the store does not find earlier events, so their duplicates run again until the retention ends.
   */
  readonly shards?: number | undefined
  /** Where to create an object on first use, e.g. `weur` or `enam`. Defaults to a place near the first request. */
  readonly locationHint?: string | undefined
}

const OPTIONS: OptionTable<DurableObjectStoreOptions> = {
  ...MODE_OPTIONS,
  shards: optional(positiveInteger),
  locationHint: optional(wellFormedText),
}

/**
 * Stores events in Durable Objects, one per listener and shard, shared by all Workers everywhere. Uses the object's clock
 * and one request per method. You only migrate the class, and never need to sweep.
 *
 * @example
 * ```ts
 * export { EventStoreObject } from 'hookgate/stores/durable-object'
 * const store = durableObjectStore(env.EVENTS)
 * ```
 *
 * @param namespace The binding of `EventStoreObject`, which your Worker must export.
 * @throws ListenerConfigError for any other binding, and for unknown or contradictory options.
 */
export function durableObjectStore(
  namespace: EventNamespace,
  options: DurableObjectStoreOptions = {},
): EventStore {
  checkOptions('durableObjectStore', options, OPTIONS)
  const { shards = 1, locationHint } = options
  const seconds = singleSeconds(options)
  const ask = askObject(namespace, shards, locationHint)
  const claim = async (given: EventKey, owner: string, ms: number, done: boolean) => {
    const key = await storedKey(given)
    return ask(key, { verb: 'claim', eventId: key.eventId, owner, ms, done }, CLAIM_ANSWERS)
  }
  if (seconds !== undefined) {
    return {
      replayWindowSeconds: seconds,
      claim: (key, owner) => claim(key, owner, seconds * 1000, true),
      ...DONE_BY_CLAIM,
    }
  }
  return {
    claim: (key, owner, leaseMs) => claim(key, owner, leaseMs, false),
    async commit(given, owner, ms) {
      const key = await storedKey(given)
      return ask(key, { verb: 'commit', eventId: key.eventId, owner, ms }, COMMIT_ANSWERS)
    },
    async release(given, owner) {
      const key = await storedKey(given)
      return ask(key, { verb: 'release', eventId: key.eventId, owner }, [true, false])
    },
  }
}
