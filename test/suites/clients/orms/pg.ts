import type { WebhookEvent } from 'hookgate'
import { postgresStore } from 'hookgate/stores/postgres'
import pg from 'pg'

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: 20,
})
// Without these listeners, a connection that breaks ends the process.
pool
  .on('error', console.error)
  .on('connect', (client) => client.on('error', console.error))

export const store = postgresStore(pool)

export async function pay(event: WebhookEvent) {
  const tx = await pool.connect()
  try {
    await tx.query('BEGIN')
    await tx.query('INSERT INTO payments VALUES ($1)', [event.id])
    await event.commit(tx) // the last statement
    await tx.query('COMMIT')
    tx.release()
  } catch (error) {
    tx.release(true) // closes the connection, and Postgres rolls back
    throw error
  }
}
