import { EventStoreError } from '../../errors.ts'
import { answerIn, answering, POSTGRES } from '../answer.ts'
import { refuseOtherServers } from '../kinds.ts'
import type { RunStatement } from './client.ts'
import { quotedTable } from './statements.ts'

/**
 * Runs the SQL, and looks whether the table is there: other servers take the statement for a calculation, and some executors send nothing.
 *
 * @throws ListenerConfigError for another kind of server. EventStoreError if the table is missing.
 */
export async function migrate(run: RunStatement, statement: string, table: string): Promise<void> {
  try {
    await run(statement, [])
    const found = answerIn(await run(IS_THERE, [quotedTable(table).table]), POSTGRES)
    if (found === 'there') return
  } catch (error) {
    refuseOtherServers(error, 'Postgres')
    throw error
  }
  throw new EventStoreError(
    `migrate() has run, but the table ${table} is not there: the client has to run each statement, on the primary, and commit it`,
  )
}

const IS_THERE = answering(`SELECT CASE WHEN to_regclass($1::text) IS NULL THEN 'missing' ELSE 'there' END`)

/** The error for names of indexes that belong to other relations. A table that is renamed leaves those of its indexes as they are. */
export const nameTaken = (table: string, relations: string): EventStoreError =>
  new EventStoreError(
    `migrate() cannot index the table ${table}, because these relations have the names of its indexes: ${relations}. ` +
      'Rename each of them (ALTER TABLE … RENAME TO …, for an index too), or choose another table, and run it again',
  )
