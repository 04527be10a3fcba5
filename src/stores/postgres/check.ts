import { hasMethod } from '../../lib/options.ts'
import { answerIn, answering, POSTGRES } from '../answer.ts'
import {
  type CheckOptions,
  isUnheard,
  makeRoom,
  problemsIn,
  type StoreProblem,
  toPrimary,
  writersIn,
} from '../contract.ts'
import { refuseOtherServers } from '../kinds.ts'
import { EXECUTORS_PAGE, type RunStatement } from './client.ts'
import { isUnindexed, quotedTable } from './statements.ts'
import { strangersIn } from './writers.ts'

/** What a table of this package needs. */
export interface TableNeeds {
  readonly table: string
  /** Who reads the whole table unless an index begins with this column. */
  readonly indexed: Readonly<Record<string, string>>
  readonly rights: readonly string[]
  /** The call that creates it. */
  readonly migrate: string
}

/** Answers with the problems, one in each line. `$1` is the quoted table name. */
const questionsOf = ({ indexed, rights }: TableNeeds) =>
  answering(
    `SELECT coalesce(string_agg(finding, chr(10)), '') FROM found`,
    `kept AS (SELECT to_regclass($1::text)::oid AS id), found AS (
SELECT 'missing' AS finding FROM kept WHERE id IS NULL
${Object.keys(indexed)
  .map(
    (
      column,
    ) => `UNION ALL SELECT 'unindexed ${column}' FROM kept JOIN pg_class ON oid = id WHERE relkind IN ('r', 'p') AND ${isUnindexed('id', column)}
`,
  )
  .join('')}UNION ALL SELECT 'unlogged' FROM kept JOIN pg_class ON oid = id WHERE relpersistence = 'u'
UNION ALL SELECT 'parted' FROM kept JOIN pg_class ON oid = id
  WHERE relkind <> 'r' OR EXISTS (SELECT FROM pg_inherits WHERE id IN (inhparent, inhrelid))
UNION ALL SELECT DISTINCT 'guarded' FROM kept, unnest(ARRAY['${rights.join("', '")}']) AS may
  WHERE row_security_active(id) AND NOT EXISTS (SELECT FROM pg_policy, unnest(polroles) AS to_role
    WHERE polrelid = id AND polpermissive AND (to_role = 0 OR pg_has_role(to_role, 'USAGE'))
      AND polcmd::text IN ('*', CASE may WHEN 'SELECT' THEN 'r' WHEN 'INSERT' THEN 'a' WHEN 'UPDATE' THEN 'w' ELSE 'd' END))
UNION ALL SELECT 'forbidden' FROM kept WHERE id IS NOT NULL AND NOT (${rights.map((right) => `has_table_privilege(id, '${right}')`).join(' AND ')})
UNION ALL SELECT CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE 'readOnly' END
  WHERE current_setting('transaction_read_only') = 'on'
UNION ALL SELECT 'forgetful' WHERE current_setting('synchronous_commit') = 'off'
UNION ALL SELECT 'unsafe' WHERE current_setting('fsync') = 'off'
UNION ALL SELECT 'strict' WHERE current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted'))`,
  )

const findingsOf = ({
  table,
  indexed,
  rights,
  migrate,
}: TableNeeds): Readonly<Record<string, StoreProblem>> => ({
  missing: {
    problem: `the table is missing, or this user cannot see its schema: ${table}`,
    fix: `run \`await ${migrate}\` once at deployment`,
  },
  ...Object.fromEntries(
    Object.entries(indexed).map(([column, reader]) => [
      `unindexed ${column}`,
      {
        problem: `no valid index of all rows begins with ${column}, so ${reader} reads the whole table`,
        fix: `run \`await ${migrate}\`, which creates it`,
      },
    ]),
  ),
  unlogged: {
    problem: 'the table is UNLOGGED: a crash of the server empties it, and every event runs again',
    fix: 'ALTER TABLE … SET LOGGED',
  },
  parted: {
    problem:
      'this is a view, a foreign table or one with partitions: who may write to what is behind it is not checked, and no transaction of yours ' +
      'can commit events in it',
    fix: makeRoom(migrate),
  },
  guarded: {
    problem: 'row level security applies to this user, and no policy lets it read and write all rows',
    fix: 'CREATE POLICY … ON the table TO this user USING (TRUE) WITH CHECK (TRUE), or connect as its owner',
  },
  forbidden: {
    problem: 'this user lacks permissions that the store needs',
    fix: `GRANT ${rights.join(', ')} ON the table`,
  },
  standby: {
    problem: 'this server is a standby, which is read-only: every delivery gets a 503',
    fix: toPrimary(EXECUTORS_PAGE),
  },
  readOnly: {
    problem: 'this session is read-only: every delivery gets a 503',
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
})

/** Checks the server, the table, who may write to it, and the client. Empty if there are no problems. */
export async function problemsOf(
  run: RunStatement,
  client: unknown,
  needs: TableNeeds,
  given: CheckOptions,
): Promise<readonly StoreProblem[]> {
  const writers = writersIn(given)
  const findings = findingsOf(needs)
  const asked = run(questionsOf(needs), [quotedTable(needs.table).table]).catch((error) => {
    refuseOtherServers(error, 'Postgres')
    throw error
  })
  const answer = answerIn(await asked, POSTGRES)
  const found = answer.split('\n').flatMap((finding) => findings[finding] ?? [])
  const strangers = await strangersIn(run, needs.table, writers)
  const unheard = problemsIn([
    [
      hasMethod(client, 'query') && isUnheard(client), // pg's Pool and Client
      'no error listener on the pool or client: a broken idle connection ends this process',
      "pool.on('error', (error) => log(error)), or the same for the client",
    ],
  ])
  return [...found, ...strangers, ...unheard]
}
