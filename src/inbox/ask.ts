import { EventStoreError } from '../errors.ts'
import { textOf } from '../lib/member-of.ts'
import { answerIn, converted, NONE, POSTGRES, recordIn, recordsIn } from '../stores/answer.ts'
import {
  hasSqlState,
  type RunStatement,
  UNDEFINED_COLUMN,
  UNDEFINED_TABLE,
} from '../stores/postgres/client.ts'
import { outside } from '../stores/postgres/outside.ts'
import type { Statements } from './statements.ts'

/** What asks, and what it may ask. */
export interface Asking {
  readonly run: RunStatement
  readonly statements: Statements
}

type Asked = readonly [run: RunStatement, statement: string, values: readonly string[]]

/** The answer of a statement. @throws EventStoreError if the client changed it. */
export async function answerOf(...asked: Asked): Promise<string> {
  return answerIn(await resultOf(...asked), POSTGRES)
}

/** The records of a statement. @throws EventStoreError if the client changed them. */
export async function recordsOf(...asked: Asked): Promise<readonly unknown[]> {
  return recordsIn(await resultOf(...asked), POSTGRES)
}

/** The record in the answer of a statement, if any. @throws EventStoreError if the client changed it. */
export async function recordOf(...asked: Asked): Promise<unknown> {
  const answer = await answerOf(...asked)
  return answer === NONE ? undefined : recordIn(answer, POSTGRES)
}

/** Reads the texts of a record. They throw EventStoreError if the client has changed them. */
export const textsOf =
  (record: unknown) =>
  (name: string): string => {
    const value = textOf(record, name)
    if (value === undefined) throw converted('another text', POSTGRES)
    return value
  }

/** Outside of any transaction. */
const resultOf = (...[run, ...asked]: Asked) => outside(run, unmigrated)(...asked)

function unmigrated(cause: unknown): EventStoreError | undefined {
  const isMissing = hasSqlState(cause, UNDEFINED_TABLE)
  if (!isMissing && !hasSqlState(cause, UNDEFINED_COLUMN)) return undefined
  const problem = isMissing ? 'is missing' : 'is of an earlier version'
  return new EventStoreError(`the table of the inbox ${problem}: run \`await box.migrate()\` once`, { cause })
}
