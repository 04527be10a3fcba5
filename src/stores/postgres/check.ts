import { memberOf } from '../../lib/member-of.ts'
import { hasMethod } from '../../lib/options.ts'
import { problemsIn, type StoreProblem } from '../contract.ts'
import type { RunStatement } from './client.ts'
import { quotedTable } from './statements.ts'

/** Returns one row per problem. `$1` is the quoted table name. */
const QUESTIONS = `WITH kept AS (SELECT to_regclass($1::text)::oid AS id)
SELECT 'missing' AS finding FROM kept WHERE id IS NULL
UNION ALL SELECT 'unindexed' FROM kept WHERE id IS NOT NULL AND NOT EXISTS (
  SELECT FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
  WHERE indrelid = id AND attname = 'expires_at')
UNION ALL SELECT 'unlogged' FROM kept JOIN pg_class ON oid = id WHERE relpersistence = 'u'
UNION ALL SELECT 'forbidden' FROM kept WHERE id IS NOT NULL AND NOT (has_table_privilege(id, 'SELECT')
  AND has_table_privilege(id, 'INSERT') AND has_table_privilege(id, 'UPDATE') AND has_table_privilege(id, 'DELETE'))
UNION ALL SELECT 'readOnly' WHERE current_setting('transaction_read_only') = 'on'
UNION ALL SELECT 'forgetful' WHERE current_setting('synchronous_commit') = 'off'
UNION ALL SELECT 'unsafe' WHERE current_setting('fsync') = 'off'
UNION ALL SELECT 'strict' WHERE current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted')`

const FINDINGS: Readonly<Record<string, StoreProblem>> = {
  missing: {
    problem: 'the table is missing, or this user cannot see its schema',
    fix: 'run `await store.migrate()` once at deployment, or the SQL of postgresSchema()',
  },
  unindexed: {
    problem: 'no index begins with expires_at, so sweep() reads the whole table',
    fix: 'run the CREATE INDEX of postgresSchema()',
  },
  unlogged: {
    problem: 'the table is UNLOGGED: a crash of the server empties it, and every event runs again',
    fix: 'ALTER TABLE … SET LOGGED',
  },
  forbidden: {
    problem: 'this user lacks permissions that the store needs',
    fix: 'GRANT SELECT, INSERT, UPDATE, DELETE ON the table',
  },
  readOnly: {
    problem: 'this server or this session is read-only: every delivery gets a 503',
    fix: 'connect to the primary, without default_transaction_read_only',
  },
  forgetful: {
    problem:
      'synchronous_commit is off: a crash of the server loses the last commits, and those events run again',
    fix: "ALTER ROLE … SET synchronous_commit = 'on' for the store's user",
  },
  unsafe: {
    problem: 'fsync is off: a crash of the machine may destroy the database',
    fix: "ALTER SYSTEM SET fsync = 'on'",
  },
  strict: {
    problem: 'the isolation level is not READ COMMITTED: statements fail and are retried under load',
    fix: "ALTER ROLE … SET default_transaction_isolation = 'read committed' for the store's user",
  },
}

/** Checks the server, in one query, and the client. Empty if there are no problems. */
export async function problemsOf(
  run: RunStatement,
  client: unknown,
  table: string,
): Promise<readonly StoreProblem[]> {
  const rows = await run(QUESTIONS, [quotedTable(table).table])
  const found = rows.flatMap(({ finding }) => FINDINGS[String(finding)] ?? [])
  // pg's Pool and Client emit `error` for broken idle connections, which an EventEmitter without a listener throws.
  const listenerCount = memberOf(client, 'listenerCount')
  const isPg = hasMethod(client, 'query') && typeof listenerCount === 'function'
  const unheard = problemsIn([
    [
      isPg && Reflect.apply(listenerCount, client, ['error']) === 0,
      'no error listener on the pool or client: a broken idle connection ends this process',
      "pool.on('error', (error) => log(error)), or the same for the client",
    ],
  ])
  return [...found, ...unheard]
}
