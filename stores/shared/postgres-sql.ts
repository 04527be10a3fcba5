import { ListenerConfigError } from '../../src/errors.ts'

export const DEFAULT_TABLE = 'hookgate_events'

/** The name of the index ends in `_expires_at`, and Postgres cuts names off at 63 bytes. */
const IDENTIFIER = /^[a-z_][a-z0-9_]{0,51}$/i

/**
 * The table's name as it stands in SQL, in quotes: `events` or `schema.events`.
 *
 * @throws ListenerConfigError for anything but letters, digits and underscores: it becomes part of the SQL.
 */
export function quotedTable(table: string): { readonly table: string; readonly index: string } {
  const parts = typeof table === 'string' ? table.split('.') : []
  const name = parts.at(-1)
  if (name === undefined || parts.length > 2 || !parts.every((part) => IDENTIFIER.test(part))) {
    throw new ListenerConfigError(
      'table',
      'must be a name, or schema.name, of letters, digits and underscores, 52 at most in each',
    )
  }
  return { table: parts.map((part) => `"${part}"`).join('.'), index: `"${name}_expires_at"` }
}

/**
 * The SQL that `migrate()` runs, for those who keep migrations of their own. It may be run again.
 *
 * Listener ids and owners are written in ASCII, as JavaScript would escape them. A committed event has no owner any more.
 *
 * @param table Default `hookgate_events`. May have a schema in front: `webhooks.events`. Letter case counts.
 * @throws ListenerConfigError for a name that is none.
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

/**
 * One statement, which every client can send, and which many processes may run at once: two `IF NOT EXISTS` at the same
 * time are an error otherwise.
 */
export function migration(table: string): string {
  return `DO $hookgate$ BEGIN
PERFORM set_config('client_min_messages', 'warning', true);
PERFORM pg_advisory_xact_lock(hashtextextended('hookgate', 0));
${postgresSchema(table)}END $hookgate$`
}

export type Statements = Readonly<Record<'claim' | 'commit' | 'release' | 'sweep', string>>

/**
 * The verbs, each one statement: `$1` event ID, `$2` listener, `$3` owner, `$4` milliseconds. `clock_timestamp()`, because
 * in a long transaction `now()` is the time of its start.
 */
export function statementsFor(name: string, mode: 'two-phase' | 'single'): Statements {
  const { table } = quotedTable(name)
  const claimed = mode === 'single' ? 'TRUE, $3::text' : 'FALSE, $3::text'
  return {
    claim: upsert(table, { record: claimed, taken: 'acquired', done: 'done', leased: 'busy' }),
    commit: upsert(table, { record: 'TRUE, NULL', taken: 'committed', done: 'already', leased: 'lost' }),
    release: `DELETE FROM ${table}
WHERE event_id = $1::uuid AND listener_id = $2::text AND owner = $3::text AND NOT done
RETURNING CASE WHEN expires_at > clock_timestamp() THEN 'released' ELSE 'lapsed' END AS answer`,
    sweep: `WITH swept AS (
  DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ${table} WHERE expires_at <= (SELECT clock_timestamp())
    ORDER BY expires_at LIMIT $1::int FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::text AS answer FROM swept`,
  }
}

/**
 * Writes the record if nobody else has a live one, and says who has it if somebody has. A record that is seen to be
 * another's is only read: duplicates write nothing and lock nothing. No row at all means that another statement changed
 * the record after this one had begun.
 */
function upsert(
  table: string,
  { record, taken, done, leased }: Readonly<Record<'record' | 'taken' | 'done' | 'leased', string>>,
): string {
  const expiry = `clock_timestamp() + $4::float8 * interval '1 millisecond'`
  return `WITH others AS (
  SELECT done FROM ${table}
  WHERE event_id = $1::uuid AND listener_id = $2::text
    AND expires_at > clock_timestamp() AND owner IS DISTINCT FROM $3::text
), mine AS (
  INSERT INTO ${table} AS present (event_id, listener_id, expires_at, done, owner)
  SELECT $1::uuid, $2::text, ${expiry}, ${record} WHERE NOT EXISTS (SELECT FROM others)
  ON CONFLICT (event_id, listener_id)
  DO UPDATE SET expires_at = ${expiry}, done = excluded.done, owner = excluded.owner
  WHERE present.expires_at <= clock_timestamp() OR present.owner = $3::text
  RETURNING '${taken}' AS answer
)
SELECT answer FROM mine
UNION ALL
SELECT CASE WHEN done THEN '${done}' ELSE '${leased}' END FROM others`
}
