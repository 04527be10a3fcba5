import type { WebhookEvent } from 'hookgate'
import { mysqlStore } from 'hookgate/stores/mysql'
import mysql from 'mysql2/promise'

const pool = mysql.createPool({
  uri: process.env.DATABASE_URL ?? '',
  connectionLimit: 20,
})

export const store = mysqlStore(pool)

export async function pay(event: WebhookEvent) {
  const tx = await pool.getConnection()
  try {
    await tx.beginTransaction()
    await tx.query('INSERT INTO payments VALUES (?)', [event.id])
    await event.commit(tx) // the last statement
    await tx.commit()
    tx.release()
  } catch (error) {
    tx.destroy() // the server rolls back
    throw error
  }
}
