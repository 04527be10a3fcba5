import { expect, it } from 'vitest'
import { describeOnPostgres, describeService } from '../support/databases.ts'

describeService('a transaction', (subject) => {
  const rows = (id: string) => subject.database.query('SELECT FROM users WHERE id = $1', [id])
  const insert = "INSERT INTO users VALUES ($1, '', '', now())"

  it('a transaction runs concurrently sent statements in order', async () => {
    const id = crypto.randomUUID()
    const found = await subject.database.transaction(async (tx) => {
      const [, seen] = await Promise.all([
        tx.query(insert, [id]),
        tx.query('SELECT FROM users WHERE id = $1', [id]),
      ])
      return seen
    })
    expect(found).toHaveLength(1)
    expect(await rows(id)).toHaveLength(1)
  })

  it('a transaction keeps nothing after a failed statement, even if its callback continues', async () => {
    const id = crypto.randomUUID()
    const work = subject.database.transaction(async (tx) => {
      await Promise.allSettled([tx.query(insert, [id]), tx.query('SELECT 1 / $1::int', [0])])
    })
    await Promise.allSettled([work])
    expect(await rows(id)).toHaveLength(0)
  })
})

// PGlite does not report this.
describeOnPostgres('a transaction', (subject) => {
  it('a transaction rejects when it was rolled back, even if its callback continues', async () => {
    const work = subject.database.transaction(async (tx) => {
      await Promise.allSettled([tx.query('SELECT 1 / $1::int', [0])])
    })
    await expect(work).rejects.toThrow('so it was rolled back')
  })
})
