import { ListenerConfigError } from '../src/errors.ts'
import type { ClaimAnswer, CommitAnswer, EventKey, EventStore } from '../src/event-store.ts'
import {
  checkOptions,
  type OptionTable,
  oneOfWords,
  optional,
  positiveInteger,
  positiveSeconds,
  wellFormedText,
} from '../src/lib/options.ts'
import { RETENTION_SECONDS } from '../src/limits.ts'
import { askObject, type EventNamespace } from './shared/event-namespace.ts'

export type { EventNamespace } from './shared/event-namespace.ts'
export type { ObjectSql } from './shared/event-records.ts'
export { EventStoreObject, type ObjectState } from './shared/event-store-object.ts'

/**
 * The options of `durableObjectStore`.
 *
 * @example
 * ```ts
 * const options: DurableObjectStoreOptions = { shards: 8, locationHint: 'weur' }
 * ```
 */
export interface DurableObjectStoreOptions {
  /**
   * `two-phase` (default): leases the event while the handler runs, then commits it. At least once. `single`: commits with
   * the claim, one write per event. At most once: if the handler fails or crashes, the event is lost.
   */
  readonly mode?: 'two-phase' | 'single' | undefined
  /** How long `single` remembers an event, in seconds. Defaults to 604,800. `two-phase` uses the listener's retention. */
  readonly retentionSeconds?: number | undefined
  /**
   * Number of objects that a listener's events are spread over. Defaults to 1, enough for a few hundred deliveries per
   * second. After a change, the store does not find earlier events, so their duplicates run again until the retention ends.
   */
  readonly shards?: number | undefined
  /** Where to create an object on first use, e.g. `weur` or `enam`. Defaults to a place near the first request. */
  readonly locationHint?: string | undefined
}

const OPTIONS: OptionTable<DurableObjectStoreOptions> = {
  mode: optional(oneOfWords('two-phase', 'single')),
  retentionSeconds: optional(positiveSeconds),
  shards: optional(positiveInteger),
  locationHint: optional(wellFormedText),
}

const CLAIM_ANSWERS: readonly ClaimAnswer[] = ['acquired', 'busy', 'done']
const COMMIT_ANSWERS: readonly CommitAnswer[] = ['committed', 'already', 'lost']

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
  const { mode = 'two-phase', retentionSeconds = RETENTION_SECONDS, shards = 1, locationHint } = options
  if (mode !== 'single' && options.retentionSeconds !== undefined) {
    throw new ListenerConfigError('retentionSeconds', "belongs to mode 'single'; give it to defineListener")
  }
  const ask = askObject(namespace, shards, locationHint)
  const claim = (key: EventKey, owner: string, ms: number, done: boolean) =>
    ask(key, { verb: 'claim', eventId: key.eventId, owner, ms, done }, CLAIM_ANSWERS)
  if (mode === 'single') {
    return {
      replayWindowSeconds: retentionSeconds,
      claim: (key, owner) => claim(key, owner, retentionSeconds * 1000, true),
      commit: () => 'committed',
      release: () => false,
    }
  }
  return {
    claim: (key, owner, leaseMs) => claim(key, owner, leaseMs, false),
    commit: (key, owner, ms) => ask(key, { verb: 'commit', eventId: key.eventId, owner, ms }, COMMIT_ANSWERS),
    release: (key, owner) => ask(key, { verb: 'release', eventId: key.eventId, owner }, [true, false]),
  }
}
