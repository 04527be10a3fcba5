import { storedKey } from '../../src/event-key.ts'
import type { ClaimAnswer, CommitAnswer, EventStore } from '../../src/event-store.ts'
import { DONE_BY_CLAIM, tableMissing } from '../contract.ts'
import type { SqliteConnection } from './connection.ts'
import type { SqliteStatements } from './statements.ts'

type Ask = SqliteConnection['all']

/** Mode `two-phase`: leases, then commits. */
export function twoPhase(ask: Ask, { claim, commit, release }: SqliteStatements): EventStore {
  return {
    async claim(key, owner, leaseMs) {
      const { listenerId, eventId } = await storedKey(key)
      return answerOf<ClaimAnswer>(await ask(claim, [listenerId, eventId, owner, 0, leaseMs, owner, 0]))
    },
    async commit(key, owner, retentionMs) {
      const { listenerId, eventId } = await storedKey(key)
      return answerOf<CommitAnswer>(await ask(commit, [listenerId, eventId, owner, retentionMs]))
    },
    async release(key, owner) {
      const { listenerId, eventId } = await storedKey(key)
      return (await ask(release, [listenerId, eventId, owner])).length > 0
    },
  }
}

/** Mode `single`. */
export function singlePhase(ask: Ask, { claim }: SqliteStatements, retentionSeconds: number): EventStore {
  const retentionMs = retentionSeconds * 1000
  return {
    replayWindowSeconds: retentionSeconds,
    async claim(key, owner) {
      const { listenerId, eventId } = await storedKey(key)
      return answerOf<ClaimAnswer>(await ask(claim, [listenerId, eventId, owner, 1, retentionMs, owner, 1]))
    },
    ...DONE_BY_CLAIM,
  }
}

/** Cast: the statement returns only these words, and the core checks them again. */
function answerOf<Answer>(rows: readonly unknown[]): Answer {
  return Reflect.get(Object(rows[0]), 'answer') as Answer
}

/** The connection's `all`, with a helpful error if the table is missing. */
export function askTable(connection: SqliteConnection): Ask {
  return async (sql, values) => {
    try {
      return await connection.all(sql, values)
    } catch (cause) {
      throw /no such table/.test(String(cause)) ? tableMissing(cause) : cause
    }
  }
}
