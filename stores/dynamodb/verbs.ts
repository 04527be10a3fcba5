import { EventStoreError } from '../../src/errors.ts'
import type { EventKey } from '../../src/event-store.ts'
import type { Clock } from '../../src/lib/clock.ts'
import type { EngineVerbs } from '../contract.ts'
import {
  type Call,
  CONDITION_FAILED,
  clockOffset,
  type DynamodbClient,
  type Item,
  isNamed,
  TABLE_MISSING,
} from './client.ts'
import { conditionValues, FREE_OR_MINE, keyItem, MINE_AND_LIVE, recordOf } from './records.ts'

interface VerbOptions {
  readonly client: DynamodbClient
  readonly call: Call
  readonly table: string
  readonly prefix: string
  readonly clock: Clock
}

interface Change {
  readonly owner: string
  /** False drops the owner of a committed record, so that it is treated like any other owner. */
  readonly keepOwner: boolean
  /** The state in which this owner's record may be overwritten. */
  readonly wasDone: boolean
  readonly isDone: boolean
}

export function dynamodbVerbs(options: VerbOptions): EngineVerbs {
  const { client, call, table, prefix, clock } = options
  // Conditions have no clock, so each process sends its own.
  const timeNow = () => clock.now() + clockOffset(client)

  /** Writes a record, or tells why another owner's blocks it. */
  const put = async (eventKey: EventKey, change: Change, spanMs: number) => {
    const key = await keyItem(prefix, eventKey)
    const { owner, keepOwner, wasDone, isDone } = change
    const now = timeNow()
    const input = {
      TableName: table,
      Item: recordOf(key, { ...(keepOwner && { owner }), isDone, lapsesAt: Math.ceil(now + spanMs) }),
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

  return {
    async claim(key, owner, ms, done) {
      const outcome = await put(key, { owner, keepOwner: true, wasDone: done, isDone: done }, ms)
      return CLAIM_ANSWER_OF[outcome]
    },
    async commit(key, owner, ms) {
      const outcome = await put(key, { owner, keepOwner: false, wasDone: false, isDone: true }, ms)
      return COMMIT_ANSWER_OF[outcome]
    },
    async release(key, owner) {
      const input = {
        TableName: table,
        Key: await keyItem(prefix, key),
        ConditionExpression: MINE_AND_LIVE,
        ExpressionAttributeValues: conditionValues(owner, false, timeNow()),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
      }
      try {
        await call((given) => client.deleteItem(input, given))
        return true
      } catch (error) {
        if (isNamed(error, CONDITION_FAILED)) return false
        throw explained(error, table)
      }
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
