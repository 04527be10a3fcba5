import { EventStoreError } from '../../errors.ts'
import { CLAIM_ANSWERS, type ClaimAnswer, COMMIT_ANSWERS, type CommitAnswer } from '../../event-store.ts'
import { NONE } from '../answer.ts'
import { knownAnswer, MOST_ATTEMPTS, tableMissing, undisturbed } from '../contract.ts'
import { refuseOtherServers } from '../kinds.ts'
import {
  hasSqlState,
  LOCK_NOT_AVAILABLE,
  type RunStatement,
  SERIALIZATION_FAILURE,
  UNDEFINED_TABLE,
} from './client.ts'

const withoutTable = (error: unknown) =>
  hasSqlState(error, UNDEFINED_TABLE) ? tableMissing(error) : undefined

/**
 * Runs statements outside of any transaction: again, if they could not be serialized.
 *
 * @param unmigrated What to throw for an error, if it says that the table is not as `migrate()` makes it.
 */
export function outside(
  run: RunStatement,
  unmigrated: (error: unknown) => EventStoreError | undefined = withoutTable,
): RunStatement {
  const explained: RunStatement = async (text, values) => {
    try {
      return await run(text, values)
    } catch (error) {
      refuseOtherServers(error, 'Postgres')
      throw unmigrated(error) ?? error
    }
  }
  const isUndone = (error: unknown) => hasSqlState(error, SERIALIZATION_FAILURE)
  return (text, values) => undisturbed(() => explained(text, values), isUndone)
}

/** What the answer to a claim means: a transaction that locks the record for as long as a claim waits is at work on the event. */
export async function claimed(asked: Promise<string>): Promise<ClaimAnswer> {
  try {
    const answer = await asked
    // `none`: another owner changed the record after the statement began, and holds it.
    return answer === NONE ? 'busy' : knownAnswer('Postgres', CLAIM_ANSWERS, answer)
  } catch (error) {
    if (hasSqlState(error, LOCK_NOT_AVAILABLE)) return 'busy'
    throw error
  }
}

/** Asks for a commit until no other statement has changed the record meanwhile. */
export async function committed(ask: () => Promise<string>): Promise<CommitAnswer> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const answer = await ask()
    if (answer !== NONE) return knownAnswer('Postgres', COMMIT_ANSWERS, answer)
  }
  throw new EventStoreError(`another statement changed the record during each of ${MOST_ATTEMPTS} commits`)
}
