import { expect, inject, it, onTestFinished } from 'vitest'
import { openPostgres } from '../../src/database/postgres.ts'
import { newDatabase } from '../support/copies.ts'
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

  it('a transaction fails once, not for ever, after a newer version has changed a table', async () => {
    const address = await newDatabase(inject('postgresFolder'))
    const one = openPostgres({ ...address, max: 1 }, () => {})
    onTestFinished(() => one.close())
    const read = () => one.transaction((tx) => tx.query('SELECT * FROM changed'))
    await one.query('CREATE TABLE changed (a int)')
    await read()
    await one.query('ALTER TABLE changed ADD COLUMN b int')
    await expect(read()).rejects.toThrow('cached plan')
    await expect(read()).resolves.toEqual([])
  })
})
