import { EventStoreError, LeaseLostError, ListenerConfigError } from '../../errors.ts'
import { textOf } from '../../lib/member-of.ts'
import {
  checkTransaction,
  ERRORS,
  isRefused,
  isServerError,
  type MysqlClient,
  type RunStatement,
  statementRunner,
} from './client.ts'

/** Of a record that is this owner's, claimed and neither released nor done. */
export type InsideAnswer = 'committed' | 'not found' | 'autocommit off'

/**
 * Runs a commit as the last statement of the caller's transaction. A statement that fails undoes itself alone, so after a failure this ends
 * the connection, and the transaction with it: nobody can commit what was written there, even if the error is ignored. A user needs no
 * privilege for that.
 *
 * @param mark The name of a savepoint of this owner's, which stays: it tells a second commit that the first was in this same transaction.
 * @throws ListenerConfigError for a client without an open transaction, and with autocommit off. LeaseLostError if the event is no longer
 * this owner's. EventStoreError if the isolation level or another transaction is in the way. Other errors of the client as they are.
 */
export async function commitInside(
  tx: object,
  mark: string,
  commit: (run: RunStatement) => Promise<InsideAnswer>,
): Promise<'committed'> {
  const run = statementRunner(tx as MysqlClient, 'tx') // it throws for anything else
  checkTransaction(tx)
  await expectTransaction(run) // before it, KILL could end another connection of a pool
  try {
    const answer = await commit(run)
    if (answer === 'autocommit off') throw withAutocommitOff()
    if (answer === 'not found' && !(await releaseSavepoint(run, mark))) throw lost()
    await run(`SAVEPOINT ${mark}`, [])
    return 'committed'
  } catch (error) {
    throw await endConnection(run, explained(error))
  }
}

/** Outside a transaction, a savepoint is gone at once: also after a deadlock, which has rolled all back, or a statement that commits. */
async function expectTransaction(run: RunStatement): Promise<void> {
  await run('SAVEPOINT hookgate_commit_in', [])
  if (await releaseSavepoint(run, 'hookgate_commit_in')) return
  throw new ListenerConfigError(
    'tx',
    'has no open transaction: pass the connection that sent BEGIN, or what your ORM hands to the function of its transaction. A deadlock, ' +
      'DDL, COMMIT and ROLLBACK end a transaction: what the handler writes after them is committed at once',
  )
}

/** Returns whether it was there. Those that were set after it go with it. */
async function releaseSavepoint(run: RunStatement, name: string): Promise<boolean> {
  try {
    await run(`RELEASE SAVEPOINT ${name}`, [])
    return true
  } catch (error) {
    if (isServerError(error, ERRORS.NO_SUCH_SAVEPOINT)) return false
    throw error
  }
}

/** Returns the error to throw for `reason`. The only reply of a connection that has ended is an error, too. */
async function endConnection(run: RunStatement, reason: unknown): Promise<unknown> {
  try {
    await run('KILL CONNECTION_ID()', [])
  } catch (error) {
    if (isRefused(error)) return notEnded(reason, error)
  }
  return reason
}

function notEnded(reason: unknown, refusal: unknown): Error {
  const text =
    `${textOf(reason, 'message')}. The server did not end the connection: ${textOf(refusal, 'message')}. ` +
    'Send ROLLBACK: a COMMIT may take effect without the event'
  const options = { cause: reason }
  return reason instanceof LeaseLostError
    ? new LeaseLostError(reason.code, text, options)
    : new EventStoreError(text, options)
}

function explained(error: unknown): unknown {
  if (isServerError(error, ERRORS.CHECKREAD)) return changedMeanwhile(error)
  return isServerError(error, ERRORS.LOCK_WAIT_TIMEOUT) ? locked(error) : error
}

/** The transaction that is open may have begun after a deadlock that was ignored. */
function withAutocommitOff(): ListenerConfigError {
  return new ListenerConfigError(
    'tx',
    'has autocommit off, so nobody can tell whether its transaction is still the one that the handler began: SET autocommit = 1 on its ' +
      'connection, and begin transactions with START TRANSACTION',
  )
}

function lost(): LeaseLostError {
  return new LeaseLostError(
    'ERR_LEASE_LOST',
    'commit(tx) came too late: the event was released, or another delivery has run it or runs it, so the server ends this connection and its ' +
      "transaction. If neither is so, tx is not on the store's database",
  )
}

function locked(cause: unknown): EventStoreError {
  return new EventStoreError(
    'commit(tx) found the event locked by another open transaction, which may be about to commit it, so the server ends this connection and ' +
      'its transaction',
    { cause },
  )
}

/** With `innodb_snapshot_isolation`. The server has rolled the transaction back. */
function changedMeanwhile(cause: unknown): EventStoreError {
  return new EventStoreError(
    'the transaction was rolled back at commit(tx), because the lease was renewed, or the event taken over, after it had first read: begin it ' +
      'with SET TRANSACTION ISOLATION LEVEL READ COMMITTED',
    { cause },
  )
}
