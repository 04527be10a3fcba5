/** What a worker of the version before keys takes: whatever is due and `waiting`. A copy of that version's own statement. */
export const earlierTake = (table: string): string => `WITH free AS MATERIALIZED (
  SELECT key, listener_id, due_at, octet_length(envelope) AS bytes, worker IS NOT NULL AS has_died, attempts >= $3::int AS is_spent,
    attempts < $3::int AND attempts * 2::bigint >= $3::int AND worker IS NOT NULL AS is_suspect
  FROM ${table} WHERE state = 'waiting' AND listener_id = $5::text AND due_at <= (SELECT clock_timestamp())
  ORDER BY due_at LIMIT $4::int FOR UPDATE SKIP LOCKED
), sized AS (
  SELECT *, sum(bytes) OVER earlier - bytes AS before, count(*) FILTER (WHERE is_suspect) OVER earlier AS suspects,
    row_number() OVER earlier AS place
  FROM free WINDOW earlier AS (ORDER BY due_at, key)
), due AS (
  SELECT key, listener_id, is_suspect, CASE WHEN is_spent THEN 'dead' WHEN is_suspect AND NOT ($7::boolean AND suspects = 1) THEN 'put off'
    WHEN place <= $6::int THEN 'taken' WHEN NOT has_died THEN 'ahead' END AS fate
  FROM sized WHERE coalesce(before, 0) < 10000000
), taken AS (
UPDATE ${table} AS job SET
  state = CASE WHEN fate = 'dead' THEN 'dead' ELSE 'waiting' END,
  attempts = CASE WHEN fate = 'taken' THEN job.attempts + 1 ELSE job.attempts END,
  worker = CASE fate WHEN 'dead' THEN NULL WHEN 'put off' THEN '' WHEN 'ahead' THEN 'ahead ' || $1::text ELSE $1::text END,
  due_at = CASE WHEN fate = 'put off' THEN clock_timestamp() + 1000::float8 * interval '1 millisecond' ELSE clock_timestamp() + $2::float8 * interval '1 millisecond' END
FROM due
WHERE job.key = due.key AND job.listener_id = due.listener_id AND fate IS NOT NULL
RETURNING json_build_object('key', job.key, 'listenerId', job.listener_id, 'owner', coalesce(job.owner::text, ''), 'id', coalesce(job.id::text, ''), 'fate', fate, 'attempts', job.attempts + CASE WHEN job.worker LIKE 'ahead %' THEN 1 ELSE 0 END, 'suspect', is_suspect, 'waitedMs', coalesce(extract(epoch FROM clock_timestamp() - job.put_at) * 1000, 0), 'envelope', coalesce(CASE WHEN fate IN ('taken', 'ahead') THEN job.envelope END::text, ''))::text AS record
)
SELECT 'a1:' || length(counted) || ':' || counted AS answer FROM (SELECT count(*)::text AS counted FROM taken) AS number
UNION ALL SELECT 'a1:' || length(record) || ':' || record FROM taken`
