import { ListenerConfigError } from '../../src/errors.ts'
import { hasMethod } from '../../src/lib/options.ts'
import { rowsOf, type SqliteConnection, type SqliteValue } from './connection.ts'

/** The part of a D1 statement that is used. */
export interface D1BoundStatement {
  bind(...values: SqliteValue[]): D1BoundStatement
  all(): Promise<{ readonly results: readonly unknown[] }>
}

/** The part of a D1 binding that is used. */
export interface D1Binding {
  prepare(sql: string): D1BoundStatement
  batch(statements: D1BoundStatement[]): Promise<unknown>
}

const KNOWN = 'must be a D1 binding of a Worker: env.DB, say, of d1_databases'

/** @throws ListenerConfigError for anything but a D1 binding. The message names the store that accepts it. */
export function connectD1(binding: D1Binding): SqliteConnection {
  if (!isD1(binding)) throw new ListenerConfigError('binding', problemOf(binding))
  return {
    // Not first(): the write is only certain once the whole statement has run.
    async all(sql, values) {
      const statement = binding.prepare(sql).bind(...values)
      return rowsOf((await statement.all()).results)
    },
    // Not exec(), which treats each line as a statement.
    run: (statements) => binding.batch(statements.map((sql) => binding.prepare(sql))),
    isLocal: false,
  }
}

/** D1 statements have a `first`; those of better-sqlite3 have a `bind`, but no `first`. */
export function isD1(client: unknown): client is D1Binding {
  // Service and Durable Object stubs have `fetch`. They pretend to have every method, and each call is a request.
  if (!hasMethod(client, 'prepare') || !hasMethod(client, 'batch') || hasMethod(client, 'fetch')) return false
  const statement: unknown = Reflect.apply(Reflect.get(Object(client), 'prepare'), client, ['SELECT 1'])
  return hasMethod(statement, 'first') && hasMethod(statement, 'bind')
}

function problemOf(given: unknown): string {
  if (hasMethod(given, 'idFromName')) {
    return `${KNOWN}, not a Durable Object namespace: pass it to durableObjectStore of hookgate/stores/durable-object`
  }
  if (hasMethod(given, 'exec') || hasMethod(given, 'execute')) {
    return `${KNOWN}; sqliteStore of hookgate/stores/sqlite takes databases of SQLite and libsql`
  }
  return given === undefined ? `${KNOWN}; it is undefined: does the configuration name it so?` : KNOWN
}
