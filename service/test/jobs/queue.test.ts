import PgBoss from 'pg-boss'
import { expect, it } from 'vitest'
import { executorOn } from '../../src/jobs/executor.ts'
import { describeService } from '../support/databases.ts'

describeService('the job of a run', (subject) => {
  it('is the row that pg-boss itself would have written', async () => {
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
})
