import { expect, it } from 'vitest'
import { openJobQueue } from '../../src/jobs/queue.ts'
import { describeService } from '../support/databases.ts'

describeService('the job of a run', (subject) => {
  it('the job is queued with its transaction, or not at all', async () => {
    const runId = crypto.randomUUID()
    const queued = () => subject.database.query("SELECT FROM pgboss.job WHERE data->>'runId' = $1", [runId])
    const failed = subject.database.transaction(async (tx) => {
      await subject.jobs.add(tx, runId)
      throw new Error('no run after all')
    })
    await expect(failed).rejects.toThrow('no run after all')
    expect(await queued()).toHaveLength(0)
    await subject.database.transaction((tx) => subject.jobs.add(tx, runId))
    expect(await queued()).toHaveLength(1)
    await subject.database.query("DELETE FROM pgboss.job WHERE data->>'runId' = $1", [runId])
  })

  it('the job waits for years while the service is down', async () => {
    const runId = crypto.randomUUID()
    const [kept] = await subject.database.transaction(async (tx) => {
      await subject.jobs.add(tx, runId)
      return tx.query("SELECT keep_until > now() + interval '9 years' AS long FROM pgboss.job")
    })
    expect(kept).toStrictEqual({ long: true })
    await subject.database.query("DELETE FROM pgboss.job WHERE data->>'runId' = $1", [runId])
  })

  it('the job follows the queue settings of the latest start', async () => {
    const settings = () =>
      subject.database.query("SELECT expire_seconds, retry_limit FROM pgboss.queue WHERE name = 'runs'")
    const report = () => {}
    await subject.database.query('UPDATE pgboss.queue SET retry_limit = 1000')
    const newest = await openJobQueue(subject.database, { leaseSeconds: 7, report })
    expect(await settings()).toStrictEqual([{ expire_seconds: 7, retry_limit: 12 }])
    await newest.close()
    await (await openJobQueue(subject.database, { report })).close()
    expect(await settings()).toStrictEqual([{ expire_seconds: 60, retry_limit: 12 }])
  })
})
