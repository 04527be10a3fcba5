// Postgres through `pg`. Its Pool gets config.connection, and without it reads PGHOST and the like. With `config.transaction`, effect and
// commit are one transaction of the application.
import { postgresStore } from 'hookgate/stores/postgres'
import pg from 'pg'

const EFFECTS = `DO $$ BEGIN
  PERFORM set_config('client_min_messages', 'warning', true), pg_advisory_xact_lock(1);
  CREATE TABLE IF NOT EXISTS effects (event_id uuid);
  CREATE INDEX IF NOT EXISTS effects_event_id ON effects (event_id);
END $$`
const INSERT = 'INSERT INTO effects VALUES ($1)'

export async function open({ connection, transaction = false }) {
  const pool = new pg.Pool(connection)
  pool.on('error', () => {})
  const store = postgresStore(pool)
  await store.migrate()
  await pool.query(EFFECTS)
  return {
    store,
    close: () => pool.end(),
    effect: (eventId) => pool.query(INSERT, [eventId]),
    async effects(eventId) {
      return (await pool.query('SELECT FROM effects WHERE event_id = $1', [eventId])).rowCount
    },
    ...(transaction && { attempt: (request, step) => inTransaction(pool, store, request, step) }),
  }
}

async function inTransaction(pool, store, { key, owner, leaseMs, retentionMs }, step) {
  step('started')
  const claiming = store.claim(key, owner, leaseMs)
  step('claim sent')
  const answer = await claiming
  if (answer !== 'acquired') return answer
  step('claim answered')
  const tx = await pool.connect()
  try {
    await tx.query('BEGIN')
    const doing = tx.query(INSERT, [key.eventId])
    step('effect sent')
    await doing
    step('effect answered')
    await store.commitIn(tx, key, owner, retentionMs)
    const committing = tx.query('COMMIT')
    step('commit sent')
    await committing
    step('commit answered')
    return answer
  } finally {
    await tx.query('ROLLBACK') // only a warning if the transaction is over
    tx.release()
  }
}
