import { EventStoreError, LeaseLostError, ListenerConfigError } from '../../errors.ts'
import { textOf } from '../../lib/member-of.ts'
import { answerIn, POSTGRES } from '../answer.ts'
import { tableMissing } from '../contract.ts'
import { refuseOtherServers } from '../kinds.ts'
import { errorsIn } from '../orms.ts'
import {
  checkTransaction,
  hasSqlState,
  type PostgresClient,
  SERIALIZATION_FAILURE,
  statementRunner,
  UNDEFINED_TABLE,
} from './client.ts'
import { CLOSED } from './statements.ts'

/**
 * The answer of a statement in a transaction of the caller. What fails there cannot be sent again: the server has failed the transaction.
 *
 * @param call How the caller spells the call, for its errors.
 * @throws ListenerConfigError for a client without an open transaction. Errors of the client as they are, but for a table that is missing.
 */
export async function answerInside(
  tx: object,
  call: string,
  statement: string,
  values: readonly string[],
  missing: (cause: unknown) => EventStoreError = tableMissing,
): Promise<string> {
  const run = statementRunner(tx as PostgresClient, 'tx') // it throws for anything else
  checkTransaction(tx)
  try {
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const answer = answerIn(await run(statement, values), POSTGRES)
      if (answer !== CLOSED) return answer
    }
  } catch (error) {
    if (hasSqlState(error, UNDEFINED_TABLE)) throw missing(error)
    refuseOtherServers(error, 'Postgres')
    throw error
  }
  throw new ListenerConfigError(
    'tx',
    `${call} takes the client of an open transaction: the one that sent BEGIN, or what your ORM hands to the function of its transaction`,
  )
}

/** Casts of text to a number fail with this state. */
const INVALID_TEXT = '22P02'

/**
 * Runs a statement of `answeringInside`.
 *
 * @throws ListenerConfigError for a client without an open transaction, and in a savepoint. LeaseLostError if the event is no longer this
 * owner's. EventStoreError if the transaction could not be serialized.
 */
export async function doneInside(...given: Parameters<typeof answerInside>): Promise<void> {
  const [, call] = given
  try {
    await answerInside(...given)
  } catch (cause) {
    if (hasSqlState(cause, SERIALIZATION_FAILURE)) {
      throw new EventStoreError(
        `${call} could not be serialized, so the server fails this transaction: another delivery has run the event or runs it, or another ` +
          'transaction was in the way, which happens under REPEATABLE READ and SERIALIZABLE alone. Let the handler fail, or use READ COMMITTED',
        { cause },
      )
    }
    const reason = hasSqlState(cause, INVALID_TEXT) ? reasonIn(cause) : undefined
    if (reason === 'savepoint') {
      throw new ListenerConfigError(
        'tx',
        `is in a savepoint, which may be rolled back alone, so the server fails it: await ${call} in the outermost transaction, with no ` +
          'savepoint open. Many ORMs leave one open after a nested transaction: send SAVEPOINT a before it, and RELEASE SAVEPOINT a after it',
        { cause },
      )
    }
    if (reason === 'lost') {
      throw new LeaseLostError(
        'ERR_LEASE_LOST',
        `${call} came too late: another delivery has run the event, or runs it, so the server fails this transaction. (Or tx is of another database or schema than the store)`,
        { cause },
      )
    }
    throw cause
  }
}

/** What the statement answered when it failed: in the server's message, in whatever language and wrapper. */
function reasonIn(error: unknown): string | undefined {
  for (const one of errorsIn(error)) {
    const [, reason] = /hookgate:([a-z]+)/.exec(textOf(one, 'message') ?? '') ?? []
    if (reason) return reason
  }
  return undefined
}
