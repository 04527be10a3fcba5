import type pg from 'pg'

/** Runs `work` in one transaction. Without an `error` listener on each connection of the pool, one that breaks ends the process. */
export async function inTransaction(
  pool: pg.Pool,
  work: (tx: pg.PoolClient) => Promise<void>,
): Promise<void> {
  const tx = await pool.connect()
  try {
    await tx.query('BEGIN')
    await work(tx)
    await tx.query('COMMIT')
    tx.release()
  } catch (error) {
    tx.release(true) // closes the connection, and Postgres rolls back
    throw error
  }
}
