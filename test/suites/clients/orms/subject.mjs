// A program of this folder for test/support/store-processes.ts: payment and commit are one transaction.
import pg from 'pg'

export async function open({ program, url }) {
  process.env.DATABASE_URL = url
  const { store, pay } = await import(program)
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  pool.on('error', () => {})
  return {
    store,
    async effects(eventId) {
      return (await pool.query('SELECT FROM payments WHERE id = $1', [eventId])).rowCount
    },
    async attempt({ key, owner, leaseMs, retentionMs }, step) {
      step('started')
      const claiming = store.claim(key, owner, leaseMs)
      step('claim sent')
      const answer = await claiming
      if (answer !== 'acquired') return answer
      step('claim answered')
      const event = {
        id: key.eventId,
        async commit(tx) {
          step('effect answered')
          await store.commitIn(tx, key, owner, retentionMs)
          setImmediate(() => step('commit sent')) // once the program has sent COMMIT
        },
      }
      const paying = pay(event)
      step('effect sent')
      await paying
      step('commit answered')
      return answer
    },
  }
}
