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

/** The options of `durableObjectStore`. */
export interface DurableObjectStoreOptions {
  /**
   * `two-phase` (default): a lease while the work runs, then done: at least once. `single`: done with the claim, one
   * write an event, at most once: an event whose handler fails or crashes is lost.
   */
  readonly mode?: 'two-phase' | 'single' | undefined
  /** How long `single` remembers an event, in seconds. Default 604,800. In `two-phase` the listener says it. */
  readonly retentionSeconds?: number | undefined
  /**
   * Over how many objects a listener's events are spread. Default 1, good for some hundred deliveries a second. Events
   * are not found again under another number: for the retention after a change, repeated events run again.
   */
  readonly shards?: number | undefined
  /** Where an object shall be made when it is first asked: `weur`, `enam` … Default: near the first sender. */
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
 * Remembers events in Durable Objects, one for each listener (and shard), for all Workers in all places, judged by the
 * object's clock. One request a verb. Nothing to migrate but the class, nothing to sweep.
 *
 * @param namespace The binding of `EventStoreObject`, which your Worker has to export.
 * @throws ListenerConfigError for anything else, and for options that are unknown or contradict each other.
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
