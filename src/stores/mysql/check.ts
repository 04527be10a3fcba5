import { hasMethod } from '../../lib/options.ts'
import { answersAmong, converted, MYSQL } from '../answer.ts'
import {
  type CheckOptions,
  isUnheard,
  makeRoom,
  problemsIn,
  type StoreProblem,
  toPrimary,
  writersIn,
} from '../contract.ts'
import { ERRORS, EXECUTORS_PAGE, isServerError, READ_ONLY, type RunStatement, textsIn } from './client.ts'
import { ending, tableOf } from './statements.ts'
import { strangersIn } from './writers.ts'

/** MariaDB and MySQL give some of them different names. */
const VARIABLES = [
  'autocommit',
  'innodb_flush_log_at_trx_commit',
  'innodb_lock_wait_timeout',
  'log_bin',
  'sync_binlog',
  'tx_isolation',
  'transaction_isolation',
  'version',
] as const

/** For a lock of a transaction, in MySQL. MariaDB waits as long as the statement says. */
const MOST_SECONDS_WAITING = 5

/** Checks the server, the table, this user's permissions, those of others that it sees, and the client. Empty if there are no problems. */
export async function problemsOf(
  run: RunStatement,
  client: unknown,
  table: string,
  given: CheckOptions,
): Promise<readonly StoreProblem[]> {
  const writers = writersIn(given)
  const setting = await settingsOf(run)
  const shape = await shapeOf(run, table)
  const { engine, setsInsertIds, isClockSet } = shape
  const isUsable = engine !== undefined && shape.missing.length === 0
  const refusal = isUsable ? await refusalOf(run, table) : undefined
  const flush = setting('innodb_flush_log_at_trx_commit')
  const wait = setting('version')?.includes('MariaDB') ? undefined : setting('innodb_lock_wait_timeout')
  const isolation = setting('transaction_isolation') ?? setting('tx_isolation')
  const strangers = await strangersIn(run, table, writers)
  const problems = problemsIn([
    [
      engine === undefined,
      `the table is missing, or this user cannot see it: ${table}`,
      'run `await store.migrate()` once at deployment, or the SQL of mysqlSchema()',
    ],
    [
      engine !== undefined && engine !== VIEW && engine.toLowerCase() !== 'innodb',
      `the engine of the table is ${engine}, which a crash may damage, and which takes part in no transaction`,
      'ALTER TABLE … ENGINE = InnoDB',
    ],
    [
      isUsable && engine !== VIEW && !shape.isIndexed,
      'no index begins with expires_at, so sweep() reads the whole table',
      'ALTER TABLE … ADD KEY expires_at (expires_at)',
    ],
    [
      setsInsertIds,
      "a trigger or an AUTO_INCREMENT column of the table changes the insert ID, which is the store's answer",
      'DROP TRIGGER, or ALTER TABLE … DROP COLUMN',
    ],
    [
      refusal === 'forbidden',
      'this user lacks permissions that the store needs',
      'GRANT SELECT, INSERT, UPDATE, DELETE ON the table',
    ],
    [
      refusal === 'read-only',
      'this server or this session is read-only: every delivery gets a 503',
      `switch tx_read_only and transaction_read_only off, or ${toPrimary(EXECUTORS_PAGE)}`,
    ],
    [
      isClockSet,
      'SET timestamp gives this session another time: its claims take over live leases, or end early',
      'SET timestamp = DEFAULT, and set it on no connection of the store',
    ],
    [
      setting('autocommit') === 'OFF',
      'autocommit is off: what is answered is written only when somebody commits it',
      'SET autocommit = 1, on every connection of the store',
    ],
    [
      flush !== undefined && flush !== '1',
      `innodb_flush_log_at_trx_commit is ${flush}: a crash of the machine loses the last commits, and those events run again`,
      'SET GLOBAL innodb_flush_log_at_trx_commit = 1, and in the file of settings',
    ],
    [
      setting('log_bin') === 'ON' && setting('sync_binlog') === '0',
      'sync_binlog is 0: a crash of the machine may undo the last commits that its binary log lacks, and those events run again',
      'SET GLOBAL sync_binlog = 1, and in the file of settings',
    ],
    [
      wait !== undefined && Number(wait) > MOST_SECONDS_WAITING,
      `innodb_lock_wait_timeout is ${wait}: a repeated delivery between commit(tx) and COMMIT keeps a connection that long`,
      "SET SESSION innodb_lock_wait_timeout = 1, on the store's connections",
    ],
    [
      isolation === 'SERIALIZABLE',
      'the isolation level is SERIALIZABLE: statements deadlock and are retried under load',
      "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, on the store's connections",
    ],
    [
      !hasMethod(client, 'getConnection') && isUnheard(client), // a single connection of mysql2
      'no error listener on the connection: it ends this process when it breaks',
      "connection.on('error', (error) => log(error)), or a pool",
    ],
  ])
  return [...unlike(shape), ...problems, ...strangers]
}

async function settingsOf(run: RunStatement) {
  const names = VARIABLES.map((name) => `'${name}'`).join(', ')
  // Names and values in turn.
  const texts = textsIn(await run(`SHOW VARIABLES WHERE Variable_name IN (${names})`, []))
  if (!texts.includes('autocommit')) throw converted('other texts', MYSQL)
  return (name: (typeof VARIABLES)[number]) => {
    const at = texts.indexOf(name)
    return at < 0 ? undefined : texts[at + 1]
  }
}

/** NOW is when the statement began. */
const MOST_SECONDS_OFF = 10

/** Stands for an engine. */
const VIEW = 'VIEW'

const COLUMNS = ['event_id', 'listener_id', 'owner', 'done', 'expires_at'] as const
const KEY = ['event_id', 'listener_id'] as const

/** What is known of the table and the session. */
interface Shape {
  /** Undefined if there is no table. */
  readonly engine: string | undefined
  /** Columns that are not there, or hold no bytes: a collation takes different texts for the same. */
  readonly missing: readonly string[]
  /** The keys that tell records apart, each as its columns in alphabetical order. Leaves out those with columns that the store does not write. */
  readonly keys: readonly (readonly string[])[]
  /** Whether `sweep()` has its index. */
  readonly isIndexed: boolean
  /** Whether others set insert IDs. */
  readonly setsInsertIds: boolean
  readonly isClockSet: boolean
}

/** Asks without `''`, which an `sql_mode` takes for NULL, and without GROUP_CONCAT, which a setting cuts. */
export async function shapeOf(run: RunStatement, table: string): Promise<Shape> {
  const { name, database } = tableOf(table)
  const schema = database === undefined ? 'DATABASE()' : `'${database}'`
  const at = `TABLE_SCHEMA = ${schema} AND TABLE_NAME = '${name}'`
  const texts = answersAmong(
    textsIn(
      await run(
        ending(`SELECT CONCAT('engine=', COALESCE(ENGINE, TABLE_TYPE)) AS finding FROM information_schema.TABLES WHERE ${at}
UNION ALL SELECT CONCAT('column=', IF(COLLATION_NAME IS NULL, LOWER(COLUMN_NAME), CONCAT(LOWER(COLUMN_NAME), ' in ', COLLATION_NAME))) FROM information_schema.COLUMNS WHERE ${at}
UNION ALL SELECT CONCAT('index=', LOWER(COLUMN_NAME)) FROM information_schema.STATISTICS WHERE ${at} AND SEQ_IN_INDEX = 1
UNION ALL SELECT CONCAT('key=', HEX(INDEX_NAME), ' ', IF(SUB_PART IS NULL, LOWER(COLUMN_NAME), CONCAT(LOWER(COLUMN_NAME), '(', SUB_PART, ')')))
  FROM information_schema.STATISTICS WHERE ${at} AND NON_UNIQUE = 0
UNION ALL SELECT 'sets=column' FROM information_schema.COLUMNS WHERE ${at} AND EXTRA LIKE '%auto_increment%'
UNION ALL SELECT 'sets=trigger' FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = ${schema} AND EVENT_OBJECT_TABLE = '${name}'
UNION ALL SELECT 'clock=set' WHERE ABS(TIMESTAMPDIFF(SECOND, NOW(6), SYSDATE(6))) > ${MOST_SECONDS_OFF}`),
        [],
      ),
    ),
    MYSQL,
  )
  const found = (kind: string) =>
    texts.filter((text) => text.startsWith(`${kind}=`)).map((text) => text.slice(kind.length + 1))
  const columns = found('column') // none for a user who may only create tables
  return {
    engine: found('engine')[0],
    missing: columns.length === 0 ? [] : COLUMNS.filter((column) => !columns.includes(column)),
    keys: keysOf(found('key')),
    isIndexed: found('index').includes('expires_at'),
    setsInsertIds: found('sets').length > 0,
    isClockSet: found('clock').length > 0,
  }
}

/** From texts that each name a key, and a column of it or the begin of one. */
function keysOf(texts: readonly string[]): readonly (readonly string[])[] {
  const keys = new Map<string, string[]>()
  for (const text of texts.toSorted()) {
    const at = text.indexOf(' ')
    const name = text.slice(0, at)
    keys.set(name, [...(keys.get(name) ?? []), text.slice(at + 1)])
  }
  const isWritten = (part: string) => COLUMNS.some((column) => column === part.replace(/\(\d+\)$/, ''))
  return [...keys.values()].filter((key) => key.every(isWritten)).sort()
}

/** In what the table that is there is unlike the one that `migrate()` creates. */
export function unlike({ engine, missing, keys }: Shape): StoreProblem[] {
  const isTable = engine !== undefined && engine !== VIEW
  const isOurs = isTable && missing.length === 0
  const haveBoth = keys.every((key) => KEY.every((column) => key.includes(column)))
  return problemsIn([
    [
      engine === VIEW,
      'this is a view: a crash may damage what is behind it, and who may write to that is not checked',
      makeRoom('store.migrate()'),
    ],
    [
      isTable && !isOurs,
      `this is not the store's table: it has no binary columns ${missing.join(', ')}`,
      'pass another `table`, or give this one the columns of mysqlSchema()',
    ],
    [
      isOurs && !(haveBoth && keys.some(({ length }) => length === KEY.length)),
      `the table tells records apart by ${keys.map((key) => `(${key.join(', ')})`).join(' and ') || 'no key'}, not by (${KEY.join(', ')}) alone: events run twice or are lost`,
      `delete repeated records except a done one, then ALTER TABLE … DROP all other unique keys, ADD PRIMARY KEY (${KEY.join(', ')})`,
    ],
  ])
}

/** Why the server refuses a write. Tries each kind on a record that does not exist: an event ID has 16 bytes. */
async function refusalOf(run: RunStatement, table: string): Promise<'forbidden' | 'read-only' | undefined> {
  const { quoted } = tableOf(table)
  const nothing = "WHERE event_id = 'none' AND listener_id = 'none' LIMIT 1"
  const writes = [
    `INSERT INTO ${quoted} SELECT * FROM ${quoted} ${nothing}`,
    `UPDATE ${quoted} SET done = done ${nothing}`,
    `DELETE FROM ${quoted} ${nothing}`,
  ]
  try {
    for (const write of writes) await run(write, [])
    return undefined
  } catch (error) {
    if (isServerError(error, ERRORS.TABLE_ACCESS_DENIED)) return 'forbidden'
    if (isServerError(error, ...READ_ONLY)) return 'read-only'
    throw error
  }
}
