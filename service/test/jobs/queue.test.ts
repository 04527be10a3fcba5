import PgBoss from 'pg-boss'
import { expect, it } from 'vitest'
import { executorOn } from '../../src/jobs/executor.ts'
import { openJobQueue } from '../../src/jobs/queue.ts'
import { describeService } from '../support/databases.ts'

describeService('the job of a run', (subject) => {
  it('equals the row that pg-boss itself would write', async () => {
    const runId = crypto.randomUUID()
    const boss = new PgBoss({ db: executorOn(subject.database.client) })
    const rows = await subject.database.transaction(async (tx) => {
      await subject.jobs.add(tx, runId)
      await boss.send('runs', { runId }, { db: executorOn(tx.client) })
      return tx.query("SELECT to_jsonb(job) - 'id' AS job FROM pgboss.job WHERE data->>'runId' = $1", [runId])
    })
    expect(rows).toHaveLength(2)
    expect(rows[0]).toStrictEqual(rows[1])
    await subject.database.query("DELETE FROM pgboss.job WHERE data->>'runId' = $1", [runId])
  })

  it('waits for years while the service is down', async () => {
    const runId = crypto.randomUUID()
    const [kept] = await subject.database.transaction(async (tx) => {
      await subject.jobs.add(tx, runId)
      return tx.query("SELECT keep_until > now() + interval '9 years' AS long FROM pgboss.job")
    })
    expect(kept).toStrictEqual({ long: true })
    await subject.database.query("DELETE FROM pgboss.job WHERE data->>'runId' = $1", [runId])
  })

  it('follows the queue settings of the latest start', async () => {
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
