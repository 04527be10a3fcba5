import { ListenerConfigError } from '../src/errors.ts'
import type { EventStore } from '../src/event-store.ts'
import {
  checkOptions,
  type OptionCheck,
  type OptionTable,
  oneOfWords,
  optional,
  positiveSeconds,
  timerSeconds,
  withMethods,
} from '../src/lib/options.ts'
import { RETENTION_SECONDS } from '../src/limits.ts'
import type { Clock } from '../src/listener-options.ts'
import { callWithin, checkDynamodbClient, type DynamodbClient } from './shared/dynamodb-client.ts'
import { createTable, tableProblems } from './shared/dynamodb-table.ts'
import { singlePhase, twoPhase } from './shared/dynamodb-verbs.ts'
import type { StoreProblem } from './shared/store-problem.ts'

export type { DynamodbClient, StoreProblem }

/** The options of `dynamodbStore`. */
export interface DynamodbStoreOptions {
  /** Name or ARN of a table whose only key is `event_key`, a string. Default `hookgate_events`. */
  readonly table?: string | undefined
  /** Stands in front of every key, 64 characters at most. Default none; services that share a table need one each. */
  readonly prefix?: string | undefined
  /**
   * `two-phase` (default): a lease while the work runs, then done: at least once. `single`: done with the claim, one
   * write an event, at most once: an event whose handler fails or crashes is lost.
   */
  readonly mode?: 'two-phase' | 'single' | undefined
  /** How long `single` remembers an event, in seconds. Default 604,800. In `two-phase` the listener says it. */
  readonly retentionSeconds?: number | undefined
  /**
   * How long one call, with the SDK's retries, is left running before it is aborted, in seconds. Default 5; more than
   * the listener's `storeTimeoutSeconds`, which answers the sender.
   */
  readonly abortSeconds?: number | undefined
  /** Judges leases and retention, in milliseconds. Default `Date`. For tests. */
  readonly clock?: Clock | undefined
}

/** The store, and what setting it up and keeping it well takes. */
export interface DynamodbStore extends EventStore {
  /** Creates the table where it is missing, pay per request, and turns its TTL on. Any number of processes may at once. */
  migrate(): Promise<void>
  /** What is wrong with the table or this machine's clock. Empty when all is well. */
  check(): Promise<readonly StoreProblem[]>
}

const tableName: OptionCheck = (value, option) => {
  if (typeof value === 'string' && /^[A-Za-z0-9_.:/-]{3,1024}$/.test(value)) return
  throw new ListenerConfigError(
    option,
    'must be the name of a table (letters, digits, _, - and dots), or its ARN',
  )
}

const LONGEST_PREFIX = 64

const keyPrefix: OptionCheck = (value, option) => {
  if (typeof value === 'string' && value.isWellFormed() && value.length <= LONGEST_PREFIX) return
  throw new ListenerConfigError(
    option,
    `must be a well-formed string of at most ${LONGEST_PREFIX} characters`,
  )
}

const OPTIONS: OptionTable<DynamodbStoreOptions> = {
  table: optional(tableName),
  prefix: optional(keyPrefix),
  mode: optional(oneOfWords('two-phase', 'single')),
  retentionSeconds: optional(positiveSeconds),
  abortSeconds: optional(timerSeconds),
  clock: optional(withMethods('now')),
}

/**
 * Remembers events in a table of DynamoDB: one conditional write a verb. Create it with `migrate()`; DynamoDB deletes
 * by itself what is past its time.
 *
 * DynamoDB's conditions know no time: leases are judged by the clock of the process, corrected when AWS's answers show
 * that it is 10 s off or more. One that runs ahead takes over a lease that much too early; `leaseSeconds` has to have
 * room for it.
 *
 * @param client `new DynamoDB(…)` of @aws-sdk/client-dynamodb 3. It is never closed.
 * @throws ListenerConfigError for another client, and for options that are unknown or wrong.
 */
export function dynamodbStore(client: DynamodbClient, options: DynamodbStoreOptions = {}): DynamodbStore {
  checkOptions('dynamodbStore', options, OPTIONS)
  checkDynamodbClient(client)
  const { table = 'hookgate_events', prefix = '', clock = Date, abortSeconds = 5 } = options
  const { mode = 'two-phase', retentionSeconds = RETENTION_SECONDS } = options
  if (mode !== 'single' && options.retentionSeconds !== undefined) {
    throw new ListenerConfigError('retentionSeconds', "belongs to mode 'single'; give it to defineListener")
  }
  const given = { client, table, prefix, clock, call: callWithin(abortSeconds * 1000) }
  return {
    ...(mode === 'single' ? singlePhase(given, retentionSeconds) : twoPhase(given)),
    migrate: () => createTable(given),
    check: () => tableProblems(given),
  }
}
