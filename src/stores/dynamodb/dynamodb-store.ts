import { ListenerConfigError } from '../../errors.ts'
import type { EventStore } from '../../event-store.ts'
import type { Clock } from '../../lib/clock.ts'
import {
  checkOptions,
  type OptionCheck,
  type OptionTable,
  optional,
  timerSeconds,
  withMethods,
} from '../../lib/options.ts'
import { MODE_OPTIONS, type ModeOptions, type StoreProblem, singleSeconds, storeOf } from '../contract.ts'
import { callWithin, checkDynamodbClient, type DynamodbClient } from './client.ts'
import { createTable, tableProblems } from './table.ts'
import { dynamodbVerbs } from './verbs.ts'

export type { DynamodbClient, StoreProblem }

/** The options of `dynamodbStore`. */
export interface DynamodbStoreOptions extends ModeOptions {
  /** Name or ARN of a table whose only key is the string `event_key`. Defaults to `hookgate_events`. */
  readonly table?: string | undefined
  /** Prefix of every key, at most 64 characters. Defaults to none. Services that share a table each need their own. */
  readonly prefix?: string | undefined
  /**
   * When to abort one call, including the SDK's retries, in seconds. Defaults to 5. Set it higher than the listener's
   * `storeTimeoutSeconds`, which decides when the sender gets 503.
   */
  readonly abortSeconds?: number | undefined
  /** The clock for leases and retention, for tests. Defaults to `Date`. */
  readonly clock?: Clock | undefined
}

/**
 * The store, with methods for setup and maintenance.
 *
 * @example
 * ```ts
 * const store: DynamodbStore = dynamodbStore(client)
 * await store.migrate()
 * for (const { problem, fix } of await store.check()) console.warn(problem, fix)
 * ```
 */
export interface DynamodbStore extends EventStore {
  /** Creates the table (pay per request) if it is missing, and enables its TTL. Safe to run concurrently. */
  migrate(): Promise<void>
  /** Lists problems of the table and of this machine's clock. Empty if there are none. */
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
  ...MODE_OPTIONS,
  abortSeconds: optional(timerSeconds),
  clock: optional(withMethods(['now'])),
}

/**
 * Stores events in a DynamoDB table, with one conditional write per method. Create the table with `migrate()`. DynamoDB
 * deletes expired records itself.
 *
 * DynamoDB conditions have no clock, so leases use the clock of your process. It is corrected if AWS responses show that it
 * is off by 10 s or more. A clock that runs ahead takes over leases early by that much, so leave room in `leaseSeconds`.
 *
 * @example
 * ```ts
 * import { DynamoDB } from '@aws-sdk/client-dynamodb'
 *
 * const store = dynamodbStore(new DynamoDB({ region: 'eu-central-1' }))
 * ```
 *
 * @param client `new DynamoDB(…)` of @aws-sdk/client-dynamodb 3. The store never closes it.
 * @throws ListenerConfigError for another client, and for unknown or invalid options.
 */
export function dynamodbStore(client: DynamodbClient, options: DynamodbStoreOptions = {}): DynamodbStore {
  checkOptions('dynamodbStore', options, OPTIONS)
  checkDynamodbClient(client)
  const { table = 'hookgate_events', prefix = '', clock = Date, abortSeconds = 5 } = options
  const given = { client, table, prefix, clock, call: callWithin(abortSeconds * 1000) }
  return {
    ...storeOf(dynamodbVerbs(given), singleSeconds(options)),
    migrate: () => createTable(given),
    check: () => tableProblems(given),
  }
}
