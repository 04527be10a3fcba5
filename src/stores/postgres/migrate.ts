import { EventStoreError } from '../../errors.ts'
import { answerIn, answering, NONE, POSTGRES } from '../answer.ts'
import { knownAnswer } from '../contract.ts'
import { refuseOtherServers } from '../kinds.ts'
import type { RunStatement } from './client.ts'
import { isUnindexed, migrationOf, type TableDefinition } from './statements.ts'

/**
 * Creates what is missing, and looks whether all is there: other servers take the statement for a calculation, some executors send nothing,
 * and the name of an index may belong to another relation.
 *
 * @throws ListenerConfigError for another kind of server. EventStoreError if the table or an index of it is missing.
 */
export async function migrate(run: RunStatement, definition: TableDefinition, table: string): Promise<void> {
  let lack: string
  try {
    await run(migrationOf(definition), [])
    const known = [NONE, 'table', ...definition.indexes.map(([name]) => name)]
    lack = knownAnswer('Postgres', known, answerIn(await run(lackOf(definition), []), POSTGRES))
  } catch (error) {
    refuseOtherServers(error, 'Postgres')
    throw error
  }
  if (lack === NONE) return
  if (lack !== 'table') throw nameTaken(table, lack)
  throw new EventStoreError(
    `migrate() has run, but the table ${table} is not there: the client has to run each statement, on the primary, and commit it`,
  )
}

/** `table`, or the name of an index. */
function lackOf({ table, indexes }: TableDefinition): string {
  const id = `to_regclass('${table}')`
  const unindexed = indexes.map(([name, column]) => ` WHEN ${isUnindexed(id, column)} THEN '${name}'`)
  return answering(`SELECT CASE WHEN ${id} IS NULL THEN 'table'${unindexed.join('')} END`)
}

/** The error for names of indexes that belong to other relations. A table that is renamed leaves those of its indexes as they are. */
export const nameTaken = (table: string, relations: string): EventStoreError =>
  new EventStoreError(
    `migrate() cannot index the table ${table}, because these relations have the names of its indexes: ${relations}. ` +
      'Rename each of them (ALTER TABLE … RENAME TO …, for an index too), or choose another table, and run it again',
  )
