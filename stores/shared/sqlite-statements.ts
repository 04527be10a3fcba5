import { ListenerConfigError } from '../../src/errors.ts'
import type { OptionCheck } from '../../src/lib/options.ts'

/** What the table is called unless told otherwise. */
export const SQLITE_TABLE = 'hookgate_events'

/** A name that may stand in SQL text. */
export const tableName: OptionCheck = (value, option) => {
  if (typeof value !== 'string' || !/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(value)) {
    throw new ListenerConfigError(
      option,
      'must be a plain name: letters, digits and _, no digit in front, at most 63',
    )
  }
}

/**
 * The table and its index, as SQL text for those who run their own migrations. Running it again changes nothing.
 *
 * `commits` is 0 while the event is leased, 1 when it is done, 2 when a commit was repeated. `expires_at` is in Unix
 * milliseconds. The index is for `sweep()` alone: without it everything works, in half the space, and a sweep reads
 * the whole table.
 *
 * @throws ListenerConfigError when `table` is not a plain name.
 */
export function sqliteSchema(table: string = SQLITE_TABLE): string {
  return `${schemaStatements(table).join('\n')}\n`
}

/** The same, a statement each. @throws ListenerConfigError when `table` is not a plain name. */
export function schemaStatements(table: string): readonly string[] {
  tableName(table, 'table')
  return [
    `CREATE TABLE IF NOT EXISTS "${table}" (
  listener_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  owner TEXT,
  commits INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (listener_id, event_id)
) WITHOUT ROWID;`,
    `CREATE INDEX IF NOT EXISTS "${table}_expires_at" ON "${table}" (expires_at);`,
  ]
}

/**
 * The database's clock, in Unix milliseconds: read after the wait for the write lock, once a statement.
 * `unixepoch('subsec')` would say it shorter, but answers NULL before SQLite 3.42, which is what some systems bring.
 */
const NOW = "CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER)"

/** In SQL, a record that exists and counts. Before an update these are its old values. */
const LIVE = `expires_at >= ${NOW}`

/** Another owner's lease, or done: what a commit must leave as it is. */
const KEPT = `${LIVE} AND (commits > 0 OR owner <> excluded.owner)`

export interface SqliteStatements {
  /** listener id, event id, owner, commits, milliseconds, owner, commits → one row: `answer` */
  readonly claim: string
  /** listener id, event id, owner, milliseconds → one row: `answer` */
  readonly commit: string
  /** listener id, event id, owner → a row if it was deleted */
  readonly release: string
  /** limit → a row for each that was deleted */
  readonly sweep: string
}

/**
 * A statement a verb, for every SQLite there is. Each is one write, so no other process comes between its look and its
 * change. Claim and commit always return one row: what was there is written once more, to be told of it.
 *
 * Only `?` without a number: better-sqlite3 counts numbered ones as one each time they occur.
 */
export function sqliteStatements(table: string): SqliteStatements {
  const here = `"${table}" WHERE listener_id = ? AND event_id = ?`
  const expired = `SELECT listener_id, event_id FROM "${table}" WHERE expires_at < ${NOW}`
  return {
    claim: `${upsert(table, '?', '?')}
  owner = CASE WHEN ${LIVE} THEN owner ELSE excluded.owner END,
  commits = CASE WHEN ${LIVE} THEN commits ELSE excluded.commits END,
  expires_at = CASE WHEN ${LIVE} THEN expires_at ELSE excluded.expires_at END
RETURNING CASE WHEN owner = ? AND commits = ? THEN 'acquired' WHEN commits > 0 THEN 'done' ELSE 'busy' END AS answer`,
    commit: `${upsert(table, '?', '1')}
  owner = CASE WHEN ${KEPT} THEN owner END,
  commits = CASE WHEN ${KEPT} THEN min(commits * 2, 2) ELSE 1 END,
  expires_at = CASE WHEN ${KEPT} THEN expires_at ELSE excluded.expires_at END
RETURNING CASE commits WHEN 1 THEN 'committed' WHEN 2 THEN 'already' ELSE 'lost' END AS answer`,
    release: `DELETE FROM ${here} AND owner = ? AND commits = 0 AND ${LIVE} RETURNING 1 AS deleted`,
    sweep: `DELETE FROM "${table}" WHERE (listener_id, event_id) IN
  (${expired} ORDER BY expires_at LIMIT ?) RETURNING 1 AS deleted`,
  }
}

function upsert(table: string, owner: string, commits: string): string {
  return `INSERT INTO "${table}" (listener_id, event_id, owner, commits, expires_at)
VALUES (?, ?, ${owner}, ${commits}, ${NOW} + ?)
ON CONFLICT (listener_id, event_id) DO UPDATE SET`
}
