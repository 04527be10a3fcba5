import { EventStoreError } from '../../src/errors.ts'
import type { ClaimAnswer, CommitAnswer, EventKey, EventStore } from '../../src/event-store.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { DONE_BY_CLAIM } from '../contract.ts'
import {
  type Call,
  CONDITION_FAILED,
  type DynamodbClient,
  type Item,
  isNamed,
  TABLE_MISSING,
} from './client.ts'
import { timeOf } from './clock.ts'
import { conditionValues, FREE_OR_MINE, keyItem, MINE_AND_LIVE, recordOf } from './records.ts'

export interface VerbOptions {
  readonly client: DynamodbClient
  readonly call: Call
  readonly table: string
  readonly prefix: string
  readonly clock: Clock
}

/** The outcome of a conditional write: written, or blocked by another owner's record. */
type WriteAnswer = 'written' | 'leased' | 'done'

/** Mode `two-phase`: leases, then commits. */
export function twoPhase(options: VerbOptions): EventStore {
  const put = putter(options)
  return {
    async claim(key, owner, leaseMs): Promise<ClaimAnswer> {
      return CLAIM_ANSWER_OF[
        await put(key, { owner, keepOwner: true, wasDone: false, isDone: false }, leaseMs)
      ]
    },
    async commit(key, owner, retentionMs): Promise<CommitAnswer> {
      const outcome = await put(key, { owner, keepOwner: false, wasDone: false, isDone: true }, retentionMs)
      return COMMIT_ANSWER_OF[outcome]
    },
    release: releaser(options),
  }
}

/** Mode `single`. */
export function singlePhase(options: VerbOptions, retentionSeconds: number): EventStore {
  const put = putter(options)
  const states = { keepOwner: true, wasDone: true, isDone: true }
  return {
    replayWindowSeconds: retentionSeconds,
    claim: async (key, owner) =>
      CLAIM_ANSWER_OF[await put(key, { owner, ...states }, retentionSeconds * 1000)],
    ...DONE_BY_CLAIM,
  }
}

const CLAIM_ANSWER_OF = { written: 'acquired', leased: 'busy', done: 'done' } as const
const COMMIT_ANSWER_OF = { written: 'committed', leased: 'lost', done: 'already' } as const

interface Change {
  readonly owner: string
  /** False drops the owner of a committed record, so that it is treated like any other owner. */
  readonly keepOwner: boolean
  /** The state in which this owner's record may be overwritten. */
  readonly wasDone: boolean
  readonly isDone: boolean
}

function putter(options: VerbOptions) {
  const { client, call, table, prefix, clock } = options
  return async (eventKey: EventKey, change: Change, spanMs: number): Promise<WriteAnswer> => {
    const key = await keyItem(prefix, eventKey)
    const { owner, keepOwner, wasDone, isDone } = change
    const now = timeOf(client, clock)
    const lapsesAt = Math.ceil(now + spanMs)
    const input = {
      TableName: table,
      Item: recordOf(key, { ...(keepOwner && { owner }), isDone, lapsesAt }),
      ConditionExpression: FREE_OR_MINE,
      ExpressionAttributeValues: conditionValues(owner, wasDone, now),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    }
    try {
      await call((given) => client.putItem(input, given))
      return 'written'
    } catch (error) {
      if (!isNamed(error, CONDITION_FAILED)) throw explained(error, table)
      const found = Reflect.get(Object(error), 'Item') ?? (await read(options, key))
      return isDoneRecord(found) ? 'done' : 'leased'
    }
  }
}

function releaser(options: VerbOptions): EventStore['release'] {
  const { client, call, table, prefix, clock } = options
  return async (eventKey, owner) => {
    const input = {
      TableName: table,
      Key: await keyItem(prefix, eventKey),
      ConditionExpression: MINE_AND_LIVE,
      ExpressionAttributeValues: conditionValues(owner, false, timeOf(client, clock)),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    }
    try {
      await call((given) => client.deleteItem(input, given))
      return true
    } catch (error) {
      if (isNamed(error, CONDITION_FAILED)) return false
      throw explained(error, table)
    }
  }
}

/**
 * Reads the record that blocked a write. DynamoDB returns it with the error, but some compatible servers do not. A record
 * that is gone by now was leased.
 */
async function read({ client, call, table }: VerbOptions, key: Item): Promise<unknown> {
  const reply = await call((given) =>
    client.getItem({ TableName: table, Key: key, ConsistentRead: true }, given),
  )
  return Reflect.get(Object(reply), 'Item')
}

function isDoneRecord(item: unknown): boolean {
  if (item === undefined) return false
  const isDone: unknown = Reflect.get(Object(Reflect.get(Object(item), 'is_done')), 'BOOL')
  if (typeof isDone === 'boolean') return isDone
  throw new EventStoreError('the key of an event holds a record that hookgate did not write')
}

function explained(cause: unknown, table: string): unknown {
  if (!isNamed(cause, TABLE_MISSING)) return cause
  const problem = `the table ${table} is not there (in this account and region): run \`await store.migrate()\` once`
  return new EventStoreError(problem, { cause })
}
