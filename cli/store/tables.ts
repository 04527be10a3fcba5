import { type Inbox, inbox } from '../../src/inbox/index.ts'
import { type ListenerJobs, overviewOf } from '../../src/inbox/overview.ts'
import type { EventStore } from '../../src/index.ts'
import { textOf } from '../../src/lib/member-of.ts'
import { answerIn, answering, POSTGRES } from '../../src/stores/answer.ts'
import type { CheckOptions } from '../../src/stores/contract.ts'
import { textsIn } from '../../src/stores/mysql/client.ts'
import { type MysqlClient, mysqlStore } from '../../src/stores/mysql/store.ts'
import { statementRunner } from '../../src/stores/postgres/client.ts'
import {
  entityVersions,
  type PostgresClient,
  postgresStore,
  type StoreProblem,
} from '../../src/stores/postgres/store.ts'
import { type RedisClient, redisStore } from '../../src/stores/redis/store.ts'
import { type SyncSqlite, sqliteStore } from '../../src/stores/sqlite/store.ts'

/** A table that has the columns of one of hookgate's. */
export interface FoundTable {
  readonly kind: 'events' | 'inbox' | 'versions'
  /** As the option `table` takes it: with its schema, or the default name alone. */
  readonly name: string
  /** All names that lead to it. */
  readonly names: readonly string[]
  /** Whether this user can reach it. */
  readonly isOpen: boolean
}

/** What can be asked of a table. */
export interface OpenTable {
  check(options: CheckOptions): Promise<readonly StoreProblem[]>
  /** Undefined if it holds no events. */
  readonly store?: EventStore
  /** Of an inbox. */
  readonly inbox?: OpenInbox
}

/** An inbox, and its jobs by listener. */
export interface OpenInbox extends Inbox {
  overview(): Promise<readonly ListenerJobs[]>
}

/** The tables of a database. */
export interface Tables {
  /** The default names. */
  readonly sought: readonly string[]
  /** Whether its roles have names that `check({ writers })` takes. */
  readonly hasWriters: boolean
  find(): Promise<readonly FoundTable[]>
  /** @throws ListenerConfigError for an invalid name. */
  open(table: Pick<FoundTable, 'kind' | 'name'>): OpenTable
}

const KINDS = ['events', 'inbox', 'versions'] as const
const DEFAULT_NAMES: readonly string[] = ['hookgate_events', 'hookgate_inbox', 'hookgate_versions']

/** The columns by which a table is known. */
const EVENTS = ['event_id', 'listener_id', 'owner', 'done', 'expires_at']
const INBOX = ['key', 'listener_id', 'owner', 'state', 'due_at', 'envelope']
const VERSIONS = ['entity', 'kind', 'version', 'answer', 'advanced_at']
const SQLITE_EVENTS = ['event_id', 'listener_id', 'owner', 'commits', 'expires_at']

const listOf = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ')

/** Names that the option `table` takes. Others are of somebody else. */
const NAME = /^(?:[a-z_]\w*\.)?[a-z_]\w*$/i

const POSTGRES_TABLES = answering(
  `SELECT coalesce(json_agg(found ORDER BY name), '[]')::text FROM found`,
  `known (kind, columns) AS (
  VALUES ('events', ARRAY[${listOf(EVENTS)}]), ('inbox', ARRAY[${listOf(INBOX)}]), ('versions', ARRAY[${listOf(VERSIONS)}])
), found AS (
  SELECT kind, format('%s.%s', nspname, relname) AS name, CASE WHEN to_regclass(quote_ident(relname)) = pg_class.oid THEN relname END AS bare,
    CASE WHEN has_schema_privilege(nspname, 'USAGE') AND has_table_privilege(pg_class.oid, 'INSERT') THEN 'open' END AS state
  FROM known, pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE relkind IN ('r', 'p') AND NOT relispartition AND columns <@ ARRAY(
    SELECT attname::text FROM pg_attribute WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped)
)`,
)

export function postgresTables(client: PostgresClient): Tables {
  const run = statementRunner(client, 'client')
  return {
    sought: DEFAULT_NAMES,
    hasWriters: true,
    async find() {
      const found: unknown = JSON.parse(answerIn(await run(POSTGRES_TABLES, []), POSTGRES))
      if (!Array.isArray(found)) return []
      return found.flatMap((table) =>
        named(
          KINDS.find((kind) => textOf(table, 'kind') === kind) ?? 'events',
          [textOf(table, 'bare'), textOf(table, 'name')],
          textOf(table, 'state') === 'open',
        ),
      )
    },
    open({ kind, name: table }) {
      if (kind === 'versions') {
        const versions = entityVersions({ table })
        return { check: (options) => versions.check(client, options) }
      }
      if (kind === 'inbox') {
        const box = inbox(client, { table })
        const overview = () => overviewOf(run, table)
        return { check: (options) => box.check(options), store: box.store, inbox: { ...box, overview } }
      }
      const store = postgresStore(client, { table })
      return { check: (options) => store.check(options), store }
    },
  }
}

const MYSQL_TABLES = `SELECT CONCAT(IF(TABLE_SCHEMA = DATABASE(), 'own=', 'other='), TABLE_SCHEMA, '.', TABLE_NAME) AS finding
FROM information_schema.COLUMNS WHERE COLUMN_NAME IN (${listOf(EVENTS)})
GROUP BY TABLE_SCHEMA, TABLE_NAME HAVING COUNT(*) = ${EVENTS.length} ORDER BY TABLE_SCHEMA, TABLE_NAME`

export const mysqlTables = (client: MysqlClient): Tables => ({
  sought: ['hookgate_events'],
  hasWriters: true,
  async find() {
    const texts = textsIn(await client.query(MYSQL_TABLES, []))
    return texts.flatMap((text) => {
      const [, whose, path] = /^(own|other)=(.*)$/s.exec(text) ?? []
      return named('events', [whose === 'own' ? path?.slice(path.indexOf('.') + 1) : undefined, path], true)
    })
  },
  open({ name: table }) {
    const store = mysqlStore(client, { table })
    return { check: (options) => store.check(options), store }
  },
})

/** Redis has no tables, but a prefix. */
export const redisTables = (client: RedisClient): Tables => ({
  sought: [],
  hasWriters: false,
  find: async () => [],
  open({ name: prefix }) {
    const store = redisStore(client, { prefix })
    return { check: () => store.check(), store }
  },
})

const SQLITE_TABLES = `SELECT name FROM sqlite_master WHERE type = 'table' AND ${SQLITE_EVENTS.length} =
(SELECT count(*) FROM pragma_table_info(sqlite_master.name) AS own WHERE own.name IN (${listOf(SQLITE_EVENTS)})) ORDER BY name`

export const sqliteTables = (db: SyncSqlite): Tables => ({
  sought: ['hookgate_events'],
  hasWriters: false,
  find: async () => {
    const rows: unknown = db.prepare(SQLITE_TABLES).all()
    return Array.isArray(rows) ? rows.flatMap((row) => named('events', [textOf(row, 'name')], true)) : []
  },
  open({ name: table }) {
    const store = sqliteStore(db, { table })
    return { check: () => store.check(), store }
  },
})

/** @param paths The name without its schema, if that finds it, and with it. */
function named(
  kind: FoundTable['kind'],
  paths: readonly (string | undefined)[],
  isOpen: boolean,
): readonly FoundTable[] {
  const names = paths.filter((path) => path !== undefined)
  const name = names.find((each) => DEFAULT_NAMES.includes(each)) ?? names.at(-1) ?? ''
  return NAME.test(name) ? [{ kind, name, names, isOpen }] : []
}
