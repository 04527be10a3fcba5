import type { StoreProblem } from '../contract.ts'
import type { SqliteConnection } from './connection.ts'

/** Longest acceptable block of the process, in milliseconds. */
const LONGEST_WAIT_MS = 50

/** Checks the table, and the settings of a local database. Empty if there are no problems. */
export async function checkSqlite(db: SqliteConnection, table: string): Promise<readonly StoreProblem[]> {
  const indexes = await db.all('SELECT name FROM sqlite_master WHERE name IN (?, ?)', [
    table,
    `${table}_expires_at`,
  ])
  const names = indexes.map((row) => Reflect.get(Object(row), 'name'))
  const problems: StoreProblem[] = []
  if (!names.includes(table)) problems.push(MISSING)
  else if (!names.includes(`${table}_expires_at`)) problems.push(UNINDEXED)
  return db.isLocal ? [...problems, ...(await settingProblems(db))] : problems
}

async function settingProblems(db: SqliteConnection): Promise<readonly StoreProblem[]> {
  const ask = async (setting: string) => {
    const [row] = await db.all(`PRAGMA ${setting}`, [])
    return String(Object.values(Object(row))[0])
  }
  const problems: StoreProblem[] = []
  const journal = await ask('journal_mode')
  if (journal !== 'wal') problems.push(journal === 'memory' ? IN_MEMORY : notWal(journal))
  const waitMs = Number(await ask('busy_timeout'))
  if (waitMs > LONGEST_WAIT_MS) problems.push(longWait(waitMs))
  if ((await ask('synchronous')) === '0') problems.push(UNSAFE)
  if ((await ask('query_only')) === '1') problems.push(READ_ONLY)
  return problems
}

const MISSING: StoreProblem = {
  problem: 'the table is missing: every delivery gets a 503',
  fix: 'run `await store.migrate()` once, or the SQL of sqliteSchema()',
}

const UNINDEXED: StoreProblem = {
  problem:
    'there is no index on expires_at, so sweep() reads the whole table, and blocks the process meanwhile',
  fix: 'run the CREATE INDEX of sqliteSchema()',
}

const IN_MEMORY: StoreProblem = {
  problem: 'the database is in memory: it ends with its connection, and no other process sees it',
  fix: 'open a file',
}

const notWal = (journal: string): StoreProblem => ({
  problem: `journal_mode is ${journal}: readers and writers lock each other out`,
  fix: 'PRAGMA journal_mode = WAL, once for the file',
})

const longWait = (waitMs: number): StoreProblem => ({
  problem: `busy_timeout is ${waitMs}: while another process writes, each delivery blocks this whole process for up to that many milliseconds`,
  fix: 'PRAGMA busy_timeout = 0, on every connection: the store waits by itself, without blocking',
})

const UNSAFE: StoreProblem = {
  problem: 'synchronous is OFF: a power cut may destroy the database',
  fix: 'PRAGMA synchronous = NORMAL, or FULL, which keeps the last commits as well',
}

const READ_ONLY: StoreProblem = {
  problem: 'the connection is read-only (query_only): every delivery gets a 503',
  fix: 'PRAGMA query_only = OFF',
}
