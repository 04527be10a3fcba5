// MariaDB through mysql2. With `config.transaction`, effect and commit are one transaction of the application.
import { mysqlStore } from 'hookgate/stores/mysql'
import mysql from 'mysql2/promise'

const INSERT = 'INSERT INTO effects VALUES (?)'
const EFFECTS =
  'CREATE TABLE IF NOT EXISTS effects (event_id CHAR(36), KEY event_id (event_id)) ENGINE = InnoDB'

export async function open({ connection, transaction = false }) {
  const pool = mysql.createPool({ connectionLimit: 10, ...connection })
  const store = mysqlStore(pool)
  await store.migrate()
  await pool.query(EFFECTS)
  return {
    store,
    close: () => pool.end(),
    effect: (eventId) => pool.query(INSERT, [eventId]),
    async effects(eventId) {
      const [rows] = await pool.query('SELECT 1 FROM effects WHERE event_id = ?', [eventId])
      return rows.length
    },
    ...(transaction && { attempt: attemptIn((work) => inTransaction(pool, work), store) }),
  }
}

async function inTransaction(pool, work) {
  const tx = await pool.getConnection()
  try {
    await tx.beginTransaction()
    await work(tx)
    await tx.commit()
    tx.release()
  } catch (error) {
    tx.destroy() // the server rolls back
    throw error
  }
}

/** @param begin Runs its work in a transaction of the application. */
export function attemptIn(begin, store) {
  return async ({ key, owner, leaseMs, retentionMs }, step) => {
    step('started')
    const claiming = store.claim(key, owner, leaseMs)
    step('claim sent')
    const answer = await claiming
    if (answer !== 'acquired') return answer
    step('claim answered')
    await begin(async (tx) => {
      const doing = tx.query(INSERT, [key.eventId])
      step('effect sent')
      await doing
      step('effect answered')
      const committing = store.commitIn(tx, key, owner, retentionMs)
      step('commit sent')
      await committing
    })
    step('commit answered')
    return answer
  }
}
