import { ListenerConfigError } from '../../errors.ts'
import type { OptionCheck } from '../../lib/options.ts'
import { columnAnswer, END, literalAnswer } from '../answer.ts'

/** The default table name. */
export const SQLITE_TABLE = 'hookgate_events'

/** Requires a name that is safe in SQL text. */
export const tableName: OptionCheck = (value, option) => {
  if (typeof value !== 'string' || !/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(value)) {
    throw new ListenerConfigError(
      option,
      'must be a plain name: letters, digits and _, no digit in front, at most 63',
    )
  }
}

/**
 * Returns the SQL that creates the table and its index, for your own migrations. Idempotent.
 *
 * `commits` is 0 while the event is leased, 1 when it is done, and 2 after a repeated commit. `expires_at` is in Unix
 * milliseconds. Only `sweep()` uses the index; without it the table takes half the space, and a sweep scans all of it.
 *
 * @example
 * ```ts
 * db.exec(sqliteSchema())
 * ```
 *
 * @throws ListenerConfigError if `table` is not a plain name.
 */
export function sqliteSchema(table: string = SQLITE_TABLE): string {
  return `${schemaStatements(table).join('\n')}\n`
}

/** Like `sqliteSchema`, as separate statements. @throws ListenerConfigError if `table` is not a plain name. */
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
 * The database's clock, in Unix milliseconds. Evaluated once per statement, after the wait for the write lock.
 * `unixepoch('subsec')` would be shorter, but is NULL before SQLite 3.42, which some systems ship.
 */
const NOW = "CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER)"

/** SQL condition for a record that has not expired. In an update it sees the old values. */
const LIVE = `expires_at >= ${NOW}`

/** SQL condition for a record that a commit must not change: done, or leased by another owner. */
const KEPT = `${LIVE} AND (commits > 0 OR owner <> excluded.owner)`

/** Stands for a view: no name of a table has a space. */
export const VIEW = 'a view'

/** Stands for the key of a table. */
export const KEY = 'a key'

/** The names of a table and of an index of it, if they exist, and one row more at the end. Takes the table, the index, the table, and the table. */
export const NAMES: string = `SELECT ${columnAnswer(`CASE type WHEN 'view' THEN '${VIEW}' ELSE name END`)} AS answer FROM sqlite_master WHERE name = ? OR (name = ? AND tbl_name = ?)
UNION ALL SELECT ${literalAnswer(KEY)} FROM pragma_index_list(?) AS list WHERE list."unique" AND NOT list.partial
  AND (SELECT group_concat(lower(name) || ' ' || upper(coll)) FROM (SELECT name, coll FROM pragma_index_xinfo(list.name) WHERE key ORDER BY lower(name))) = 'event_id BINARY,listener_id BINARY'
UNION ALL SELECT ${literalAnswer(END)}`

export interface SqliteStatements {
  /** listener id, event id, owner, milliseconds, owner → one row: `answer` */
  readonly claim: string
  /** listener id, event id, owner, milliseconds → one row: `answer` */
  readonly commit: string
  /** listener id, event id, owner → one row if it was deleted: `answer` */
  readonly release: string
  /** milliseconds, listener id, event id, owner → one row if it was renewed: `answer` */
  readonly renew: string
  /** limit → one row per deleted record */
  readonly sweep: string
}

/**
 * One statement per method. Each is a single write, hence atomic across processes. Claim and commit do a no-op update of an
 * existing row, so that RETURNING always reports one.
 *
 * Uses unnumbered `?` only, because better-sqlite3 counts each occurrence of a numbered one.
 */
export function sqliteStatements(table: string): SqliteStatements {
  return {
    claim: `${upsert(table, 0)}
  owner = CASE WHEN ${LIVE} THEN owner ELSE excluded.owner END,
  commits = CASE WHEN ${LIVE} THEN commits ELSE excluded.commits END,
  expires_at = CASE WHEN ${LIVE} THEN expires_at ELSE excluded.expires_at END
RETURNING CASE WHEN commits > 0 THEN ${literalAnswer('done')} WHEN owner = ? THEN ${literalAnswer('acquired')}
  ELSE ${literalAnswer('busy')} END AS answer`,
    commit: `${upsert(table, 1)}
  owner = CASE WHEN ${KEPT} THEN owner END,
  commits = CASE WHEN ${KEPT} THEN min(commits * 2, 2) ELSE 1 END,
  expires_at = CASE WHEN ${KEPT} THEN expires_at ELSE excluded.expires_at END
RETURNING CASE commits WHEN 1 THEN ${literalAnswer('committed')} WHEN 2 THEN ${literalAnswer('already')} ELSE ${literalAnswer('lost')} END AS answer`,
    release: `DELETE FROM "${table}" WHERE listener_id = ? AND event_id = ?
  AND owner = ? AND commits = 0 AND ${LIVE} RETURNING ${literalAnswer('released')} AS answer`,
    renew: `UPDATE "${table}" SET expires_at = ${NOW} + ? WHERE listener_id = ? AND event_id = ?
  AND owner = ? AND commits = 0 AND ${LIVE} RETURNING ${literalAnswer('renewed')} AS answer`,
    sweep: `DELETE FROM "${table}" WHERE (listener_id, event_id) IN
  (SELECT listener_id, event_id FROM "${table}" WHERE expires_at < ${NOW} ORDER BY expires_at LIMIT ?) RETURNING 1 AS deleted`,
  }
}

function upsert(table: string, commits: 0 | 1): string {
  return `INSERT INTO "${table}" (listener_id, event_id, owner, commits, expires_at)
VALUES (?, ?, ?, ${commits}, ${NOW} + ?)
ON CONFLICT (listener_id, event_id) DO UPDATE SET`
}
