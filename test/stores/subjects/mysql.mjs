// MariaDB through mysql2. With `config.transaction`, claim, effect and commit are one transaction.
import { mysqlStore } from 'hookgate/stores/mysql'
import mysql from 'mysql2/promise'

const INSERT = 'INSERT INTO effects VALUES (?)'

export async function open({ connection, transaction = false, mode }) {
  const pool = mysql.createPool({ connectionLimit: 10, ...connection })
  const store = mysqlStore(pool, { mode })
  await store.migrate()
  await pool.query(
    'CREATE TABLE IF NOT EXISTS effects (event_id CHAR(36), KEY event_id (event_id)) ENGINE = InnoDB',
  )
  return {
    store,
    close: () => pool.end(),
    effect: (eventId) => pool.query(INSERT, [eventId]),
    async effects(eventId) {
      const [rows] = await pool.query('SELECT 1 FROM effects WHERE event_id = ?', [eventId])
      return rows.length
    },
    ...(transaction && { attempt: (request, step) => inTransaction(pool, store, request, step) }),
  }
}

async function inTransaction(pool, store, { key, owner, leaseMs, retentionMs }, step) {
  const tx = await pool.getConnection()
  try {
    await tx.beginTransaction()
    step('started')
    const claiming = store.with(tx).claim(key, owner, leaseMs)
    step('claim sent')
    const answer = await claiming
    if (answer !== 'acquired') return answer
    step('claim answered')
    const doing = tx.query(INSERT, [key.eventId])
    step('effect sent')
    await doing
    step('effect answered')
    await store.with(tx).commit(key, owner, retentionMs)
    const committing = tx.commit()
    step('commit sent')
    await committing
    step('commit answered')
    return answer
  } finally {
    await tx.rollback() // does nothing if the transaction is over
    tx.release()
  }
}
