import { EventStoreError } from '../../src/errors.ts'
import type { ClaimAnswer, CommitAnswer, EventKey, EventStore } from '../../src/event-store.ts'
import { type MaybePromise, whenKnown } from '../../src/lib/maybe-promise.ts'
import { DONE_BY_CLAIM } from '../contract.ts'
import type { SqliteConnection } from './connection.ts'
import type { SqliteStatements } from './statements.ts'

type Ask = SqliteConnection['all']

/** Mode `two-phase`: leases, then commits. */
export function twoPhase(ask: Ask, { claim, commit, release }: SqliteStatements): EventStore {
  return {
    claim: ({ listenerId, eventId }, owner, leaseMs) =>
      whenKnown(ask(claim, [listenerId, eventId, owner, 0, leaseMs, owner, 0]), answerOf<ClaimAnswer>),
    commit: ({ listenerId, eventId }, owner, retentionMs) =>
      whenKnown(ask(commit, [listenerId, eventId, owner, retentionMs]), answerOf<CommitAnswer>),
    release: ({ listenerId, eventId }: EventKey, owner) =>
      whenKnown(ask(release, [listenerId, eventId, owner]), (rows) => rows.length > 0),
  }
}

/** Mode `single`. */
export function singlePhase(ask: Ask, { claim }: SqliteStatements, retentionSeconds: number): EventStore {
  const retentionMs = retentionSeconds * 1000
  return {
    replayWindowSeconds: retentionSeconds,
    claim: ({ listenerId, eventId }, owner) =>
      whenKnown(ask(claim, [listenerId, eventId, owner, 1, retentionMs, owner, 1]), answerOf<ClaimAnswer>),
    ...DONE_BY_CLAIM,
  }
}

/** Cast: the statement returns only these words, and the core checks them again. */
function answerOf<Answer>(rows: readonly unknown[]): Answer {
  return Reflect.get(Object(rows[0]), 'answer') as Answer
}

/** The connection's `all`, with a helpful error if the table is missing. */
export function askTable(connection: SqliteConnection): Ask {
  const explain = (cause: unknown): never => {
    if (!/no such table/.test(String(cause))) throw cause
    throw new EventStoreError('the table of events is missing: run `await store.migrate()` once', { cause })
  }
  return (sql, values): MaybePromise<readonly unknown[]> => {
    try {
      const rows = connection.all(sql, values)
      return rows instanceof Promise ? rows.catch(explain) : rows
    } catch (error) {
      return explain(error)
    }
  }
}
