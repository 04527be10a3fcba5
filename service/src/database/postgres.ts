import pg from 'pg'
import { memberOf } from '../member-of.ts'
import type { Database, Queryable, Transaction } from './database.ts'
import { storable } from './storable.ts'

/** How long to wait for a connection, and for a statement of a server that hangs. */
const TIMEOUT_MS = 15_000

/**
 * Connects to a Postgres server through a pool. `onIdleError` gets the errors of idle connections. Statements are
 * pipelined.
 */
export function openPostgres(config: pg.PoolConfig, onIdleError: (error: Error) => void): Database {
  const client = new pg.Pool({ connectionTimeoutMillis: TIMEOUT_MS, ...config, pipeline: true })
  client.on('error', onIdleError)
  return {
    client,
    ...runner(client),
    transaction: (work) => inTransaction(client, work),
    close: () => client.end(),
  }
}

async function inTransaction<T>(pool: pg.Pool, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  client.on('error', ignore)
  try {
    const begun = client.query('BEGIN') // pipelined with the first statement
    begun.catch(ignore)
    const result = await work({ client, ...runner(client) })
    await begun
    await commit(client)
    client.release()
    return result
  } catch (error) {
    await rollBack(client, memberOf(error, 'code') === STALE_STATEMENT)
    throw error
  } finally {
    client.off('error', ignore)
  }
}

/** Postgres answers COMMIT of a failed transaction with a rollback, not with an error. */
async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query('COMMIT')
  if (command !== 'COMMIT') throw new Error('a statement of the transaction failed, so it was rolled back')
}

/** Swallows a connection error, which would end the process. The next statement fails with it anyway. */
function ignore(): void {}

/** The SQLSTATE of a prepared statement whose columns a migration of a newer version has changed. It stays stale. */
const STALE_STATEMENT = '0A000'

/** Also closes a connection that cannot roll back. The server then rolls back by itself. */
async function rollBack(client: pg.PoolClient, close: boolean): Promise<void> {
  try {
    await client.query('ROLLBACK')
    client.release(close)
  } catch {
    client.release(true)
  }
}

function runner(client: pg.Pool | pg.PoolClient): Queryable & { script(text: string): Promise<void> } {
  return {
    // pg cannot know the row type, so the caller declares it.
    query: async <Row>(text: string, params: readonly unknown[] = []) =>
      (await client.query(prepared(text, params))).rows as Row[],
    script: async (text) => {
      await client.query(text)
    },
  }
}

const names = new Map<string, string>()

/**
 * A prepared statement, which fails after 15 seconds. Its text has a name, so that a connection parses it once. The
 * texts are constants of the service.
 */
function prepared(text: string, params: readonly unknown[]) {
  const name = names.get(text) ?? `service_${names.size}`
  names.set(text, name)
  // pg's types do not declare `query_timeout` of a statement.
  return { name, text, values: storable(params), query_timeout: TIMEOUT_MS }
}
