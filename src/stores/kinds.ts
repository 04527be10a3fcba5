import { ListenerConfigError } from '../errors.ts'
import { memberOf, textOf } from '../lib/member-of.ts'
import { hasMethod } from '../lib/options.ts'
import { errorsIn, ormOf } from './orms.ts'

/** The kinds of databases, each with the function that takes its clients. */
const STORES = {
  Postgres: 'postgresStore from hookgate/stores/postgres',
  MySQL: 'mysqlStore from hookgate/stores/mysql',
  SQLite: 'sqliteStore from hookgate/stores/sqlite',
  D1: 'd1Store from hookgate/stores/d1',
  Redis: 'redisStore from hookgate/stores/redis',
  DynamoDB: 'dynamodbStore from hookgate/stores/dynamodb',
  'Durable Objects': 'durableObjectStore from hookgate/stores/durable-object',
} as const

export type Kind = keyof typeof STORES

interface Known {
  readonly kind: Kind
  /** For people, with its article. */
  readonly what: string
}

/**
 * A store takes anything with a certain method, and those of other databases often have that one, too: their statements would fail with
 * each delivery, or do nothing.
 *
 * @throws ListenerConfigError for a client of another kind of database, as far as its shape shows that. It names the right function.
 */
export function refuseOtherKinds(client: unknown, option: string, ...own: readonly Kind[]): void {
  const known = kindOfClient(client)
  if (known && !own.includes(known.kind)) throw otherKind(known, option, own)
}

/**
 * The same by what the server answered, for clients that hide their kind.
 *
 * @throws ListenerConfigError if this is an error of another kind of server.
 */
export function refuseOtherServers(error: unknown, own: Kind): void {
  for (const one of errorsIn(error)) {
    const kind = kindOfError(one)
    if (kind === undefined) continue
    if (kind === own) return
    throw otherKind({ kind, what: `a client of ${kind}, as its server answers` }, 'client', [own], error)
  }
}

function otherKind({ kind, what }: Known, option: string, own: readonly Kind[], cause?: unknown) {
  const alone = own.includes('Postgres') ? ' (inbox and entityVersions take Postgres alone)' : ''
  const problem = `this is ${what}: use ${STORES[kind]}${alone}`
  return new ListenerConfigError(option, problem, cause === undefined ? undefined : { cause })
}

function kindOfError(error: unknown): Kind | undefined {
  const code = textOf(error, 'code') ?? ''
  if (/^ER_[A-Z]/.test(code) && typeof memberOf(error, 'errno') === 'number') return 'MySQL'
  if (/^SQLITE_/.test(code)) return 'SQLite'
  const ofPrisma = textOf(error, 'kind')
  if (ofPrisma !== undefined && /^(?:mysql|sqlite)$/.test(ofPrisma)) return kindOfDialect(ofPrisma)
  const state = /^[0-9A-Z]{5}$/
  const isState = state.test(code) || state.test(textOf(error, 'errno') ?? '')
  return isState && memberOf(error, 'severity') !== undefined ? 'Postgres' : undefined
}

/** What this client is of. Undefined if its shape does not tell. */
function kindOfClient(client: unknown): Known | undefined {
  const has = (...methods: string[]) => methods.every((method) => hasMethod(client, method))
  if (has('idFromName')) return { kind: 'Durable Objects', what: 'a Durable Object namespace' }
  if (has('fetch')) return undefined // a stub, which pretends to have every method
  const dialect = dialectOf(client)
  if (dialect) return dialect
  if (has('escapeId', 'query')) return { kind: 'MySQL', what: ofMysql(has) }
  if (has('escapeIdentifier', 'query')) return { kind: 'Postgres', what: 'a client of pg' }
  if (has('query', 'connect') && memberOf(client, 'totalCount') !== undefined)
    return { kind: 'Postgres', what: 'a pool of pg' }
  if (has('query', 'execProtocol')) return { kind: 'Postgres', what: 'a PGlite' }
  if (typeof client === 'function' && has('unsafe', 'query', 'transaction'))
    return { kind: 'Postgres', what: 'a neon()' }
  if (has('unsafe') && (has('begin') || has('savepoint'))) return ofUnsafe(client)
  if (has('prepare', 'batch', 'exec')) return { kind: 'D1', what: 'a D1 binding' }
  if (has('prepare', 'exec')) return { kind: 'SQLite', what: 'a database of SQLite' }
  if (has('execute', 'executeMultiple')) return { kind: 'SQLite', what: 'a client of @libsql/client' }
  if (has('putItem') || (has('send') && memberOf(client, 'middlewareStack') !== undefined))
    return { kind: 'DynamoDB', what: 'a client of DynamoDB' }
  if (typeof client === 'function') return undefined
  const isRedis =
    has('call', 'defineCommand') || has('sendCommand', 'eval') || has('customCommand') || has('send', 'hmget')
  return isRedis || has('eval', 'evalsha') ? { kind: 'Redis', what: 'a Redis client' } : undefined
}

/** A client of mysql2, mysql or mariadb. */
function ofMysql(has: (method: string) => boolean): string {
  const driver = has('batch') ? 'mariadb' : 'mysql2'
  return has('getConnection') ? `a ${driver} pool` : `a ${driver} connection`
}

/** postgres.js, or Bun's SQL, which has three kinds of servers. */
function ofUnsafe(client: unknown): Known {
  const adapter = textOf(memberOf(client, 'options'), 'adapter')
  const kind = kindOfDialect(adapter) ?? 'Postgres'
  return adapter === undefined
    ? { kind, what: 'a client of postgres.js' }
    : { kind, what: `a Bun SQL of ${adapter}` }
}

/** Where ORMs keep their driver, or its name. */
function dialectOf(client: unknown): Known | undefined {
  const orm = ormOf(client)
  if (orm === 'Drizzle') {
    const driver = kindOfClient(memberOf(client, '$client'))
    return driver && { ...driver, what: `a Drizzle on ${driver.what}` }
  }
  const optionsOf = (holder: unknown) => textOf(memberOf(holder, 'options'), 'type')
  const dialect =
    orm === 'TypeORM'
      ? (optionsOf(client) ?? optionsOf(memberOf(client, 'connection')))
      : orm === 'Knex'
        ? textOf(memberOf(client, 'client'), 'dialect')
        : orm === 'Sequelize'
          ? textOf(memberOf(client, 'options'), 'dialect')
          : undefined
  const kind = kindOfDialect(dialect)
  return kind && { kind, what: `a ${orm} on ${dialect}` }
}

function kindOfDialect(dialect: string | undefined): Kind | undefined {
  if (dialect === undefined) return undefined
  if (/mysql|mariadb/i.test(dialect)) return 'MySQL'
  if (/sqlite|libsql/i.test(dialect)) return 'SQLite'
  return /postgres|^pg|cockroach/i.test(dialect) ? 'Postgres' : undefined
}
