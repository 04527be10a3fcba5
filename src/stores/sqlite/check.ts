import { kindOf } from '../../lib/options.ts'
import { answersIn, converted, SQLITE } from '../answer.ts'
import { makeRoom, problemsIn, type StoreProblem } from '../contract.ts'
import { isBusy, isYours, type SqliteConnection, says } from './client.ts'
import { KEY, NAMES, VIEW } from './statements.ts'

/** Longest acceptable block of the process, in milliseconds. */
const LONGEST_WAIT_MS = 50

/** Checks the table, and the settings of a local database. Empty if there are no problems. */
export async function checkSqlite(db: SqliteConnection, table: string): Promise<readonly StoreProblem[]> {
  const names = await namesOf(db, table)
  const problems = problemsIn([
    [
      names.includes(VIEW),
      'this is a view, which SQLite writes no rows to: every delivery gets a 503',
      makeRoom('store.migrate()'),
    ],
    [
      !names.includes(table) && !names.includes(VIEW),
      'the table is missing: every delivery gets a 503',
      'run `await store.migrate()` once, or the SQL of sqliteSchema()',
    ],
    [names.includes(table) && !names.includes(KEY), UNKEYED.problem, UNKEYED.fix],
    [
      names.includes(table) && !names.includes(indexOf(table)),
      'there is no index on expires_at, so sweep() reads the whole table, and blocks the process meanwhile',
      'run `await store.migrate()`, or the CREATE INDEX of sqliteSchema()',
    ],
  ])
  if (!db.isLocal) return problems
  const isReadOnly = names.includes(table) && (await refusesWrites(db, table))
  return [...problems, ...(await settingProblems(db, isReadOnly))]
}

export const UNKEYED: StoreProblem = {
  problem:
    'no key tells records apart by the bytes of listener_id and event_id: deliveries get a 503, or are lost',
  fix: makeRoom('store.migrate()'),
}

export const indexOf = (table: string): string => `${table}_expires_at`

/** The names of the table and its index, if they exist. `VIEW` stands for a view of that name, and `KEY` for the table's key. */
export async function namesOf(db: SqliteConnection, table: string): Promise<readonly string[]> {
  return answersIn(await db.read(NAMES, [table, indexOf(table), table, table]), SQLITE)
}

/** Tries a write that changes nothing. A database that another process has locked still counts as writable. */
async function refusesWrites(db: SqliteConnection, table: string): Promise<boolean> {
  try {
    await db.write(`DELETE FROM "${table}" WHERE FALSE RETURNING 1`, [])
    return false
  } catch (error) {
    if (isBusy(error) || isYours(error)) return false
    if (says(error, /readonly/i)) return true
    throw error
  }
}

async function settingProblems(db: SqliteConnection, isReadOnly: boolean): Promise<StoreProblem[]> {
  const ask = async (setting: string) => {
    const [row] = await db.read(`PRAGMA ${setting}`, [])
    const [value, ...others] = Object.values(Object(row))
    if (others.length === 0 && /^(?:string|number|bigint)$/.test(typeof value)) return String(value)
    throw converted(kindOf(value), SQLITE)
  }
  const journal = await ask('journal_mode')
  const waitMs = Number(await ask('busy_timeout'))
  const isQueryOnly = (await ask('query_only')) === '1'
  return problemsIn([
    [
      journal === 'memory',
      'the database is in memory: it ends with its connection, and no other process sees it',
      'open a file',
    ],
    [
      journal !== 'memory' && journal !== 'wal',
      `journal_mode is ${journal}: readers and writers lock each other out`,
      'PRAGMA journal_mode = WAL, once for the file',
    ],
    [
      waitMs > LONGEST_WAIT_MS,
      `busy_timeout is ${waitMs}: while another process writes, each delivery blocks this whole process for up to that many milliseconds`,
      'PRAGMA busy_timeout = 0, on every connection: the store waits by itself, without blocking',
    ],
    [
      (await ask('synchronous')) === '0',
      'synchronous is OFF: a power cut may destroy the database',
      'PRAGMA synchronous = NORMAL, or FULL, which keeps the last commits as well',
    ],
    [
      isQueryOnly,
      'the connection is read-only (query_only): every delivery gets a 503',
      'PRAGMA query_only = OFF',
    ],
    [
      isReadOnly && !isQueryOnly,
      'the database is read-only: every delivery gets a 503',
      'open it for writing, and let this process write the file and its folder',
    ],
  ])
}
