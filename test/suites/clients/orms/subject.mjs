// A program of this folder for test/support/store-processes.ts: claim, payment and commit are one transaction.
import pg from 'pg'

export async function open({ program, url }) {
  process.env.DATABASE_URL = url
  const { events, pay } = await import(program)
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  pool.on('error', () => {})
  return {
    store: events,
    async effects(eventId) {
      return (await pool.query('SELECT FROM payments WHERE id = $1', [eventId])).rowCount
    },
    async attempt({ key, owner, leaseMs, retentionMs }, step) {
      step('started')
      owner += ` of ${key.eventId}` // unique, as with verify()
      const claiming = events.claim(key, owner, leaseMs)
      step('claim sent')
      const answer = await claiming
      if (answer !== 'acquired') return answer
      step('claim answered')
      const event = { id: key.eventId }
      events.accepted(event, owner)
      const paying = pay(event)
      step('effect sent')
      await paying
      step('effect answered')
      const committing = events.commit(key, owner, retentionMs)
      step('commit sent')
      const committed = await committing
      if (committed !== 'committed') return committed
      step('commit answered')
      return answer
    },
  }
}
