import { type EventStore, EventStoreError } from '../../src/index.ts'
import { isA, memberOf, textOf } from '../../src/lib/member-of.ts'
import { textsIn } from '../../src/stores/mysql/client.ts'
import { type MysqlClient, mysqlStore } from '../../src/stores/mysql/store.ts'
import {
  type CheckOptions,
  type PostgresClient,
  postgresStore,
  type StoreProblem,
} from '../../src/stores/postgres/store.ts'
import { type RedisClient, redisStore } from '../../src/stores/redis/store.ts'
import { type SyncSqlite, sqliteStore } from '../../src/stores/sqlite/store.ts'
import { printable } from '../command-line/output.ts'
import { ClientError, faultOf, findModule } from './installed.ts'
import { mysqlTables, postgresTables, redisTables, sqliteTables, type Tables } from './tables.ts'
import type { Engine, StoreUrl } from './url.ts'

/** How long a client tries to connect, and SQLite waits for a lock. Shorter than the listener's own deadline. */
const CONNECT_TIMEOUT_MS = 1500

export interface OpenStore {
  readonly store: EventStore & {
    check(options?: CheckOptions): Promise<readonly StoreProblem[]>
    migrate?(): Promise<void>
    sweep?(): Promise<number>
  }
  /** Its tables, of any name. */
  readonly tables: Tables
  close(): unknown
  /** The server's clock, in milliseconds since 1970. */
  now?(): Promise<number>
  /** The last connection error. The calls themselves may report only a timeout. */
  complaint?(): unknown
}

// The parts of each client that are used. No client is installed with this package.
type Closer = Record<'disconnect' | 'destroy' | 'end' | 'close', () => unknown>
type Emitting = Closer & { on(event: 'error' | 'connect', listener: (what: unknown) => void): unknown }
type Opener = (module: ClientModule, target: string, how: HowToOpen) => OpenStore | Promise<OpenStore>

export interface HowToOpen {
  /** Change no setting of a database file. */
  readonly asItIs?: boolean
  /** How long Postgres may take for a statement, with pg. Defaults to 3,000. */
  readonly statementMs?: number
}

interface ClientModule {
  (url: string, options: object): PostgresClient & Closer
  readonly Redis: new (url: string, options: object) => RedisClient & Emitting
  createClient(options: object): RedisClient & Emitting & { connect(): Promise<unknown> }
  readonly Pool: new (options: object) => PostgresClient & Emitting
  createPool(options: object): MysqlClient & Closer & { promise(): MysqlClient & Closer }
  new (path: string, options: object): SyncSqlite & Closer
  readonly DatabaseSync: new (path: string, options: object) => SyncSqlite & Closer
}

const RETRY_MS = 250

const ignored = () => {}

/** Keeps the last error for `complaint`. Node ends the process if nothing listens for `error`. */
function listenTo(client: Emitting): () => unknown {
  let last: unknown
  client.on('error', (error) => {
    last = error
  })
  client.on('connect', () => {
    last = undefined
  })
  return () => last
}

/** The client packages of each engine, in order of preference, and how to open each. */
const CLIENTS: { readonly [Name in Engine]: { readonly [packageName: string]: Opener } } = {
  redis: {
    ioredis({ Redis }, url) {
      const often = { maxRetriesPerRequest: 1, retryStrategy: () => RETRY_MS }
      const client = new Redis(url, { connectTimeout: CONNECT_TIMEOUT_MS, ...often })
      const now = () => redisTime(client, 'call', 'TIME')
      return { ...openRedis(client), close: () => client.disconnect(), now }
    },
    redis({ createClient }, url) {
      const socket = { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: () => RETRY_MS }
      const client = createClient({ url, socket })
      client.connect().catch(ignored)
      const now = () => redisTime(client, 'sendCommand', ['TIME'])
      return { ...openRedis(client), close: () => client.destroy(), now }
    },
  },
  postgres: {
    pg({ Pool }, connectionString, { statementMs = 2 * CONNECT_TIMEOUT_MS }) {
      const limits = { connectionTimeoutMillis: CONNECT_TIMEOUT_MS, query_timeout: statementMs }
      const pool = new Pool({ connectionString, ...limits })
      return { ...openPostgres(pool, 'query'), complaint: listenTo(pool) }
    },
    postgres(connect, url) {
      const sql = connect(url, {
        backoff: () => RETRY_MS / 1000,
        connect_timeout: CONNECT_TIMEOUT_MS / 1000,
        onnotice: ignored,
      })
      return openPostgres(sql, 'unsafe')
    },
  },
  mysql: {
    mysql2: ({ createPool }, uri) =>
      openMysql(createPool({ uri, connectTimeout: CONNECT_TIMEOUT_MS }).promise()),
    mariadb: ({ createPool }, url) => openMysql(createPool(mariadbOptions(url))),
  },
  sqlite: {
    'node:sqlite': ({ DatabaseSync }, path, how) =>
      openSqlite(new DatabaseSync(path, { timeout: CONNECT_TIMEOUT_MS }), how),
    'better-sqlite3': openDatabase,
    libsql: openDatabase,
  },
}

/** What to install. For SQLite, the one whose binaries come from the registry. */
const TO_INSTALL: Readonly<Record<Engine, string>> = {
  redis: 'ioredis',
  postgres: 'pg',
  mysql: 'mysql2',
  sqlite: 'libsql',
}

function openRedis(client: RedisClient & Emitting) {
  return { store: redisStore(client), tables: redisTables(client), complaint: listenTo(client) }
}

/** @param method The client's method for statements without parameters. */
function openPostgres(client: PostgresClient & Closer, method: 'query' | 'unsafe'): OpenStore {
  const now = () => postgresTime(client, method)
  return { store: postgresStore(client), tables: postgresTables(client), close: () => client.end(), now }
}

function openMysql(pool: MysqlClient & Closer): OpenStore {
  const now = () => mysqlTime(pool)
  return { store: mysqlStore(pool), tables: mysqlTables(pool), close: () => pool.end(), now }
}

function openDatabase(Database: ClientModule, path: string, how: HowToOpen): OpenStore {
  return openSqlite(new Database(path, { timeout: CONNECT_TIMEOUT_MS }), how)
}

function openSqlite(db: SyncSqlite & Closer, { asItIs = false }: HowToOpen): OpenStore {
  if (!asItIs) db.exec(`PRAGMA busy_timeout = ${CONNECT_TIMEOUT_MS}; PRAGMA journal_mode = WAL`)
  db.exec('PRAGMA busy_timeout = 0')
  return { store: sqliteStore(db), tables: sqliteTables(db), close: () => db.close() }
}

/**
 * @throws ClientError if no client is installed, or the first that is cannot be used; the message says what to type. Otherwise, what the
 * client throws.
 */
export async function openClient(engine: Engine, target: string, how: HowToOpen = {}): Promise<OpenStore> {
  for (const [name, open] of Object.entries(CLIENTS[engine])) {
    const client = await findModule(name)
    if (client === undefined) continue
    try {
      return await open(client as ClientModule, target, how) // as its table has it
    } catch (error) {
      throw faultOf(name, error) ?? error
    }
  }
  const names = Object.keys(CLIENTS[engine]).filter((name) => !name.startsWith('node:'))
  const install = `needs ${names.join(' or ')}, and found none in this folder: npm install ${TO_INSTALL[engine]}`
  throw new ClientError('no client for this store is installed', install, install)
}

/** What is wrong with the other clients of a file that are installed: a program may use one of them. */
export async function brokenClients(engine: Engine): Promise<readonly ClientError[]> {
  const broken: ClientError[] = []
  for (const [name, open] of Object.entries(CLIENTS[engine])) {
    try {
      const client = await findModule(name)
      if (client !== undefined && engine === 'sqlite')
        await (await open(client as ClientModule, ':memory:', { asItIs: true })).close()
    } catch (error) {
      const fault = isA(error, ClientError) ? error : faultOf(name, error)
      if (fault) broken.push(fault)
    }
  }
  return broken
}

/** A client with a method for arbitrary commands. */
type Asked = { readonly [method: string]: (...words: unknown[]) => Promise<unknown> }

const POSTGRES_TIME = 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now'

/** Reads a Redis server's clock, in milliseconds since 1970. @param method The client's method for arbitrary commands. */
async function redisTime(client: object, method: string, words: unknown): Promise<number> {
  const answer = await (client as Asked)[method]?.(words)
  return Number(memberOf(answer, 0)) * 1000 + Number(memberOf(answer, 1)) / 1000
}

/** Reads a Postgres server's clock, in milliseconds since 1970. */
async function postgresTime(client: object, method: string): Promise<number> {
  const answer = await (client as Asked)[method]?.(POSTGRES_TIME)
  return Number(memberOf(memberOf(memberOf(answer, 'rows') ?? answer, 0), 'now'))
}

/** Reads the clock of a MariaDB or MySQL server: the only number in the answer that is as large. */
async function mysqlTime(client: MysqlClient): Promise<number> {
  const answer = await client.query('SELECT CAST(UNIX_TIMESTAMP(NOW(6)) * 1000 AS CHAR) AS now', [])
  return Number(textsIn(answer)[0])
}

/** The connector takes URLs of `mariadb://` alone, and its pool waits 10 s for a connection. */
function mariadbOptions(text: string): object {
  const url = new URL(text)
  return {
    ...Object.fromEntries(url.searchParams),
    host: url.hostname.replace(/^\[|\]$/g, ''),
    ...(url.port !== '' && { port: Number(url.port) }),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)),
    connectTimeout: CONNECT_TIMEOUT_MS,
    acquireTimeout: 2 * CONNECT_TIMEOUT_MS,
  }
}

/** The innermost cause with a message: clients wrap the system's error, and some leave the outer message empty. */
export function reasonOf(error: unknown, url: StoreUrl): string {
  const inner = memberOf(error, 'cause') ?? memberOf(memberOf(error, 'errors'), 0)
  const message = textOf(error, 'message')
  if (inner !== undefined && (isA(error, EventStoreError) || !message)) return reasonOf(inner, url)
  return printable(url.redact(message || textOf(error, 'code') || 'it cannot be opened'))
}
