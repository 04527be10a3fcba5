import pg from 'pg'
import type { Database, Queryable, Transaction } from './database.ts'
import { storable } from './storable.ts'

const CONNECT_TIMEOUT_MS = 15_000
/** For a server that hangs: clients wait for ever. */
const STATEMENT_TIMEOUT_MS = 15_000

/**
 * A Postgres server, through a pool. `onIdleError` is told of connections that break while nobody uses them. Statements
 * are sent when they are asked, without waiting for the answers to those before.
 */
export function openPostgres(config: pg.PoolConfig, onIdleError: (error: Error) => void): Database {
  const client = new pg.Pool({ connectionTimeoutMillis: CONNECT_TIMEOUT_MS, ...config, pipeline: true })
  client.on('error', onIdleError)
  return {
    client,
    ...runner(client),
    transaction: (work) => inTransaction(client, work),
    exclusively: (work) =>
      inTransaction(client, async (tx) => {
        const lock = "SELECT pg_advisory_xact_lock(hashtextextended('hookgate-service exclusively', 0))"
        await tx.script(lock) // waits as long as it takes
        return work()
      }),
    close: () => client.end(),
  }
}

async function inTransaction<T>(pool: pg.Pool, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  client.on('error', ignore)
  try {
    const begun = client.query('BEGIN') // goes with the first statement
    begun.catch(ignore)
    const result = await work({ client, ...runner(client) })
    await begun
    await commit(client)
    client.release()
    return result
  } catch (error) {
    await rollBack(client)
    throw error
  } finally {
    client.off('error', ignore)
  }
}

/** A transaction in which something failed answers COMMIT as well, by rolling back. */
async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query('COMMIT')
  if (command !== 'COMMIT')
    throw new Error('a statement of the transaction failed, and nothing of it is kept')
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
      (await client.query(prepared(text, storable(params)))).rows as Row[],
    script: async (text) => {
      await client.query(text)
    },
  }
}

/** Each text has one name, so that a connection parses it once. The texts are the service's own, and not many. */
const names = new Map<string, string>()

/** pg takes it, its types do not have it. */
interface TimedQuery extends pg.QueryConfig {
  readonly query_timeout: number
}

/** A statement that Postgres keeps prepared. Fails when it takes longer than 15 seconds. */
export function prepared(text: string, params: readonly unknown[]): TimedQuery {
  const name = names.get(text) ?? `service_${names.size}`
  names.set(text, name)
  return { name, text, values: [...params], query_timeout: STATEMENT_TIMEOUT_MS }
}
