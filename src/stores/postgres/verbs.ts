import { sha256 } from '#crypto'
import { EventStoreError } from '../../errors.ts'
import {
  CLAIM_ANSWERS,
  COMMIT_ANSWERS,
  type CommitAnswer,
  type EventKey,
  type EventStore,
} from '../../event-store.ts'
import { knownAnswer, storeOf, tableMissing } from '../contract.ts'
import { hasSqlState, type RunStatement, SERIALIZATION_FAILURE, UNDEFINED_TABLE } from './client.ts'
import type { Statements } from './sql.ts'

/** Maximum attempts while other statements keep changing the same record. */
const MOST_ATTEMPTS = 5
/** A thousand years, well within the range of timestamps. */
const LONGEST_MS = 365_250 * 86_400_000
/** An index entry of Postgres has room for about 2,700 bytes. */
const LONGEST_LISTENER_ID = 500

interface VerbOptions {
  readonly statements: Statements
  /** Retention in mode `single`, in seconds. Undefined in mode `two-phase`. */
  readonly seconds: number | undefined
  /** In the caller's transaction, a failed statement cannot be retried. */
  readonly inTransaction: boolean
}

/** The `EventStore` methods, on one connection or a pool. */
export function postgresVerbs(
  run: RunStatement,
  { statements, seconds, inTransaction }: VerbOptions,
): EventStore {
  const ask = asker(run, inTransaction)
  const store = storeOf(
    {
      async claim(key, owner, ms) {
        try {
          // No row: another owner changed the record after this statement began, and holds it.
          const answer = await ask(statements.claim, await valuesOf(key, owner, ms))
          return answer === undefined ? 'busy' : knownAnswer('Postgres', CLAIM_ANSWERS, answer)
        } catch (error) {
          if (inTransaction && hasSqlState(error, SERIALIZATION_FAILURE)) return 'busy'
          throw error
        }
      },
      async commit(key, owner, ms) {
        const values = await valuesOf(key, owner, ms)
        for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
          const answer = await ask(statements.commit, values)
          // No row: the record changed after this statement began. The next attempt sees the change.
          if (answer !== undefined) return commitAnswer(answer)
        }
        throw new EventStoreError(
          `another statement changed the record during each of ${MOST_ATTEMPTS} commits`,
        )
      },
      async release(key, owner) {
        const [eventId, listener, escapedOwner] = await valuesOf(key, owner, 0)
        const answer = await ask(statements.release, [eventId, listener, escapedOwner])
        return answer !== undefined && knownAnswer('Postgres', ['released', 'lapsed'], answer) === 'released'
      },
    },
    seconds,
  )
  if (seconds === undefined || !inTransaction) return store
  // Fails if a statement has failed: Postgres would answer COMMIT with a rollback, and not with an error.
  const commit = async (_key: EventKey, owner: string) =>
    commitAnswer(await ask(statements.check, [asciiText(owner)]))
  return { ...store, commit }
}

/** @throws EventStoreError outside the transaction of the claim. */
function commitAnswer(answer: unknown): CommitAnswer {
  if (answer !== 'outside') return knownAnswer('Postgres', COMMIT_ANSWERS, answer)
  throw new EventStoreError(
    'the transaction of the claim has ended: leave COMMIT and ROLLBACK to event.commit() and event.release()',
  )
}

/** Returns the answer in the first row of a statement. Undefined if there is no row. */
export function asker(
  run: RunStatement,
  inTransaction: boolean,
): (statement: string, values: readonly string[]) => Promise<unknown> {
  return async (statement, values) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const [row] = await run(statement, values)
        return row && (row.answer ?? 'nothing')
      } catch (error) {
        if (hasSqlState(error, UNDEFINED_TABLE)) throw tableMissing(error)
        const again = !inTransaction && attempt < MOST_ATTEMPTS
        if (!again || !hasSqlState(error, SERIALIZATION_FAILURE)) throw error
      }
    }
  }
}

async function valuesOf({ listenerId, eventId }: EventKey, owner: string, milliseconds: number) {
  const listener = await listenerText(listenerId)
  return [eventId, listener, asciiText(owner), `${Math.min(milliseconds, LONGEST_MS)}`] as const
}

/** Escapes a text to printable ASCII, which Postgres stores in any encoding, unlike NUL. Different texts stay different. */
function asciiText(text: string): string {
  return text.replace(/[^ -[\]-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A listener's ID as stored. A very long one becomes a digest, which cannot equal an escaped text. */
async function listenerText(listenerId: string): Promise<string> {
  const text = asciiText(listenerId)
  return text.length > LONGEST_LISTENER_ID ? `\\sha256:${await sha256(text)}` : text
}
