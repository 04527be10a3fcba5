import { expect, it } from 'vitest'
import { startBackground } from '../../src/background.ts'
import type { Database } from '../../src/database/database.ts'
import { workOnNext } from '../../src/runs/worker.ts'
import { newSender, recordsOf, runsOf, sendAccepted, workAll } from '../support/automations.ts'
import { describeService } from '../support/databases.ts'

describeService('a run without a job', (subject) => {
  const dueNow = () =>
    subject.database.query(
      "UPDATE pgboss.job SET start_after = now() - interval '1 s' WHERE state < 'active'",
    )
  const away = (): Database => ({
    ...subject.database,
    transaction: () => Promise.reject(new Error('the database is away')),
  })
  /** Runs the background work until all runs have ended. */
  async function inBackground() {
    const background = startBackground({
      ...subject.dependencies,
      jobs: { ...subject.jobs, close: async () => {} },
    })
    const unfinished = async () => subject.database.query('SELECT FROM runs WHERE finished_at IS NULL')
    await expect.poll(unfinished).toStrictEqual([])
    await background.stop()
  }

  it('a run resumes at the next start after giving it up kept failing', async () => {
    const sender = await newSender(subject)
    await sendAccepted(subject, sender, { number: 1 })
    const dependencies = { ...subject.dependencies, database: away() }
    for (let attempt = 1; attempt <= 26; attempt += 1) {
      await dueNow()
      await expect(workOnNext(dependencies)).rejects.toThrow('the database is away')
    }
    expect(await workOnNext(dependencies)).toBe(false)
    expect(await runsOf(subject, sender)).toMatchObject([{ state: 'RUN_STATE_PENDING' }])
    await inBackground()
    expect(await recordsOf(subject, sender)).toStrictEqual([{ number: 1 }])
  })

  it('a run gets a new job only if its own was lost', async () => {
    const sender = await newSender(subject)
    await sendAccepted(subject, sender)
    await subject.database.query('DELETE FROM pgboss.job')
    await sendAccepted(subject, sender)
    await inBackground()
    expect(await recordsOf(subject, sender)).toHaveLength(2)
    const jobs = await subject.database.query('SELECT FROM pgboss.job')
    expect(jobs).toHaveLength(2)
    await workAll(subject)
  })
})
