import { answering, columnAnswer } from '../answer.ts'
import { partsOfName, storedText } from '../contract.ts'

export const DEFAULT_TABLE = 'hookgate_events'

/** In characters: the index appends `_expires_at`, and Postgres truncates names at 63 bytes. */
const LONGEST_NAME = 52

/** Quotes a table name for SQL, e.g. `events` or `schema.events`. @throws ListenerConfigError */
export function quotedTable(table: string): {
  readonly table: string
  /** Unquoted, and without the schema, which is that of the table. */
  readonly index: string
} {
  const parts = partsOfName(table, 'schema', LONGEST_NAME)
  return { table: parts.map((part) => `"${part}"`).join('.'), index: `${parts.at(-1)}_expires_at` }
}

/** A table of this package, with its indexes. */
export interface TableDefinition {
  readonly table: string
  readonly columns: string
  /** The name of each, and its column. Any index that begins with this column does. */
  readonly indexes: readonly (readonly [name: string, column: string])[]
  /** Statements that run along with the creation of the table, and never later. */
  readonly along?: string
}

export function definitionOf(name: string): TableDefinition {
  const { table, index } = quotedTable(name)
  return {
    table,
    columns: `event_id uuid NOT NULL,
  expires_at timestamptz NOT NULL,
  done boolean NOT NULL,
  listener_id text COLLATE "C" NOT NULL,
  owner text COLLATE "C",
  PRIMARY KEY (event_id, listener_id)`,
    indexes: [[index, 'expires_at']],
  }
}

/**
 * Returns the SQL that `migrate()` runs, for your own migrations: one statement, idempotent. It creates what is missing. From a table
 * that it creates, it takes what default privileges gave to `PUBLIC`, `anon` and `authenticated`. It changes no grant of a table that is there.
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
  return printed(definitionOf(table))
}

export const printed = (definition: TableDefinition): string =>
  `DO $hookgate$ ${creation(definition)} $hookgate$;\n`

/** The migration as one statement, which every client can send. */
export const migrationOf = (definition: TableDefinition): string => block(creation(definition))

/** A block of PL/pgSQL as one statement, which every client can send. */
export const block = (text: string): string => `DO ${literal(text)}` // Sequelize takes `$name` for a parameter

/** Whether somebody builds an index of this table, an SQL of its OID, or vacuums it. */
export const isBusy = (table: string): string =>
  `EXISTS (SELECT FROM pg_locks WHERE relation = ${table} AND locktype = 'relation' AND mode = 'ShareUpdateExclusiveLock'
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`

/**
 * The path of an index of this name, without the schema, as a query of its rows. Names from the catalogue, because `regclass` makes a number of
 * one that another process has dropped meanwhile.
 */
export const pathOfIndex = (table: string, index: string): string =>
  `SELECT format('%I.%I', nspname, relname) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE indrelid = to_regclass('${table}') AND relname = '${index}'`

/**
 * PL/pgSQL that drops an index of this name, without the schema, that a failed build has left behind. Declare `broken text`. One of a table with
 * partitions is no such: it is invalid until those of all partitions are attached.
 */
export const dropBroken = (table: string, index: string): string =>
  `FOR broken IN ${pathOfIndex(table, index)} AND NOT indisvalid AND relkind = 'i' LOOP
  EXECUTE 'DROP INDEX IF EXISTS ' || broken;
END LOOP;`

/**
 * Whether no index of all rows of this table, an SQL of its OID, begins with this column. Its name would say nothing: another table's may
 * have it. One that is being built counts, because to build another would end that.
 */
export const isUnindexed = (table: string, column: string): string =>
  `NOT EXISTS (SELECT FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
  WHERE indrelid = ${table} AND attname = '${column}' AND indpred IS NULL AND (indisvalid OR ${isBusy('indrelid')}))`

/**
 * Takes a lock, because concurrent `IF NOT EXISTS` statements can fail. Does nothing if all is there: even then, `CREATE INDEX IF NOT
 * EXISTS` needs the table's owner, and waits for each open transaction that wrote to the table, with all claims waiting behind it.
 *
 * A session that has looked for the table before remembers that there is none until it locks a relation: so it reads a catalogue.
 *
 * Anyone who can write to the table runs handlers. On Supabase, default privileges let the public key write. If the REVOKE fails, `check()`
 * tells what is left.
 */
function creation({ table, columns, indexes, along = '' }: TableDefinition): string {
  return `DECLARE stranger text; broken text;
BEGIN
PERFORM pg_advisory_xact_lock(hashtextextended('hookgate', 0));
IF (SELECT to_regclass('${table}') FROM pg_class LIMIT 1) IS NULL THEN
CREATE TABLE ${table} (
  ${columns}
);
${along}
FOR stranger IN SELECT 'PUBLIC' UNION ALL SELECT quote_ident(rolname) FROM pg_roles
  WHERE rolname IN ('anon', 'authenticated') AND rolname <> current_user
LOOP
  BEGIN
    EXECUTE 'REVOKE ALL ON TABLE ${table} FROM ' || stranger;
  EXCEPTION WHEN OTHERS THEN NULL;
  END;
END LOOP;
END IF;
${indexes
  .map(
    ([name, column]) => `IF ${isUnindexed(`to_regclass('${table}')`, column)} THEN
${dropBroken(table, name)}
CREATE INDEX IF NOT EXISTS "${name}" ON ${table} (${column});
END IF;
`,
  )
  .join('')}END`
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

export type Statements = Readonly<
  Record<'claim' | 'takenOver' | 'commit' | 'commitIn' | 'release' | 'renew' | 'sweep', string>
>

/**
 * Fails the statement if another transaction locks the record for longer than a second, such as the handler's own: each that waits keeps a
 * connection until that transaction ends. Lasts as long as the transaction, so it is not for those of the caller.
 */
export const WAITS_BRIEFLY = `(SELECT set_config('lock_timeout', '1000', true)) IS NOT NULL`

const EXPIRY = `clock_timestamp() + $4::float8 * interval '1 millisecond'`

/** The start of the transaction, which no other one on this connection has, and no setting by hand. */
const STARTED = 'extract(epoch FROM now())::text'

/**
 * Whether a transaction is open, as far as the server shows: it has written, or it was marked before. A statement that runs on its own has
 * written nothing before it, and never finds its mark, because that ends with it. Read it in a CTE that is materialized.
 */
export const IS_OPEN: string = `txid_current_if_assigned() IS NOT NULL OR coalesce(current_setting('hookgate.open', true) = ${STARTED}, FALSE)`

/** What a statement answers that found no open transaction: it has written nothing but a mark, so ask once more. */
export const CLOSED = 'closed'
export const MARKED_AS_CLOSED: string = `'${CLOSED}' || left(set_config('hookgate.open', ${STARTED}, true), 0)`

/** Whether a row that this statement writes, with this `xmin`, belongs to a savepoint, which is a transaction of its own. */
export const isInSavepoint = (xmin: string): string =>
  `(${xmin}::text::bigint <> txid_current() % 4294967296)`

/**
 * A statement that marks an event as done in a transaction of the caller. Answers with this text, or `closed` without such a transaction.
 * Otherwise it fails, and that transaction with it: nobody can commit what was written there, even if the error is ignored. The error
 * has the reason: `hookgate:savepoint`, because that may be rolled back alone, or `hookgate:lost`, if there is no row.
 *
 * @param others The common table expressions. They write nothing unless `is_open` in the table `open` is true.
 * @param written The one of them that has the row, with `isInSavepoint` in the column `is_in_savepoint`.
 */
export function answeringInside(done: string, written: string, others: string): string {
  return `WITH open AS MATERIALIZED (
  SELECT ${IS_OPEN} AS is_open
), ${others}, given (answer) AS (
  SELECT CASE WHEN is_in_savepoint THEN 'savepoint' WHEN NOT is_in_savepoint THEN '${done}' WHEN is_open THEN 'lost' ELSE ${MARKED_AS_CLOSED} END
  FROM open LEFT JOIN ${written} ON TRUE
), judged (answer) AS (
  SELECT CASE WHEN answer IN ('${done}', '${CLOSED}') THEN answer ELSE ('hookgate:' || answer)::int::text END FROM given
)
SELECT ${columnAnswer('answer')} AS answer FROM judged`
}

const KEY = 'event_id = $1::uuid AND listener_id = $2::text'
/** The listener ID in the row of a commit in the handler's transaction. No listener's own ID has a backslash followed by this. */
const JOINED = `$2::text || chr(92) || 'joined'`

/**
 * One statement per method: `$1` event ID, `$2` listener, `$3` owner, `$4` milliseconds. Uses `clock_timestamp()`, because
 * `now()` is the start of the transaction.
 *
 * `commitIn` is a commit in a transaction of the handler, whose snapshot may be older than the last renewal. So it updates nothing: it adds
 * a row of its own, and locks the other one like a foreign key does. Such a lock conflicts with a claim, a commit or a release, before it
 * and after it, but never with a renewal. For that, the former lock the row `FOR UPDATE` before they change it.
 */
export function statementsFor(name: string): Statements {
  const { table } = quotedTable(name)
  const mine = `${KEY} AND owner = $3::text AND NOT done`
  return {
    claim: upsert(table, {
      ...{ record: 'FALSE, $3::text', locked: 'SKIP LOCKED' },
      ...{ taken: 'acquired', takenOver: TAKEN_OVER, done: 'done', leased: 'busy' },
    }),
    commit: upsert(table, {
      ...{ record: 'TRUE, NULL', locked: '' },
      ...{ taken: 'committed', takenOver: TAKEN_OVER, done: 'already', leased: 'lost' },
    }),
    commitIn: commitIn(table),
    takenOver: answering("SELECT 'done' FROM joined", joinedIn(table)),
    release: answering(
      'SELECT answer FROM released',
      `${othersIn(table)}, released AS (
  DELETE FROM ${table} WHERE ${mine} AND ${WAITS_BRIEFLY}
  RETURNING CASE WHEN expires_at <= clock_timestamp() OR EXISTS (SELECT FROM others) THEN 'lapsed' ELSE 'released' END AS answer
)`,
    ),
    // Waits for no transaction that has locked the record. Nothing is held once such a transaction has committed the event.
    renew: answering(
      `SELECT CASE WHEN EXISTS (SELECT FROM renewed) THEN 'renewed' WHEN expires_at <= clock_timestamp() THEN 'over' ELSE 'locked' END
FROM ${table} WHERE ${mine} AND NOT EXISTS (SELECT FROM joined)`,
      `${joinedIn(table)}, free AS MATERIALIZED (
  SELECT FROM ${table} WHERE ${mine} AND expires_at > clock_timestamp() AND NOT EXISTS (SELECT FROM joined)
  FOR NO KEY UPDATE SKIP LOCKED
), renewed AS (
  UPDATE ${table} SET expires_at = ${EXPIRY} WHERE ${mine} AND EXISTS (SELECT FROM free) RETURNING 1
)`,
    ),
    // In a table of partitions, other rows have the same ctid.
    sweep: answering(
      'SELECT count(*)::text FROM swept',
      `swept AS (
  DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ${table} WHERE expires_at <= (SELECT clock_timestamp())
    ORDER BY expires_at LIMIT $1::int FOR UPDATE SKIP LOCKED
  )) AND expires_at <= (SELECT clock_timestamp()) RETURNING 1
)`,
    ),
  }
}

/**
 * What a claim or a commit answers that has found a lease which was over. Its statement may be older than a commit in the former handler's
 * transaction, and none can follow: so ask `takenOver`, which answers `done` if there was one.
 */
export const TAKEN_OVER = 'taken over'

/** The commit of a handler's transaction. */
const joinedIn = (table: string) => `joined AS MATERIALIZED (
  SELECT FROM ${table} WHERE event_id = $1::uuid AND listener_id = ${JOINED} AND expires_at > clock_timestamp()
)`

/** Who else holds the event, in either row. */
const othersIn = (table: string) => `others AS (
  SELECT done FROM ${table} WHERE event_id = $1::uuid AND listener_id IN ($2::text, ${JOINED})
    AND expires_at > clock_timestamp() AND owner IS DISTINCT FROM $3::text
  ORDER BY done DESC LIMIT 1
)`

/**
 * Writes the record unless another owner has a live one, and returns who holds it. Only reads another owner's record, so
 * that duplicates neither write nor lock. Answers `none` if another statement changed the record after this one began, or if the handler's
 * transaction has locked it.
 */
function upsert(
  table: string,
  {
    record,
    locked,
    taken,
    takenOver,
    done,
    leased,
  }: Readonly<Record<'record' | 'locked' | 'taken' | 'takenOver' | 'done' | 'leased', string>>,
): string {
  return answering(
    `SELECT answer FROM mine
UNION ALL SELECT CASE WHEN done THEN '${done}' ELSE '${leased}' END FROM others`,
    `${othersIn(table)}, free AS MATERIALIZED (
  SELECT expires_at <= clock_timestamp() AS is_over FROM ${table}
  WHERE ${KEY} AND NOT EXISTS (SELECT FROM others) AND ${WAITS_BRIEFLY} FOR UPDATE ${locked}
), mine AS (
  INSERT INTO ${table} AS present (event_id, listener_id, expires_at, done, owner)
  SELECT $1::uuid, $2::text, ${EXPIRY}, ${record} WHERE NOT EXISTS (SELECT FROM others) AND ${WAITS_BRIEFLY}
    AND (EXISTS (SELECT FROM free) OR NOT EXISTS (SELECT FROM ${table} WHERE ${KEY}))
  ON CONFLICT (event_id, listener_id)
  DO UPDATE SET expires_at = ${EXPIRY}, done = excluded.done, owner = excluded.owner
  WHERE present.expires_at <= clock_timestamp() OR present.owner = $3::text
  RETURNING CASE WHEN EXISTS (SELECT FROM free WHERE is_over) THEN '${takenOver}' ELSE '${taken}' END AS answer
)`,
  )
}

function commitIn(table: string): string {
  return answeringInside(
    'committed',
    'mine',
    `held AS MATERIALIZED (
  SELECT owner FROM ${table} WHERE ${KEY} AND (SELECT is_open FROM open) FOR KEY SHARE
), mine AS (
  INSERT INTO ${table} AS present (event_id, listener_id, expires_at, done)
  SELECT $1::uuid, ${JOINED}, ${EXPIRY}, TRUE FROM open WHERE is_open AND EXISTS (SELECT FROM held WHERE owner = $3::text)
  ON CONFLICT (event_id, listener_id) DO UPDATE SET expires_at = excluded.expires_at
  WHERE present.expires_at <= clock_timestamp() OR NOT ${isInSavepoint('present.xmin')}
  RETURNING ${isInSavepoint('xmin')} AS is_in_savepoint
)`,
  )
}

/** A thousand years, well within the range of timestamps. */
const LONGEST_MS = 365_250 * 86_400_000

/** A duration as a statement takes it. */
export const milliseconds = (ms: number): string => `${Math.min(ms, LONGEST_MS)}`

/** An index entry of Postgres has room for about 2,700 bytes. */
const LONGEST_KEY = 500

/** A text of any length and characters, as it stands in an index. */
export const keyText = (text: string): Promise<string> => storedText(text, LONGEST_KEY)
