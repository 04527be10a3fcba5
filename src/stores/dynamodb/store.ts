import { EventStoreError, ListenerConfigError } from '../../errors.ts'
import type { EventKey, EventStore } from '../../event-store.ts'
import type { Clock } from '../../lib/clock.ts'
import { memberOf } from '../../lib/member-of.ts'
import {
  checkOptions,
  type OptionCheck,
  type OptionTable,
  optional,
  timerSeconds,
  withMethods,
} from '../../lib/options.ts'
import { type EngineVerbs, type StoreProblem, storeOf } from '../contract.ts'
import { DYNAMODB_FIXES } from '../fixes.ts'
import { createTable, type TableOptions, tableProblems } from './check.ts'
import {
  AwsClock,
  CONDITION_FAILED,
  callWithin,
  checkDynamodbClient,
  type DynamodbClient,
  differ,
  type Item,
  isNamed,
  TABLE_MISSING,
} from './client.ts'
import { conditionValues, FREE_OR_MINE, keyItem, MINE_AND_LIVE, TTL_ATTRIBUTE } from './statements.ts'

export type { DynamodbClient, StoreProblem }

/** The options of `dynamodbStore`. */
export interface DynamodbStoreOptions {
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
  abortSeconds: optional(timerSeconds),
  clock: optional(withMethods(['now'])),
}

/**
 * Stores events in a DynamoDB table, with one conditional write per method. Create the table with `migrate()`. DynamoDB
 * deletes expired records itself.
 *
 * DynamoDB conditions have no clock, so leases use the clock of your process. It is corrected if AWS responses show that it
 * is off by 10 s or more; before the first response, nothing is taken over. A clock that runs ahead by less takes over leases early
 * by that much, so leave room in `leaseSeconds`.
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
    ...storeOf(dynamodbVerbs(given), DYNAMODB_FIXES),
    migrate: () => createTable(given),
    check: () => tableProblems(given),
  }
}

interface VerbOptions extends TableOptions {
  readonly prefix: string
  readonly clock: Clock
}

/** What a verb makes of the owner's own record. */
interface Change {
  readonly spanMs: number
  /** Undefined drops the owner of a committed record, so that it is treated like any other owner. */
  readonly heldBy?: string
  readonly isDone: boolean
  /** Whether the owner's own record is done already. */
  readonly wasDone?: boolean
  /** Whether the record must be there, and its time not over. */
  readonly mustLive?: boolean
}

/** No record's time is over by then. */
const NOTHING_IS_OVER = 0
/** Every record's time is over by then. */
const EVERYTHING_IS_OVER = Number.MAX_SAFE_INTEGER

function dynamodbVerbs(options: VerbOptions): EngineVerbs {
  const { client, call, table, prefix } = options
  // Conditions have no clock, so each process sends its own.
  const clock = new AwsClock(client, options.clock)

  /**
   * Writes a record, whose time begins now, unless another owner's blocks it. Resolves with that one then. Replaces another
   * owner's only if its time is over by `overBy`, and never one that has to live.
   */
  const write = async (key: Item, owner: string, change: Change, now: number, overBy: number) => {
    const { spanMs, heldBy, isDone, wasDone = false, mustLive = false } = change
    const lapsesAt = Math.ceil(now + spanMs)
    const input = {
      TableName: table,
      Item: {
        ...key,
        ...(heldBy !== undefined && { held_by: { S: heldBy } }),
        is_done: { BOOL: isDone },
        lapses_at: { N: `${lapsesAt}` },
        [TTL_ATTRIBUTE]: { N: `${Math.ceil(lapsesAt / 1000)}` },
      },
      ConditionExpression: mustLive ? MINE_AND_LIVE : FREE_OR_MINE,
      ExpressionAttributeValues: conditionValues(owner, wasDone, overBy),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    }
    try {
      await call((given) => client.putItem(input, given))
      clock.confirm()
      return 'written'
    } catch (error) {
      if (!isNamed(error, CONDITION_FAILED)) throw explained(error, table)
      clock.confirm()
      return { record: memberOf(error, 'Item') ?? (mustLive ? undefined : await read(options, key)) }
    }
  }

  /** Writes a record, or tells why another owner's blocks it. */
  const put = async (eventKey: EventKey, owner: string, change: Change) => {
    const key = await keyItem(prefix, eventKey)
    const now = clock.now()
    if (clock.isConfirmed()) return stateOf(await write(key, owner, change, now, now))
    // The clock may be wrong, as the response will tell. Until then, nobody else's time is over.
    const offset = clock.offset()
    const first = await write(key, owner, { ...change, heldBy: owner }, now, NOTHING_IS_OVER)
    const corrected = clock.now()
    const isRight = first === 'written' ? !differ(clock.offset(), offset) : !isOver(first.record, corrected)
    if (isRight) return stateOf(first)
    const again = { ...change, wasDone: change.isDone }
    return stateOf(await write(key, owner, again, corrected, corrected))
  }

  return {
    async claim(key, owner, spanMs) {
      return CLAIM_ANSWER_OF[await put(key, owner, { spanMs, heldBy: owner, isDone: false })]
    },
    async commit(key, owner, spanMs) {
      return COMMIT_ANSWER_OF[await put(key, owner, { spanMs, isDone: true })]
    },
    async release(key, owner) {
      const overBy = clock.isConfirmed() ? clock.now() : NOTHING_IS_OVER
      const input = {
        TableName: table,
        Key: await keyItem(prefix, key),
        ConditionExpression: MINE_AND_LIVE,
        ExpressionAttributeValues: conditionValues(owner, false, overBy),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
        ReturnValues: 'ALL_OLD' as const,
      }
      try {
        const reply = await call((given) => client.deleteItem(input, given))
        clock.confirm()
        return !isOver(memberOf(reply, 'Attributes'), clock.now())
      } catch (error) {
        if (isNamed(error, CONDITION_FAILED)) return false
        throw explained(error, table)
      }
    },
    async renew(eventKey, owner, spanMs) {
      const key = await keyItem(prefix, eventKey)
      const change = { spanMs, heldBy: owner, isDone: false, mustLive: true }
      // A wrong clock could revive a lease that is over. The response to a write that changes nothing corrects it.
      if (!clock.isConfirmed()) await write(key, owner, change, clock.now(), EVERYTHING_IS_OVER)
      const now = clock.now()
      return (await write(key, owner, change, now, now)) === 'written'
    },
  }
}

const CLAIM_ANSWER_OF = { written: 'acquired', leased: 'busy', done: 'done' } as const
const COMMIT_ANSWER_OF = { written: 'committed', leased: 'lost', done: 'already' } as const

/**
 * Reads the record that blocked a write. DynamoDB returns it with the error, but some compatible servers do not. A record
 * that is gone by now was leased.
 */
async function read({ client, call, table }: VerbOptions, key: Item): Promise<unknown> {
  const reply = await call((given) =>
    client.getItem({ TableName: table, Key: key, ConsistentRead: true }, given),
  )
  return memberOf(reply, 'Item')
}

function isOver(record: unknown, now: number): boolean {
  if (record === undefined) return false
  const lapsesAt = Number(memberOf(memberOf(record, 'lapses_at'), 'N'))
  if (Number.isNaN(lapsesAt)) throw foreignRecord()
  return lapsesAt <= now
}

function stateOf(outcome: 'written' | { readonly record: unknown }): 'written' | 'done' | 'leased' {
  if (outcome === 'written') return outcome
  if (outcome.record === undefined) return 'leased'
  const isDone = memberOf(memberOf(outcome.record, 'is_done'), 'BOOL')
  if (typeof isDone === 'boolean') return isDone ? 'done' : 'leased'
  throw foreignRecord()
}

const foreignRecord = () =>
  new EventStoreError(
    'the key of an event holds a record that hookgate did not write, or the client converts what DynamoDB answers: pass a DynamoDB without middleware that does',
  )

function explained(cause: unknown, table: string): unknown {
  if (!isNamed(cause, TABLE_MISSING)) return cause
  const problem = `the table ${table} is not there (in this account and region): run \`await store.migrate()\` once`
  return new EventStoreError(problem, { cause })
}
