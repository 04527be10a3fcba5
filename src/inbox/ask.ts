import { EventStoreError } from '../errors.ts'
import {
  hasSqlState,
  type Row,
  type RunStatement,
  SERIALIZATION_FAILURE,
  UNDEFINED_TABLE,
} from '../stores/postgres/client.ts'

/** Maximum attempts while other statements keep changing the same record. */
export const MOST_ATTEMPTS = 5

/** Runs one of the inbox's statements, outside of any transaction: it is run again if another one interfered. */
export async function rowsOf(
  run: RunStatement,
  statement: string,
  values: readonly string[],
): Promise<readonly Row[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run(statement, values)
    } catch (error) {
      if (hasSqlState(error, UNDEFINED_TABLE)) throw tableMissing(error)
      if (attempt >= MOST_ATTEMPTS || !hasSqlState(error, SERIALIZATION_FAILURE)) throw error
    }
  }
}

/** The answer in the first row. Undefined if there is no row. */
export async function answerOf(
  run: RunStatement,
  statement: string,
  values: readonly string[],
): Promise<unknown> {
  const [row] = await rowsOf(run, statement, values)
  return row?.answer
}

function tableMissing(cause: unknown): EventStoreError {
  return new EventStoreError('the table of the inbox is missing: run `await box.migrate()` once', { cause })
}
