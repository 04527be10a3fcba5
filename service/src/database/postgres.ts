import pg from 'pg'
import type { Database, Queryable, Transaction } from './database.ts'

/** A Postgres server, through a pool. `onIdleError` is told of connections that break while nobody uses them. */
export function openPostgres(config: pg.PoolConfig, onIdleError: (error: Error) => void): Database {
  const client = new pg.Pool(config)
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
    await client.query('BEGIN')
    const result = await work({ client, ...runner(client) })
    await client.query('COMMIT')
    client.release()
    return result
  } catch (error) {
    await rollBack(client)
    throw error
  } finally {
    client.off('error', ignore)
  }
}

/** A connection that breaks between two statements fails the next one; pg also emits it, which would end the process. */
function ignore(): void {}

/** A connection that cannot even roll back is closed, and the server rolls back by itself. */
async function rollBack(client: pg.PoolClient): Promise<void> {
  try {
    await client.query('ROLLBACK')
    client.release()
  } catch {
    client.release(true)
  }
}

function runner(client: pg.Pool | pg.PoolClient): Queryable & { script(text: string): Promise<void> } {
  return {
    // pg cannot know what a statement gives; who writes the statement says it.
    query: async <Row>(text: string, params: readonly unknown[] = []) =>
      (await client.query(prepared(text, params))).rows as Row[],
    script: async (text) => {
      await client.query(text)
    },
  }
}

/** Each text has one name, so that a connection parses it once. The texts are the service's own, and not many. */
const names = new Map<string, string>()

/** A statement that Postgres keeps prepared. */
export function prepared(text: string, params: readonly unknown[]): pg.QueryConfig {
  const name = names.get(text) ?? `service_${names.size}`
  names.set(text, name)
  return { name, text, values: [...params] }
}
