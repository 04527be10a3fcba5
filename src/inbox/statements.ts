import { answering, columnAnswer, literalAnswer, NONE, record, recording } from '../stores/answer.ts'
import {
  answeringInside,
  IS_OPEN,
  isInSavepoint,
  MARKED_AS_CLOSED,
  milliseconds,
  quotedTable,
  WAITS_BRIEFLY,
} from '../stores/postgres/statements.ts'

export const DEFAULT_TABLE = 'hookgate_inbox'

/** What the probe of a worker returns twice, if its client changes nothing: all kinds of values that a job has. */
export const PROBE: Readonly<Record<'key' | 'text', string> & Record<'count' | 'waitedMs', number>> = {
  key: '0a1b2c3d-4e5f-8a6b-9c7d-8e9fa0b1c2d3',
  text: `{"v":1,"text":${JSON.stringify(printableAscii())}}`,
  count: 2_147_483_647,
  waitedMs: 0.25,
}

function printableAscii(): string {
  return String.fromCharCode(...Array.from({ length: 95 }, (_, index) => 32 + index))
}

export type Statements = Readonly<
  Record<
    | 'claimNew'
    | 'claim'
    | 'commit'
    | 'release'
    | 'renew'
    | 'unasked'
    | 'putOne'
    | 'put'
    | 'putFull'
    | 'putInside'
    | 'putInsideFull'
    | 'isMine'
    | 'probe'
    | 'takePut'
    | 'take'
    | 'takeInOrder'
    | 'renewRuns'
    | 'end'
    | 'endAlone'
    | 'doneInTransaction'
    | 'giveBack'
    | 'counts'
    | 'waiting'
    | 'sweep',
    string
  >
>

/** After so many bytes, a take returns no further job: its answer has to come in time, or it uses up an attempt of each. */
const TAKEN_BYTES = 10_000_000

/** How long a suspect waits for another one. */
const PUT_OFF_MS = 1000

/** As far as a drain counts what waits. */
const MOST_WAITING = 10_000

/** How many records a sweep deletes at most. */
export const SWEPT_AT_ONCE = 10_000

/**
 * For what deletes: a connection keeps the plan of the foreign key's own DELETE, and one that was made while the table was small reads all
 * of it for each row.
 */
export const BY_INDEX: string = `(SELECT set_config('enable_seqscan', 'off', true)) IS NOT NULL`

/** Before the worker that has taken a job ahead, and not counted its attempt yet. */
const AHEAD = 'ahead '
/** SQL of 1 for such a job, and of 0 for others. */
const isAhead = (row: string) => `CASE WHEN ${row}.worker LIKE '${AHEAD}%' THEN 1 ELSE 0 END`

/** A late success counts, too. */
const MAY_BE_DONE = `'waiting', 'behind', 'dead'`
/** SQL: what ends holds its key until that is handed over. So does one that `again()` had put behind others. */
const holdsAfter = (row: string) => `(${row}.state = 'behind' OR ${row}.holds)`

/** Whether a job runs, and its lease goes on. */
const IS_RUNNING = `state = 'waiting' AND worker <> '' AND due_at > clock_timestamp()`
const IS_WAITING = `state IN ('waiting', 'behind') AND (${IS_RUNNING}) IS NOT TRUE`

/** How many of those that wait for their turn a take looks at, at most. */
const LOOKED_AT = 500
/**
 * When to look again at the first one of a key, though it is handed the key: somebody may have deleted what was before it. A job
 * that is further behind waits longer, so that a long line costs little. Looking at any job of the line also looks at the first.
 */
const LOOKS_AGAIN_MS = 600_000
/** Once a day at least: as if no more than so many were before it. */
const LOOKS_AGAIN_LATEST = 144

/** SQL: whether the job `one` waits for an earlier one of its key. */
export const isHeld = (table: string): string => {
  const ofKey = (condition: string) =>
    `other.listener_id = one.listener_id AND other.order_key = one.order_key AND ${condition}`
  return `(one.state = 'behind' AND (${firstOfKey(table, 'other', ofKey(`other.state = 'behind'`))} < one.number
  OR ${hasSome(table, 'other', ofKey(`other.state = 'waiting'`))} OR ${hasSome(table, 'other', ofKey(`other.holds AND other.state = 'dead'`))}))`
}

/** SQL of the number of the first job. Without the order, the planner may look through all rows for one, as if there were many. */
const firstOfKey = (table: string, row: string, condition: string) =>
  `(SELECT ${row}.number FROM ${table} AS ${row} WHERE ${condition} ORDER BY ${row}.number LIMIT 1)`

/** SQL: whether there is such a job. For few: it counts them, for the same reason. */
const hasSome = (table: string, row: string, condition: string) =>
  `(SELECT count(*) FROM ${table} AS ${row} WHERE ${condition}) > 0`

/**
 * For jobs that are gone: an heir, which names no event, holds the key of each until a take hands it over, as for what has ended. To wake
 * the next job here would miss one that is put meanwhile.
 */
export const leaveHeirs = (table: string, gone: string): string =>
  `INSERT INTO ${table} (key, listener_id, state, due_at, order_key, holds)
  SELECT gen_random_uuid(), listener_id, 'done', clock_timestamp(), order_key, TRUE FROM ${gone} GROUP BY listener_id, order_key`

/** What an inbox is told, as far as its statements depend on it. */
export interface StatementOptions {
  /** How long an event that is done keeps its body. */
  readonly keepMs?: number
  /** Whether its jobs may have keys of an order. If not, a put looks at none. */
  readonly hasKeys?: boolean
  /** Whether a dead job keeps the others of its key waiting. */
  readonly deadHold?: boolean
}

/** Judged by `clock_timestamp()`, because `now()` is the start of the transaction. */
export function statementsFor(
  name: string,
  { keepMs = 0, hasKeys = false, deadHold = false }: StatementOptions = {},
): Statements {
  const { table } = quotedTable(name)
  const after = (parameter: string) => `clock_timestamp() + ${parameter}::float8 * interval '1 millisecond'`
  const isOver = (row: string) =>
    `${row}.state IN ('claimed', 'done', 'twin') AND ${row}.due_at <= clock_timestamp()`
  // $1 key, $2 listener, $3 owner
  const mine = `key = $1::uuid AND listener_id = $2::text AND owner = $3::text`

  // $4 lease. For an event that the table does not have, as most are: half as long to plan as the statement for all. Looks first, because the
  // INSERT waits for a transaction that has locked the row. Names a column that tables of earlier versions lack, to find them.
  const claimNew = `WITH written AS (
  INSERT INTO ${table} (key, listener_id, due_at, state, owner) SELECT $1::uuid, $2::text, ${after('$4')}, 'claimed', $3::text
  WHERE NOT EXISTS (SELECT holds FROM ${table} WHERE key = $1::uuid AND listener_id = $2::text) AND ${WAITS_BRIEFLY}
  ON CONFLICT (key, listener_id) DO NOTHING RETURNING 1
)
SELECT CASE WHEN EXISTS (SELECT FROM written) THEN ${literalAnswer('acquired')} ELSE ${literalAnswer(NONE)} END AS answer`

  const overtaken = `${table} AS present WHERE key = $1::uuid AND listener_id = $2::text AND holds AND ${isOver('present')} AND EXISTS (SELECT FROM written)`
  const heirs = hasKeys ? `, heirs AS (${leaveHeirs(table, overtaken)})` : ''
  /** Writes the record unless it is held: by another owner, or as a job. Answers `none` if another statement changed it meanwhile. */
  const upsert = (record: string, taken: string, done: string, leased: string) => `WITH held AS (
  SELECT state FROM ${table} AS present
  WHERE key = $1::uuid AND listener_id = $2::text AND NOT (${isOver('present')}) AND NOT (state = 'claimed' AND owner = $3::text)
), written AS (
  INSERT INTO ${table} AS present (key, listener_id, due_at, state, owner)
  SELECT $1::uuid, $2::text, ${after('$4')}, ${record} WHERE NOT EXISTS (SELECT FROM held) AND ${WAITS_BRIEFLY}
  ON CONFLICT (key, listener_id) DO UPDATE SET due_at = excluded.due_at, state = excluded.state, owner = excluded.owner,
    attempts = 0, worker = NULL, job = NULL, id = NULL, type = NULL, put_at = NULL, forget_at = NULL, keep_until = NULL,
    order_key = NULL, holds = NULL, error = NULL, envelope = NULL
  WHERE ${isOver('present')} OR present.state = 'claimed' AND present.owner = $3::text
  RETURNING 1
)${heirs}
SELECT CASE WHEN EXISTS (SELECT FROM written) THEN ${literalAnswer(taken)}
  ELSE coalesce((SELECT CASE WHEN state = 'claimed' THEN ${literalAnswer(leased)} ELSE ${literalAnswer(done)} END FROM held), ${literalAnswer(NONE)}) END AS answer`

  const firstOf = (condition: string) =>
    `(SELECT owner, attempts, due_at FROM ${table} WHERE ${condition} ORDER BY due_at LIMIT 1)`
  // The job that is due first, if it has been for a minute, and no worker runs another one meanwhile.
  const states = hasKeys ? ['waiting', 'behind'] : ['waiting']
  const unasked = (listener: string) => `SELECT owner || ' ' || attempts || ' ' || due_at FROM (
SELECT * FROM (${states.map((state) => firstOf(`state = '${state}' AND listener_id = ${listener}::text`)).join(' UNION ALL ')}) AS firsts
  ORDER BY due_at LIMIT 1
) AS first WHERE due_at <= clock_timestamp() - interval '1 minute' AND NOT EXISTS (
  SELECT FROM (
    SELECT FROM ${table} WHERE state = 'waiting' AND listener_id = ${listener}::text AND due_at > (SELECT clock_timestamp()) AND worker <> ''
    ORDER BY due_at LIMIT 1
  ) AS leased
)`
  // Held by the transaction of a put, for as long as it holds the rows.
  const lockOf = (owner: string) => `hashtextextended(${owner}::text, '${table}'::regclass::oid::bigint)`
  // $1 the keys, $2 listener, $3 owner, $4 envelope, $5 event.id, $6 the row of the job: that of a key, or its own, $7 the type, $8 the key of
  // its order; of the full one, $9 retention. The last three may be empty texts. All keys or none.
  const keys = '$1::text::uuid[]'
  const isMine = `key = ANY (${keys}) AND listener_id = $2::text AND owner = $3::text`
  const type = `nullif($7::text, '')`
  const orderKey = `nullif($8::text, '')`
  const fresh = `CASE WHEN $8::text = '' THEN 'waiting' ELSE 'behind' END`
  const forgetAt = `at + nullif($9::text, '')::float8 * interval '1 millisecond'`
  // Of an event with one key, in the row of its claim: $1 that key, and no $6. Answers `none` unless it made a job of the claim.
  const putOne = `WITH held AS MATERIALIZED (
  SELECT FROM ${table} WHERE ${mine} AND state = 'claimed' FOR UPDATE SKIP LOCKED
), put AS (
  UPDATE ${table} SET put_at = clock_timestamp(), due_at = clock_timestamp(), id = $5::text, type = nullif($6::text, ''), number = DEFAULT,
    state = CASE WHEN $7::text = '' THEN 'waiting' ELSE 'behind' END, order_key = nullif($7::text, ''), envelope = $4::text
  WHERE ${mine} AND EXISTS (SELECT FROM held) RETURNING 1
)
SELECT CASE WHEN EXISTS (SELECT FROM put) THEN ${literalAnswer('put')} ELSE ${literalAnswer(NONE)} END AS answer`
  // Most of its time is planning, so the plain one names the table no more often than it must. The full one may write a row of its own, and
  // looks for jobs that nobody asks for.
  const put = ({ isInside = false, isFull = false }) => {
    const areMine = `(SELECT count(*) FROM held WHERE state = 'claimed') = cardinality(${keys})${isInside ? ' AND (SELECT is_open FROM open)' : ''}`
    const own = `, own AS (
  INSERT INTO ${table} (key, listener_id, owner, state, due_at, put_at, forget_at, id, type, order_key, envelope)
  SELECT $6::uuid, $2::text, $3::text, ${fresh}, at, at, ${forgetAt}, $5::text, ${type}, ${orderKey}, $4::text FROM held
  WHERE $6::uuid <> ALL (${keys}) AND ${areMine} LIMIT 1
)`
    const didPut = isFull
      ? `CASE WHEN EXISTS (${unasked('$2')}) THEN ${literalAnswer('unasked')} ELSE ${literalAnswer('put')} END`
      : literalAnswer('put')
    // Asked for first: once this statement has locked a row, a transaction is open.
    const isClosed = isInside
      ? `WHEN NOT (SELECT is_open FROM open) THEN ${columnAnswer(`(${MARKED_AS_CLOSED})`)}`
      : ''
    const andHolds = ` || left(pg_advisory_xact_lock(${lockOf('$3')})::text, 0)`
    return `WITH ${isInside ? `open AS MATERIALIZED (SELECT ${IS_OPEN} AS is_open), ` : ''}held AS MATERIALIZED (
  SELECT key, state${isFull ? ', (SELECT clock_timestamp()) AS at' : ''} FROM ${table} WHERE ${isMine} ORDER BY key FOR UPDATE ${isInside ? '' : 'SKIP LOCKED'}
)${isFull ? own : ''}, put AS (
  UPDATE ${table} AS row SET put_at = ${isFull ? 'at' : 'clock_timestamp()'}, id = $5::text, type = ${type}, number = DEFAULT, holds = NULL,
    state = CASE WHEN row.key = $6::uuid THEN ${fresh} ELSE 'twin' END,
    order_key = CASE WHEN row.key = $6::uuid THEN ${orderKey} END,
    due_at = CASE WHEN row.key = $6::uuid THEN ${isFull ? 'at' : 'clock_timestamp()'} ELSE ${isFull ? `coalesce(${forgetAt}, 'infinity')` : `'infinity'`} END,
    job = CASE WHEN row.key <> $6::uuid THEN $6::uuid END,
    envelope = CASE WHEN row.key = $6::uuid THEN $4::text END
  FROM held WHERE row.key = held.key AND row.listener_id = $2::text AND ${areMine}
  RETURNING 1
)
SELECT CASE ${isClosed} WHEN EXISTS (SELECT FROM put) THEN ${didPut}${isInside ? andHolds : ''}
  WHEN (SELECT count(*) FROM held WHERE state <> 'claimed') = cardinality(${keys}) THEN ${literalAnswer('already')}
  ELSE ${literalAnswer(NONE)} END AS answer`
  }

  const text = (column: string) => `coalesce(${column}::text, '')`
  const handedOut = {
    key: 'job.key',
    listenerId: 'job.listener_id',
    owner: text('job.owner'),
    id: text('job.id'),
    waitedMs: 'coalesce(extract(epoch FROM clock_timestamp() - job.put_at) * 1000, 0)',
  }
  // $1 worker, $2 lease, $3 key, $4 listener. A job that was just put, if nobody has tried it, and it has no key of an order: less than half
  // as long to plan as the statement for all. It skips no lock: what holds one on a job that new is another take, for an instant.
  const takePut = answering(
    'SELECT record FROM taken',
    `taken AS (
  UPDATE ${table} AS job SET attempts = 1, worker = $1::text, due_at = ${after('$2')}
  WHERE key = $3::uuid AND listener_id = $4::text AND state = 'waiting' AND attempts = 0 AND worker IS NULL AND order_key IS NULL
  RETURNING ${record({ ...handedOut, fate: `'taken'`, attempts: '1', envelope: text('job.envelope') })}
)`,
  )
  // $1 worker, $2 lease, $3 attempts, $4 how many, $5 listener, $6 how many of them start at once, $7 whether a suspect may.
  // A start is counted here, so that it is before the handler runs. What is taken ahead is counted when it starts; if its process dies in
  // between, the next start is counted here. Whose processes die for half of the attempts is suspected of it: it starts beside no other
  // suspect, so that those which ran beside it outlive it.
  //
  // In order, it also takes jobs with keys that have not begun: the first of each key, and only if no other one holds it. One that has ended holds
  // its key until it is handed over here: by a statement that sees it ended, and so sees whatever was put behind it until then. Those whose turn it is
  // not are put off: shortly, if another take hands the key over, of which this one sees only the beginning. A job that is put meanwhile is due
  // at once, so one of the two finds the other. They take turns by when they were put.
  //
  // The first ones are those of the snapshot. What another take has begun since is not `behind` any more when its row is locked, and the unique
  // index refuses a second one of the key. What another take was handed the key for since, and had no room to begin, has another `due_at`,
  // and is left to the next take: nothing else would find it, once it was put off as one that waits.
  const ofKey = (of: string, condition: string) =>
    `row.listener_id = $5::text AND row.order_key = ${of}.order_key AND ${condition}`
  const ENDED = deadHold ? `'done'` : `'done', 'dead'`
  const earlierOnes = `(SELECT count(*) FROM (
      SELECT FROM ${table} AS row WHERE ${ofKey('line', `row.state = 'behind' AND row.number < line.number`)} ORDER BY row.number LIMIT ${LOOKS_AGAIN_LATEST}
    ) AS earlier)`
  const behindOthers = `ended AS MATERIALIZED (
  SELECT key, listener_id, order_key FROM ${table}
  WHERE holds AND state IN (${ENDED}) AND listener_id = $5::text LIMIT ${LOOKED_AT} FOR UPDATE SKIP LOCKED
), due_behind AS MATERIALIZED (
  SELECT key, listener_id, order_key, number, due_at FROM ${table}
  WHERE state = 'behind' AND listener_id = $5::text AND due_at <= (SELECT clock_timestamp()) ORDER BY due_at LIMIT ${LOOKED_AT}
), next AS MATERIALIZED (
  SELECT row.key, row.listener_id, row.order_key, row.number, row.due_at, ended.key AS after FROM ended, LATERAL (
    SELECT * FROM ${table} AS row WHERE ${ofKey('ended', `row.state = 'behind'`)} ORDER BY row.number LIMIT 1
  ) AS row
), first_ones AS MATERIALIZED (
  SELECT row.key, row.listener_id, row.order_key, row.number, row.due_at FROM (SELECT DISTINCT order_key FROM due_behind) AS looked, LATERAL (
    SELECT * FROM ${table} AS row WHERE ${ofKey('looked', `row.state = 'behind'`)} ORDER BY row.number LIMIT 1
  ) AS row WHERE NOT ${hasSome(table, 'other', `other.listener_id = $5::text AND other.order_key = row.order_key AND other.state = 'waiting'`)}
), judged AS MATERIALIZED (
  SELECT behind.*, place > 0
    OR ${hasSome(table, 'row', ofKey('behind', `row.state = 'waiting'`))}
    ${deadHold ? `OR ${hasSome(table, 'row', ofKey('behind', `row.holds AND row.state = 'dead'`))}` : ''} AS is_held,
    ${hasSome(table, 'row', ofKey('behind', `row.holds AND row.state IN (${ENDED}) AND row.key NOT IN (SELECT key FROM ended)`))} AS is_passed_on
  FROM (
    SELECT line.*, ${earlierOnes} AS place FROM (
      SELECT * FROM due_behind UNION SELECT key, listener_id, order_key, number, due_at FROM next UNION SELECT * FROM first_ones
    ) AS line OFFSET 0
  ) AS behind
), behind AS MATERIALIZED (
  SELECT judged.*, row.put_at, octet_length(row.envelope) AS bytes FROM judged JOIN ${table} AS row ON row.key = judged.key AND row.listener_id = judged.listener_id
    AND row.state = 'behind' AND row.due_at = judged.due_at FOR UPDATE OF row SKIP LOCKED
), `
  const handOver = `, waits AS (
  UPDATE ${table} AS row SET due_at = ${after(`CASE WHEN is_held THEN ${LOOKS_AGAIN_MS} * least(1 + place, ${LOOKS_AGAIN_LATEST}) WHEN is_passed_on THEN ${PUT_OFF_MS} ELSE 0 END`)} FROM behind
  WHERE row.key = behind.key AND row.listener_id = behind.listener_id AND (is_held OR is_passed_on OR behind.due_at > clock_timestamp() OR behind.key IN (SELECT key FROM next))
    AND behind.key NOT IN (SELECT key FROM due WHERE fate IS NOT NULL)
), handed_over AS (
  UPDATE ${table} AS row SET holds = NULL FROM ended LEFT JOIN next ON next.after = ended.key
  WHERE row.key = ended.key AND row.listener_id = ended.listener_id AND (next.key IS NULL OR next.key IN (SELECT key FROM behind))
)`
  const take = (inOrder: boolean) => `WITH free AS MATERIALIZED (
  SELECT key, listener_id, due_at, octet_length(envelope) AS bytes, worker IS NOT NULL AS has_died, attempts >= $3::int AS is_spent,
    attempts < $3::int AND attempts * 2::bigint >= $3::int AND worker IS NOT NULL AS is_suspect
  FROM ${table} WHERE state = 'waiting' AND listener_id = $5::text AND due_at <= (SELECT clock_timestamp())
  ORDER BY due_at LIMIT $4::int FOR UPDATE SKIP LOCKED
), ${inOrder ? behindOthers : ''}ready AS (
  SELECT * FROM free ${
    inOrder
      ? `UNION ALL SELECT key, listener_id, put_at, bytes, FALSE, FALSE, FALSE FROM behind WHERE NOT (is_held OR is_passed_on)
  ORDER BY due_at, key LIMIT $4::int`
      : ''
  }
), sized AS (
  SELECT *, sum(bytes) OVER earlier - bytes AS before, count(*) FILTER (WHERE is_suspect) OVER earlier AS suspects,
    row_number() OVER earlier AS place
  FROM ready WINDOW earlier AS (ORDER BY due_at, key)
), due AS MATERIALIZED (
  SELECT key, listener_id, is_suspect, CASE WHEN is_spent THEN 'dead' WHEN is_suspect AND NOT ($7::boolean AND suspects = 1) THEN 'put off'
    WHEN place <= $6::int THEN 'taken' WHEN NOT has_died THEN 'ahead' END AS fate
  FROM sized WHERE coalesce(before, 0) < ${TAKEN_BYTES}
), taken AS (
UPDATE ${table} AS job SET
  state = CASE WHEN fate = 'dead' THEN 'dead' ELSE 'waiting' END,
  holds = CASE WHEN job.order_key IS NOT NULL THEN TRUE END,
  attempts = CASE WHEN fate = 'taken' THEN job.attempts + 1 ELSE job.attempts END,
  worker = CASE fate WHEN 'dead' THEN NULL WHEN 'put off' THEN '' WHEN 'ahead' THEN '${AHEAD}' || $1::text ELSE $1::text END,
  due_at = CASE WHEN fate = 'put off' THEN ${after(`${PUT_OFF_MS}`)} ELSE ${after('$2')} END
FROM due
WHERE job.key = due.key AND job.listener_id = due.listener_id AND fate IS NOT NULL
RETURNING ${record({
    ...handedOut,
    fate: 'fate',
    attempts: `job.attempts + ${isAhead('job')}`,
    suspect: 'is_suspect',
    hasKey: 'job.order_key IS NOT NULL',
    envelope: text(`CASE WHEN fate IN ('taken', 'ahead') THEN job.envelope END`),
  })}
)${inOrder ? handOver : ''}, records AS (
  SELECT record FROM taken UNION ALL
  SELECT ${record({ more: 'TRUE' })} WHERE ${
    inOrder
      ? `(SELECT count(*) FROM due_behind) = ${LOOKED_AT} OR (SELECT count(*) FROM ended) = ${LOOKED_AT}`
      : `(SELECT number FROM ${table} WHERE state = 'behind' AND listener_id = $5::text ORDER BY due_at LIMIT 1) IS NOT NULL`
  }
)
${recording('records')}`

  // $1 listener, $2 the attempts, as JSON. The condition is always true, but the planner expects few rows of it: it looks each up by the
  // index, however small the table seems. A scan would read all others, and so be in their way under SERIALIZABLE.
  const asked = (columns = '') => `asked AS MATERIALIZED (
  SELECT * FROM json_to_recordset($2::text::json) AS asked (key uuid, owner text, worker text${columns}) WHERE owner = coalesce(owner, '')
)`
  const ofAsked = (row: string) =>
    `${row}.key = asked.key AND ${row}.listener_id = $1::text AND ${row}.owner = asked.owner`
  const isRun = (row: string, by: string) =>
    `${row}.state = 'waiting' AND ${row}.worker IN (${by}.worker, '${AHEAD}' || ${by}.worker)`
  // With a key, no other run ends what one that is leased has begun: the next job would run beside that one. It does so itself.
  const isOthers = (row: string, worker: string) =>
    `(${row}.order_key IS NOT NULL AND ${row}.state = 'waiting' AND ${row}.worker <> '' AND ${row}.due_at > clock_timestamp() AND ${row}.worker NOT IN (${worker}, '${AHEAD}' || ${worker}))`
  const bodyUnless = (isDone: string, until: string) =>
    keepMs === 0
      ? `envelope = CASE WHEN NOT (${isDone}) THEN envelope END`
      : `keep_until = CASE WHEN ${isDone} THEN least(${until}, ${after(milliseconds(keepMs))}) END`
  // Any run may have done the work: a late success counts, and stops further attempts, unless another run of a job with a key goes on. Alone, it
  // also knows a failure again that it has recorded before, when its answer was lost. Many at once lock in the order of their keys, and answer
  // `locked` for those that a transaction has locked, such as that of `done`. Alone, it waits.
  const end = (
    isAlone: boolean,
  ) => `WITH ${asked(', ms float8, error text, most int')}, held AS MATERIALIZED (
  SELECT job.state AS was, job.worker AS ran_by, job.error AS had, job.attempts + ${isAhead('job')} AS attempts, asked.* FROM asked JOIN ${table} AS job ON ${ofAsked('job')} AND ${WAITS_BRIEFLY}
  ORDER BY asked.key FOR UPDATE OF job ${isAlone ? '' : 'SKIP LOCKED'}
), ended AS (
  UPDATE ${table} AS job SET worker = CASE WHEN held.error IS NULL THEN held.worker END, error = held.error, attempts = held.attempts,
    holds = ${holdsAfter('job')},
    due_at = coalesce(CASE WHEN held.error IS NULL THEN job.forget_at END, ${after('held.ms')}),
    state = CASE WHEN held.error IS NULL THEN 'done' WHEN held.attempts >= held.most THEN 'dead' ELSE 'waiting' END,
    ${bodyUnless('held.error IS NULL', `coalesce(job.forget_at, ${after('held.ms')})`)}
  FROM held WHERE job.key = held.key AND job.listener_id = $1::text
    AND (held.error IS NULL AND job.state IN (${MAY_BE_DONE}) AND ${isOthers('job', 'held.worker')} IS NOT TRUE OR held.error IS NOT NULL AND ${isRun('job', 'held')})
  RETURNING job.key, job.owner, job.state, job.due_at
), twins AS (
  UPDATE ${table} AS twin SET state = 'done', due_at = ended.due_at FROM ended
  WHERE ended.state = 'done' AND twin.job = ended.key AND twin.listener_id = $1::text AND twin.owner = ended.owner AND twin.state = 'twin'
), answers AS (
  SELECT ${record({
    key: 'asked.key',
    answer: `CASE WHEN ended.key IS NOT NULL THEN ended.state WHEN held.was = 'done' THEN CASE WHEN asked.error IS NULL AND held.ran_by = asked.worker THEN 'done' ELSE 'already' END
  ${isAlone ? `WHEN held.ran_by IS NULL AND held.was IN ('waiting', 'dead') AND held.had = asked.error THEN held.was` : ''}
  WHEN held.key IS NULL AND ${isAlone ? 'FALSE' : `EXISTS (SELECT FROM ${table} AS present WHERE ${ofAsked('present')})`} THEN 'locked' ELSE '${NONE}' END`,
  })} FROM asked LEFT JOIN held ON held.key = asked.key LEFT JOIN ended ON ended.key = asked.key
)
${recording('answers')}`
  // $3 lease. Counts those that have begun. Waits for no transaction that has locked a job: nobody can take it meanwhile.
  const renewRuns = `WITH ${asked(', begun boolean')}, free AS MATERIALIZED (
  SELECT asked.* FROM asked JOIN ${table} AS job ON ${ofAsked('job')} AND ${isRun('job', 'asked')} ORDER BY asked.key FOR UPDATE OF job SKIP LOCKED
), beaten AS (
  UPDATE ${table} AS job SET due_at = ${after('$3')}, worker = CASE WHEN begun THEN free.worker ELSE job.worker END,
    attempts = job.attempts + CASE WHEN begun THEN ${isAhead('job')} ELSE 0 END
  FROM free WHERE job.key = free.key AND job.listener_id = $1::text AND ${isRun('job', 'free')} RETURNING job.key
), answers AS (
  SELECT ${record({
    key: 'asked.key',
    answer: `CASE WHEN beaten.key IS NOT NULL THEN 'held' WHEN ${isRun('job', 'asked')} THEN 'locked' WHEN job.state = 'done' THEN 'done' WHEN job.key IS NOT NULL THEN 'taken over' ELSE '${NONE}' END`,
  })} FROM asked LEFT JOIN beaten ON beaten.key = asked.key LEFT JOIN ${table} AS job ON ${ofAsked('job')}
)
${recording('answers')}`
  // $1 key, $2 listener, $3 owner, $4 retention, $5 worker.
  const done = `job AS (
  UPDATE ${table} AS job SET state = 'done', due_at = coalesce(forget_at, ${after('$4')}), worker = NULL, error = NULL,
    attempts = attempts + ${isAhead('job')}, holds = ${holdsAfter('job')}, ${bodyUnless('TRUE', `coalesce(forget_at, ${after('$4')})`)}
  WHERE ${mine} AND state IN (${MAY_BE_DONE}) AND ${isOthers('job', '$5::text')} IS NOT TRUE AND (SELECT is_open FROM open) RETURNING due_at, ${isInSavepoint('xmin')} AS is_in_savepoint
), twins AS (
  UPDATE ${table} AS twin SET state = 'done', due_at = job.due_at FROM job
  WHERE twin.job = $1::uuid AND twin.listener_id = $2::text AND twin.owner = $3::text AND twin.state = 'twin'
)`
  // One that holds its key while others wait for it stays until a take has handed that over: nothing else wakes them.
  const isAwaited = `holds AND ${firstOfKey(table, 'next', `next.state = 'behind' AND next.listener_id = one.listener_id AND next.order_key = one.order_key`)} IS NOT NULL`
  const forgotten = `state IN ('claimed', 'done') AND due_at <= (SELECT clock_timestamp()) AND (${isAwaited}) IS NOT TRUE`
  const isKept = `state = 'done' AND keep_until <= (SELECT clock_timestamp())`
  const count = (condition: string) => `count(*) FILTER (WHERE ${condition})`

  return {
    claimNew,
    claim: upsert(`'claimed', $3::text`, 'acquired', 'done', 'busy'),
    commit: upsert(`'done', NULL`, 'committed', 'already', 'lost'),
    release: answering(
      'SELECT answer FROM released',
      `released AS (
  DELETE FROM ${table} WHERE ${mine} AND state = 'claimed' AND ${WAITS_BRIEFLY} AND ${BY_INDEX}
  RETURNING CASE WHEN due_at > clock_timestamp() THEN 'released' ELSE 'lapsed' END AS answer
)`,
    ),
    // Waits for no transaction that has locked the row, and says whether it is the one of this owner's put.
    renew: answering(
      `SELECT CASE WHEN state <> 'claimed' OR EXISTS (SELECT FROM renewed) THEN 'held'
  WHEN NOT pg_try_advisory_xact_lock_shared(${lockOf('$3')}) THEN 'kept'
  WHEN due_at <= clock_timestamp() THEN 'over' ELSE 'locked' END FROM ${table} WHERE ${mine}`,
      `free AS MATERIALIZED (
  SELECT FROM ${table} WHERE ${mine} AND state = 'claimed' AND due_at > clock_timestamp() FOR UPDATE SKIP LOCKED
), renewed AS (
  UPDATE ${table} SET due_at = ${after('$4')} WHERE ${mine} AND state = 'claimed' AND EXISTS (SELECT FROM free) RETURNING 1
)`,
    ),
    unasked: answering(unasked('$1')),
    putOne,
    put: put({}),
    putFull: put({ isFull: true }),
    putInside: put({ isInside: true }),
    putInsideFull: put({ isInside: true, isFull: true }),
    // $1 the keys, $2 listener, $3 owner. After a put that found one of them locked, or no longer its own.
    isMine: answering(
      `SELECT CASE WHEN count(*) = cardinality(${keys}) THEN 'mine' ELSE 'lost' END FROM ${table} WHERE ${isMine}`,
    ),
    // $1 any text. Shaped as what `take` returns.
    probe: `WITH probed AS (
  SELECT ${record({ key: `'${PROBE.key}'::uuid`, text: '$1::text', count: `${PROBE.count}`, waitedMs: `${PROBE.waitedMs}` })} FROM generate_series(1, 2)
)
${recording('probed')}`,
    takePut,
    take: take(false),
    takeInOrder: take(true),
    // Due again, as before the worker took them.
    giveBack: answering(
      'SELECT count(*)::text FROM returned',
      `${asked(', suspect boolean')}, returned AS (
  UPDATE ${table} AS job SET attempts = job.attempts - 1 + ${isAhead('job')}, worker = CASE WHEN suspect THEN '' END, due_at = clock_timestamp() FROM asked
  WHERE ${ofAsked('job')} AND ${isRun('job', 'asked')} AND ${WAITS_BRIEFLY} RETURNING 1
)`,
    ),
    renewRuns,
    end: end(false),
    endAlone: end(true),
    doneInTransaction: answeringInside('done', 'job', done),
    counts: `WITH counts AS (
  SELECT ${record({
    waiting: count(`${IS_WAITING} AND NOT is_held`),
    running: count(IS_RUNNING),
    held: count('is_held'),
    dead: count(`state = 'dead'`),
    done: count(`state = 'done' AND attempts > 0`),
  })} FROM (SELECT state, worker, due_at, attempts, ${isHeld(table)} AS is_held FROM ${table} AS one OFFSET 0) AS job
)
${recording('counts')}`,
    // $1 listener
    waiting: answering(
      `SELECT count(*)::text FROM (SELECT FROM ${table} WHERE listener_id = $1::text AND ${IS_WAITING} LIMIT ${MOST_WAITING}) AS counted`,
    ),
    // In a table of partitions, other rows have the same ctid.
    sweep: answering(
      'SELECT greatest((SELECT count(*) FROM swept), (SELECT count(*) FROM emptied))::text',
      `emptied AS (
  UPDATE ${table} SET envelope = NULL, keep_until = NULL WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ${table} AS one WHERE ${isKept} AND NOT (${forgotten}) ORDER BY keep_until LIMIT ${SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED
  )) AND ${isKept} RETURNING 1
), swept AS (
  DELETE FROM ${table} AS one WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ${table} AS one WHERE ${forgotten} ORDER BY due_at LIMIT ${SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED
  )) AND ${forgotten} AND ${WAITS_BRIEFLY} AND ${BY_INDEX} RETURNING 1
)`,
    ),
  }
}
