import { isMarked, mark, quotedTable, unlessThere } from '../stores/postgres/statements.ts'

export const DEFAULT_TABLE = 'hookgate_inbox'

/**
 * The migration as one statement, which every client can send.
 *
 * A row is one key of one event, in turn its claim, its job and what is remembered of it:
 *
 * - `claimed`: leased by `owner` until `due_at`.
 * - `waiting`: due at `due_at`; while it has a `worker`, it runs, leased until then.
 * - `dead`: no attempt is left.
 * - `done`: remembered until `due_at`.
 * - `twin`: the second key of a job. It remains for as long as the job does.
 *
 * `owner` is the one of the claim. Once there is a job, it names this event among all that had the same key. `id` is `event.id` in ASCII.
 */
export function inboxMigration(name: string): string {
  const { table } = quotedTable(name)
  const bare = name.split('.').at(-1)
  const schema = `CREATE TABLE ${table} (
  key uuid NOT NULL,
  listener_id text COLLATE "C" NOT NULL,
  owner text COLLATE "C",
  state text COLLATE "C" NOT NULL,
  due_at timestamptz NOT NULL,
  attempts int NOT NULL DEFAULT 0,
  worker text COLLATE "C",
  twin uuid,
  id text COLLATE "C",
  put_at timestamptz,
  error text,
  envelope text,
  PRIMARY KEY (key, listener_id)
);
CREATE INDEX "${bare}_due" ON ${table} (listener_id, due_at) WHERE state = 'waiting';
CREATE INDEX "${bare}_ends" ON ${table} (due_at) WHERE state IN ('claimed', 'done');
`
  return unlessThere([table], schema)
}

export type Statements = Readonly<
  Record<
    | 'claim'
    | 'commit'
    | 'release'
    | 'renew'
    | 'put'
    | 'putInside'
    | 'take'
    | 'beat'
    | 'done'
    | 'mark'
    | 'doneInTransaction'
    | 'fail'
    | 'again'
    | 'againOne'
    | 'counts'
    | 'sweep',
    string
  >
>

/** Judged by `clock_timestamp()`, because `now()` is the start of the transaction. */
export function statementsFor(name: string): Statements {
  const { table } = quotedTable(name)
  const after = (parameter: string) => `clock_timestamp() + ${parameter}::float8 * interval '1 millisecond'`
  const isOver = `state IN ('claimed', 'done') AND due_at <= clock_timestamp()`
  // $1 key, $2 listener, $3 owner
  const mine = `key = $1::uuid AND listener_id = $2::text AND owner = $3::text`

  /** Writes the record unless it is held: by another owner, or as a job. No row if another statement changed it meanwhile. */
  const upsert = (record: string, taken: string, done: string, leased: string) => `WITH held AS (
  SELECT state FROM ${table}
  WHERE key = $1::uuid AND listener_id = $2::text AND NOT (${isOver}) AND NOT (state = 'claimed' AND owner = $3::text)
), written AS (
  INSERT INTO ${table} AS present (key, listener_id, due_at, state, owner)
  SELECT $1::uuid, $2::text, ${after('$4')}, ${record} WHERE NOT EXISTS (SELECT FROM held)
  ON CONFLICT (key, listener_id) DO UPDATE SET due_at = excluded.due_at, state = excluded.state, owner = excluded.owner,
    attempts = 0, worker = NULL, twin = NULL, id = NULL, put_at = NULL, error = NULL, envelope = NULL
  WHERE present.state IN ('claimed', 'done') AND present.due_at <= clock_timestamp()
    OR present.state = 'claimed' AND present.owner = $3::text
  RETURNING '${taken}' AS answer
)
SELECT answer FROM written
UNION ALL
SELECT CASE WHEN state = 'claimed' THEN '${leased}' ELSE '${done}' END FROM held`

  // $1 the keys, of which the first becomes the job, $2 listener, $3 owner, $4 envelope, $5 event.id. All keys or none.
  const keys = '$1::text::uuid[]'
  const put = (condition = '') => `WITH held AS MATERIALIZED (
  SELECT key, state FROM ${table}
  WHERE key = ANY (${keys}) AND listener_id = $2::text AND owner = $3::text ORDER BY key FOR UPDATE
), put AS (
  UPDATE ${table} AS job SET due_at = clock_timestamp(), put_at = clock_timestamp(), id = $5::text,
    state = CASE WHEN job.key = (${keys})[1] THEN 'waiting' ELSE 'twin' END,
    twin = CASE WHEN job.key = (${keys})[1] THEN (${keys})[2] END,
    envelope = CASE WHEN job.key = (${keys})[1] THEN $4::text END
  FROM held WHERE job.key = held.key AND job.listener_id = $2::text
    AND (SELECT count(*) FROM held WHERE state = 'claimed') = cardinality(${keys}) ${condition}
  RETURNING 1
)
SELECT CASE WHEN EXISTS (SELECT FROM put) THEN 'put'
  WHEN (SELECT count(*) FROM held WHERE state <> 'claimed') = cardinality(${keys}) THEN 'already'
  ELSE 'lost' END AS answer`

  // $1 worker, $2 lease, $3 attempts, $4 how many, $5 listener. A run whose process died has used up its attempt.
  const isSpent = 'job.attempts >= $3::int'
  const take = `WITH due AS MATERIALIZED (
  SELECT key, listener_id FROM ${table}
  WHERE state = 'waiting' AND listener_id = $5::text AND due_at <= (SELECT clock_timestamp())
  ORDER BY due_at LIMIT $4::int FOR UPDATE SKIP LOCKED
)
UPDATE ${table} AS job SET
  state = CASE WHEN ${isSpent} THEN 'dead' ELSE 'waiting' END,
  attempts = CASE WHEN ${isSpent} THEN job.attempts ELSE job.attempts + 1 END,
  worker = CASE WHEN ${isSpent} THEN NULL ELSE $1::text END,
  due_at = ${after('$2')}
FROM due
WHERE job.key = due.key AND job.listener_id = due.listener_id
RETURNING job.key::text, job.listener_id, job.owner, coalesce(job.twin::text, '') AS twin, job.id, job.state, job.attempts::text,
  job.envelope, (extract(epoch FROM clock_timestamp() - job.put_at) * 1000)::text AS waited`

  // $1 key, $2 listener, $3 worker
  const running = `key = $1::uuid AND listener_id = $2::text AND worker = $3::text AND state = 'waiting'`
  // $1 key, $2 listener, $3 owner, $4 twin, $5 retention. Whoever did the work: a late success counts, and stops further attempts.
  const done = (condition = '') => `UPDATE ${table} SET state = 'done', due_at = ${after('$5')},
  worker = NULL, error = NULL, envelope = NULL
WHERE key IN ($1::uuid, nullif($4::text, '')::uuid) AND listener_id = $2::text AND owner = $3::text
  AND state <> 'done' ${condition}
RETURNING 'done' AS answer`
  const again = (condition: string) => `WITH again AS (
  UPDATE ${table} SET state = 'waiting', attempts = 0, due_at = clock_timestamp(), put_at = clock_timestamp()
  WHERE state = 'dead' ${condition} RETURNING 1
)
SELECT count(*)::text AS answer FROM again`
  const count = (condition: string) => `count(*) FILTER (WHERE ${condition})::text`

  return {
    claim: upsert(`'claimed', $3::text`, 'acquired', 'done', 'busy'),
    commit: upsert(`'done', NULL`, 'committed', 'already', 'lost'),
    release: `DELETE FROM ${table} WHERE ${mine} AND state = 'claimed'
RETURNING CASE WHEN due_at > clock_timestamp() THEN 'released' ELSE 'lapsed' END AS answer`,
    renew: `WITH held AS MATERIALIZED (
  SELECT state, due_at > clock_timestamp() AS live FROM ${table} WHERE ${mine} FOR UPDATE
), renewed AS (
  UPDATE ${table} SET due_at = ${after('$4')}
  WHERE ${mine} AND state = 'claimed' AND (SELECT live FROM held) RETURNING 1
)
SELECT CASE WHEN state = 'claimed' AND NOT live THEN 'over' ELSE 'held' END AS answer FROM held`,
    put: put(),
    putInside: `${put(`AND ${isMarked('$3')}`)} WHERE ${isMarked('$3')}
UNION ALL SELECT 'outside' WHERE NOT ${isMarked('$3')}`,
    take,
    // Does not wait for the transaction of `done`, or another one that has locked the row: nobody can take the job meanwhile.
    beat: `WITH free AS MATERIALIZED (
  SELECT FROM ${table} WHERE ${running} FOR UPDATE SKIP LOCKED
), beaten AS (
  UPDATE ${table} SET due_at = ${after('$4')} WHERE ${running} AND EXISTS (SELECT FROM free) RETURNING 1
)
SELECT CASE WHEN EXISTS (SELECT FROM beaten) THEN 'held' ELSE 'locked' END AS answer FROM ${table} WHERE ${running}`,
    done: done(),
    // Two statements, so that a client without a transaction is found: there, the second one does not see what the first one set.
    mark: `SELECT ${mark('$1')} AS answer`,
    // Fails, and the transaction with it, if the event is done: what the handler wrote must not be committed, even if it ignores that.
    doneInTransaction: `WITH done AS (${done(`AND ${isMarked('$6')}`)})
SELECT CASE WHEN NOT ${isMarked('$6')} THEN 'outside' WHEN 1 / (SELECT count(*) FROM done) >= 0 THEN 'done' END AS answer`,
    // $4 error, $5 delay, $6 attempts
    fail: `WITH failed AS (
  UPDATE ${table} SET error = $4::text, worker = NULL, due_at = ${after('$5')},
    state = CASE WHEN attempts >= $6::int THEN 'dead' ELSE 'waiting' END
  WHERE ${running} RETURNING state
)
SELECT state AS answer FROM failed
UNION ALL SELECT 'done' FROM ${table} WHERE key = $1::uuid AND listener_id = $2::text AND state = 'done'`,
    again: again(''),
    againOne: again('AND id = $1::text'),
    counts: `SELECT ${count(`state = 'waiting' AND NOT (worker IS NOT NULL AND due_at > clock_timestamp())`)} AS waiting,
  ${count(`state = 'waiting' AND worker IS NOT NULL AND due_at > clock_timestamp()`)} AS running,
  ${count(`state = 'dead'`)} AS dead, ${count(`state = 'done' AND attempts > 0`)} AS done FROM ${table}`,
    sweep: `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM ${table} WHERE state IN ('claimed', 'done') AND due_at <= (SELECT clock_timestamp())
  ORDER BY due_at LIMIT 10000 FOR UPDATE SKIP LOCKED
)) RETURNING 'swept' AS answer`,
  }
}
