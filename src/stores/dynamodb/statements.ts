import { sha256 } from '#crypto'
import { type EventKey, eventKeyText } from '../../event-store.ts'
import type { Item } from './client.ts'

/** The partition key; there is no sort key. */
export const KEY_ATTRIBUTE = 'event_key'
/** When DynamoDB may delete the record, in Unix seconds. It does so up to days later, so nothing is judged by it. */
export const TTL_ATTRIBUTE = 'expires_at'

// A record's other attributes: `held_by` (the owner; absent after a commit, unless AWS had not yet confirmed the clock),
// `is_done`, and `lapses_at`, the end of the lease or the retention in Unix milliseconds. None of these names is reserved in
// DynamoDB.

const MINE = 'held_by = :owner AND is_done = :done'

/** The record may be written: it is absent, past its time, or this owner's in this state. */
export const FREE_OR_MINE: string = `attribute_not_exists(${KEY_ATTRIBUTE}) OR lapses_at <= :now OR (${MINE})`

/** The record may be deleted or renewed: a lease of this owner that still runs. */
export const MINE_AND_LIVE: string = `${MINE} AND lapses_at > :now`

export function conditionValues(owner: string, isDone: boolean, now: number): Item {
  return { ':owner': { S: owner }, ':done': { BOOL: isDone }, ':now': { N: `${now}` } }
}

/** A partition key has room for 2,048 bytes. A UTF-16 unit takes at most three. */
const LONGEST_TEXT = 600

/** A very long listener ID is stored as a digest. It cannot equal another key, because those start with a length. */
export async function keyItem(prefix: string, key: EventKey): Promise<Item> {
  const text = eventKeyText(key)
  const name = text.length > LONGEST_TEXT ? `sha256:${await sha256(text)}` : text
  return { [KEY_ATTRIBUTE]: { S: prefix + name } }
}
