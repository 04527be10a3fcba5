import { sha256 } from '#crypto'
import { EventStoreError } from '../../errors.ts'
import { type EventKey, eventKeyText } from '../../event-store.ts'
import { type Clock, timeOf } from '../../lib/clock.ts'
import { memberOf } from '../../lib/member-of.ts'
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
import { KEY_ATTRIBUTE, TTL_ATTRIBUTE } from './table.ts'

// A record beside its key and its TTL: `held_by` (the owner; not in what a commit has written), `is_done`, and `lapses_at`, the end of
// the lease or the retention in Unix milliseconds. None of them is a word that DynamoDB keeps for itself.

const MINE = 'held_by = :owner AND is_done = :done'

/** The record may be written: it is absent, past its time, or this owner's in this state. */
const FREE_OR_MINE = `attribute_not_exists(${KEY_ATTRIBUTE}) OR lapses_at <= :now OR (${MINE})`

/** The record may be deleted: a lease of this owner that still runs. */
const MINE_AND_LIVE = `${MINE} AND lapses_at > :now`

function conditionValues(owner: string, isDone: boolean, now: number): Item {
  return { ':owner': { S: owner }, ':done': { BOOL: isDone }, ':now': { N: `${now}` } }
}

interface VerbOptions {
  readonly client: DynamodbClient
  readonly call: Call
  readonly table: string
  readonly prefix: string
  readonly clock: Clock
}

/** What a verb makes of the owner's own record. */
interface Change {
  /** Undefined drops the owner of a committed record, so that it is treated like any other owner. */
  readonly heldBy?: string
  readonly wasDone: boolean
  readonly isDone: boolean
}

export function dynamodbVerbs(options: VerbOptions): EngineVerbs {
  const { client, call, table, prefix, clock } = options
  // Conditions have no clock, so each process sends its own.
  const timeNow = () => timeOf(clock) + clockOffset(client)

  /** Writes a record, or tells why another owner's blocks it. */
  const put = async (eventKey: EventKey, owner: string, spanMs: number, change: Change) => {
    const key = await keyItem(prefix, eventKey)
    const { heldBy, wasDone, isDone } = change
    const now = timeNow()
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
      ConditionExpression: FREE_OR_MINE,
      ExpressionAttributeValues: conditionValues(owner, wasDone, now),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    }
    try {
      await call((given) => client.putItem(input, given))
      return 'written'
    } catch (error) {
      if (!isNamed(error, CONDITION_FAILED)) throw explained(error, table)
      const found = memberOf(error, 'Item') ?? (await read(options, key))
      return isDoneRecord(found) ? 'done' : 'leased'
    }
  }

  return {
    async claim(key, owner, ms, done) {
      return CLAIM_ANSWER_OF[await put(key, owner, ms, { heldBy: owner, wasDone: done, isDone: done })]
    },
    async commit(key, owner, ms) {
      return COMMIT_ANSWER_OF[await put(key, owner, ms, { wasDone: false, isDone: true })]
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
  return memberOf(reply, 'Item')
}

function isDoneRecord(item: unknown): boolean {
  if (item === undefined) return false
  const isDone = memberOf(memberOf(item, 'is_done'), 'BOOL')
  if (typeof isDone === 'boolean') return isDone
  throw new EventStoreError('the key of an event holds a record that hookgate did not write')
}

function explained(cause: unknown, table: string): unknown {
  if (!isNamed(cause, TABLE_MISSING)) return cause
  const problem = `the table ${table} is not there (in this account and region): run \`await store.migrate()\` once`
  return new EventStoreError(problem, { cause })
}

/** A partition key has room for 2,048 bytes. A UTF-16 unit takes at most three. */
const LONGEST_TEXT = 600

/** A very long listener ID is stored as a digest. It cannot equal another key, because those start with a length. */
async function keyItem(prefix: string, key: EventKey): Promise<Item> {
  const text = eventKeyText(key)
  const name = text.length > LONGEST_TEXT ? `sha256:${await sha256(text)}` : text
  return { [KEY_ATTRIBUTE]: { S: prefix + name } }
}
