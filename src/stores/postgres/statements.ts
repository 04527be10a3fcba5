import { ListenerConfigError } from '../../errors.ts'
import { storedText } from '../contract.ts'

export const DEFAULT_TABLE = 'hookgate_events'

/** At most 52 characters: the index appends `_expires_at`, and Postgres truncates names at 63 bytes. */
const IDENTIFIER = /^[a-z_][a-z0-9_]{0,51}$/i

/**
 * Quotes a table name for SQL, e.g. `events` or `schema.events`.
 *
 * @throws ListenerConfigError for anything but letters, digits and underscores, because the name becomes part of the SQL.
 */
export function quotedTable(table: string): {
  readonly table: string
  readonly index: string
  /** With the schema, which `CREATE INDEX` does not take. */
  readonly indexPath: string
} {
  const parts = typeof table === 'string' ? table.split('.') : []
  const name = parts.at(-1)
  if (name === undefined || parts.length > 2 || !parts.every((part) => IDENTIFIER.test(part))) {
    throw new ListenerConfigError(
      'table',
      'must be a name, or schema.name, of letters, digits and underscores, 52 at most in each',
    )
  }
  const index = `${name}_expires_at`
  const quoted = (path: readonly string[]) => path.map((part) => `"${part}"`).join('.')
  return { table: quoted(parts), index: quoted([index]), indexPath: quoted([...parts.slice(0, -1), index]) }
}

/**
 * Returns the SQL that `migrate()` runs, for your own migrations. Idempotent.
 *
 * Listener IDs and owners are stored in ASCII, escaped as in JavaScript. A committed event has no owner.
 *
 * @example
 * ```ts
 * console.log(postgresSchema('webhooks.events'))
 * ```
 *
 * @param table Defaults to `hookgate_events`. May include a schema: `webhooks.events`. Case-sensitive.
 * @throws ListenerConfigError for an invalid name.
 */
export function postgresSchema(table: string = DEFAULT_TABLE): string {
  const quoted = quotedTable(table)
  return `CREATE TABLE IF NOT EXISTS ${quoted.table} (
  event_id uuid NOT NULL,
  expires_at timestamptz NOT NULL,
  done boolean NOT NULL,
  listener_id text COLLATE "C" NOT NULL,
  owner text COLLATE "C",
  PRIMARY KEY (event_id, listener_id)
);
CREATE INDEX IF NOT EXISTS ${quoted.index} ON ${quoted.table} (expires_at);
`
}

/** The migration as one statement, which every client can send. */
export function migration(name: string): string {
  const { table, indexPath } = quotedTable(name)
  return unlessThere([table, indexPath], postgresSchema(name))
}

/**
 * Runs the SQL in one statement. Takes a lock, because concurrent `IF NOT EXISTS` statements can fail. Does nothing if all of
 * these tables and indexes exist: even then, `CREATE INDEX IF NOT EXISTS` needs the table's owner, and waits for each open
 * transaction that wrote to the table, with all claims waiting behind it.
 */
export function unlessThere(paths: readonly string[], schema: string): string {
  const block = `BEGIN
PERFORM set_config('client_min_messages', 'warning', true);
PERFORM pg_advisory_xact_lock(hashtextextended('hookgate', 0));
IF ${paths.map((path) => `to_regclass('${path}') IS NULL`).join(' OR ')} THEN
${schema}END IF;
END`
  return `DO ${literal(block)}` // Sequelize takes `$name` for a parameter
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

/** Rolls a transaction back, even one in which a statement has failed, and begins another one in its place. */
export const ROLLBACK_AND_CHAIN = 'ROLLBACK AND CHAIN'

/** From here on, this transaction writes nothing. Answers `unwritten` if it has not written before. */
export const WRITE_NOTHING: string = `SELECT CASE WHEN txid_current_if_assigned() IS NULL THEN 'unwritten' END AS answer
FROM set_config('transaction_read_only', 'on', true)`

/** Makes the server roll the transaction back, whatever its client says at the end. Leaves an error in the server's log. */
export const FORCE_ROLLBACK: string = `DO ${literal(`BEGIN RAISE EXCEPTION 'hookgate rolls this transaction back'; END`)}`

export type Statements = Readonly<
  Record<
    | 'claim'
    | 'claimInside'
    | 'claimAtOnce'
    | 'commit'
    | 'commitInside'
    | 'check'
    | 'release'
    | 'renew'
    | 'sweep',
    string
  >
>

/** Names the owner to the server, beside those of other events, until the transaction ends. Returns an empty text. */
export const mark = (owner: string): string =>
  `left(set_config('hookgate.owners', concat_ws(chr(10), current_setting('hookgate.owners', true), ${owner}::text), true), 0)`

/**
 * Fails the statement if another transaction locks the record for longer than a second, such as the handler's own. Renewals are repeated
 * while a handler runs: each would keep a connection until that transaction ends.
 */
const WAITS_BRIEFLY = `(SELECT set_config('lock_timeout', '1000', true)) IS NOT NULL`

const EXPIRY = `clock_timestamp() + $4::float8 * interval '1 millisecond'`

/** False outside the transaction that was marked. */
export const isMarked = (owner: string): string =>
  `(${owner}::text = ANY (string_to_array(current_setting('hookgate.owners', true), chr(10)))) IS TRUE`

/**
 * One statement per method: `$1` event ID, `$2` listener, `$3` owner, `$4` milliseconds. Uses `clock_timestamp()`, because
 * `now()` is the start of the transaction.
 *
 * `claimInside` and `claimAtOnce` are claims in a transaction of the caller; `claimAtOnce` does not wait for another
 * transaction that holds the event: it returns no row. `commitInside` returns `outside` unless it runs in the transaction of that
 * claim. It does not if the claim ran in none, if the handler ended the transaction by itself, or if the client has another connection
 * by now. `check`, which takes the owner alone, is the commit of mode `single`, whose claim has written all. Both fail if a statement
 * of the transaction has failed.
 */
export function statementsFor(name: string, mode: 'two-phase' | 'single'): Statements {
  const { table } = quotedTable(name)
  const claimed = mode === 'single' ? 'TRUE, $3::text' : 'FALSE, $3::text'
  const claim = { record: claimed, taken: `'acquired'`, done: 'done', leased: 'busy' }
  const marked = { ...claim, taken: `'acquired' || ${mark('$3')}` }
  const commit = { record: 'TRUE, NULL', taken: `'committed'`, done: 'already', leased: 'lost' }
  return {
    claim: upsert(table, claim),
    claimInside: upsert(table, marked),
    claimAtOnce: upsert(table, marked, `AND ${lockedIn(table)}`),
    commit: upsert(table, commit),
    commitInside: `${upsert(table, commit, `AND ${isMarked('$3')}`)}
UNION ALL
SELECT 'outside' WHERE NOT ${isMarked('$3')}`,
    check: `SELECT CASE WHEN ${isMarked('$1')} THEN 'committed' ELSE 'outside' END AS answer`,
    release: `DELETE FROM ${table}
WHERE event_id = $1::uuid AND listener_id = $2::text AND owner = $3::text AND NOT done
RETURNING CASE WHEN expires_at > clock_timestamp() THEN 'released' ELSE 'lapsed' END AS answer`,
    renew: `UPDATE ${table} SET expires_at = ${EXPIRY}
WHERE event_id = $1::uuid AND listener_id = $2::text AND owner = $3::text AND NOT done AND expires_at > clock_timestamp()
  AND ${WAITS_BRIEFLY}
RETURNING 'renewed' AS answer`,
    sweep: `WITH swept AS (
  DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ${table} WHERE expires_at <= (SELECT clock_timestamp())
    ORDER BY expires_at LIMIT $1::int FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::text AS answer FROM swept`,
  }
}

/** Locks the event in this table until the transaction ends. False if another transaction has locked it. */
const lockedIn = (table: string) =>
  `pg_try_advisory_xact_lock(hashtextextended($2::text || ' ' || $1::text, '${table}'::regclass::oid::bigint))`

/**
 * Writes the record unless another owner has a live one, and returns who holds it. Only reads another owner's record, so
 * that duplicates neither write nor lock. Returns no row if another statement changed the record after this one began.
 */
function upsert(
  table: string,
  { record, taken, done, leased }: Readonly<Record<'record' | 'taken' | 'done' | 'leased', string>>,
  condition = '',
): string {
  return `WITH others AS (
  SELECT done FROM ${table}
  WHERE event_id = $1::uuid AND listener_id = $2::text
    AND expires_at > clock_timestamp() AND owner IS DISTINCT FROM $3::text
), mine AS (
  INSERT INTO ${table} AS present (event_id, listener_id, expires_at, done, owner)
  SELECT $1::uuid, $2::text, ${EXPIRY}, ${record} WHERE NOT EXISTS (SELECT FROM others) ${condition}
  ON CONFLICT (event_id, listener_id)
  DO UPDATE SET expires_at = ${EXPIRY}, done = excluded.done, owner = excluded.owner
  WHERE present.expires_at <= clock_timestamp() OR present.owner = $3::text
  RETURNING ${taken} AS answer
)
SELECT answer FROM mine
UNION ALL
SELECT CASE WHEN done THEN '${done}' ELSE '${leased}' END FROM others`
}

/** An index entry of Postgres has room for about 2,700 bytes. */
const LONGEST_KEY = 500

/** A text of any length and characters, as it stands in an index. */
export const keyText = (text: string): Promise<string> => storedText(text, LONGEST_KEY)
