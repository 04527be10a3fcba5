import { EventStoreError, ListenerConfigError } from '../../errors.ts'
import { CLAIM_ANSWERS, COMMIT_ANSWERS, type EventKey, type EventStore } from '../../event-store.ts'
import { memberOf } from '../../lib/member-of.ts'
import {
  checkOptions,
  hasMethod,
  type OptionTable,
  optional,
  positiveInteger,
  wellFormedText,
} from '../../lib/options.ts'
import { storeOf } from '../contract.ts'
import { refuseOtherKinds } from '../kinds.ts'
import type { ObjectQuestion } from './event-store-object.ts'

export { EventStoreObject, type ObjectState } from './event-store-object.ts'
export type { ObjectSql } from './statements.ts'

/** The part of a Durable Object namespace that is used. */
export interface EventNamespace {
  /** Names an object. */
  idFromName(name: string): object
  /** Returns a stub of the object with this ID. */
  get(
    id: object,
    options?: object,
  ): {
    fetch(
      url: string,
      init: { method: string; body: string },
    ): Promise<{
      readonly status: number
      text(): Promise<string>
    }>
  }
}

/** The options of `durableObjectStore`. */
export interface DurableObjectStoreOptions {
  /**
   * Number of objects that a listener's events are spread over. Defaults to 1, enough for a few hundred deliveries per
   * second. After a change, the store does not find earlier events, so their duplicates run again until the retention ends.
   */
  readonly shards?: number | undefined
  /** Where to create an object on first use, e.g. `weur` or `enam`. Defaults to a place near the first request. */
  readonly locationHint?: string | undefined
}

const OPTIONS: OptionTable<DurableObjectStoreOptions> = {
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
  const ask = askObject(namespace, shards, locationHint)
  return storeOf({
    claim: (key, owner, ms) => ask(key, { verb: 'claim', owner, ms }, CLAIM_ANSWERS),
    commit: (key, owner, ms) => ask(key, { verb: 'commit', owner, ms }, COMMIT_ANSWERS),
    release: (key, owner) => ask(key, { verb: 'release', owner, ms: 0 }, [true, false]),
    renew: (key, owner, ms) => ask(key, { verb: 'renew', owner, ms }, [true, false]),
  })
}

const KNOWN = 'must be the Durable Object namespace of EventStoreObject: env.EVENTS, say'

/** @throws ListenerConfigError for anything but a namespace. The message names the store that accepts it. */
function askObject(namespace: EventNamespace, shards: number, locationHint: string | undefined) {
  // Object stubs have `fetch`. They pretend to have every method, and each call is a request.
  if (!hasMethod(namespace, 'idFromName') || hasMethod(namespace, 'fetch')) {
    refuseOtherKinds(namespace, 'namespace', 'Durable Objects')
    throw new ListenerConfigError('namespace', problemOf(namespace))
  }
  const options = locationHint === undefined ? undefined : { locationHint }
  type Question = Omit<ObjectQuestion, 'eventId'>
  return async <Answer>(
    { listenerId, eventId }: EventKey,
    question: Question,
    answers: readonly Answer[],
  ) => {
    // Unique per listener: the text before the first slash is always a number.
    const name = `${Number.parseInt(eventId.slice(0, 8), 16) % shards}/${listenerId}`
    // A new stub each time: a stub stays broken once it has failed, and does not outlive its request.
    const stub = namespace.get(namespace.idFromName(name), options)
    const body = JSON.stringify({ ...question, eventId } satisfies ObjectQuestion)
    const response = await stub.fetch('https://event-store/', { method: 'POST', body })
    const text = await response.text()
    const answer =
      response.status === 200 ? answers.find((known) => JSON.stringify(known) === text) : undefined
    if (answer !== undefined) return answer
    throw new EventStoreError(
      'the object behind the namespace is no EventStoreObject: export it from the Worker, and name it as class_name',
    )
  }
}

function problemOf(given: unknown): string {
  if (hasMethod(given, 'fetch')) return `${KNOWN}, not one object of it`
  if (['sql', 'databaseSize'].some((name) => memberOf(given, name) !== undefined)) {
    return `${KNOWN}, not the storage of an object`
  }
  return given === undefined ? `${KNOWN}; it is undefined: does the configuration name it so?` : KNOWN
}
