import PgBoss from 'pg-boss'
import { expect, it, onTestFinished } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import { executorOn } from '../../src/jobs/executor.ts'
import { giveRunUp } from '../../src/runs/advance.ts'
import { RunWorker, workOnNext } from '../../src/runs/worker.ts'
import { newSender, recordsOf, runOf, sendAccepted, workAll } from '../support/automations.ts'
import { describeService } from '../support/databases.ts'

const GIVEN_UP = {
  code: 'given_up',
  detail: 'The run was attempted 13 times, and each time this step failed or its process died.',
}
const THREE = ['"one"', '"two"', '"three"'].map((valueCel) => ({ type: 'record', valueCel }))

describeService('an interrupted run', (subject) => {
  /** Delivers all jobs again, like the queue when leases and pauses end. */
  const abandon = () =>
    subject.database.query(
      "UPDATE pgboss.job SET state = 'retry', start_after = now() - interval '1 s' WHERE state IN ('active', 'retry')",
    )

  const dueNow = () =>
    subject.database.query(
      "UPDATE pgboss.job SET start_after = now() - interval '1 s' WHERE state < 'active'",
    )

  /** A database whose transactions fail from this number on, before they commit. */
  function failingFrom(first: number): Database {
    let count = 0
    return {
      ...subject.database,
      transaction: (work) =>
        subject.database.transaction(async (tx) => {
          const result = await work(tx)
          count += 1
          if (count >= first) throw new Error('the process was killed')
          return result
        }),
    }
  }

  it.each([1, 2, 3])(
    'an interrupted run resumes with step %d if killed before its commit, and repeats no step',
    async (step) => {
      const sender = await newSender(subject, { steps: THREE })
      await sendAccepted(subject, sender)
      const database = failingFrom(step)
      await expect(workOnNext({ ...subject.dependencies, database })).rejects.toThrow('was killed')
      expect(await recordsOf(subject, sender)).toHaveLength(step - 1)
      await abandon()
      await workAll(subject)
      expect(await recordsOf(subject, sender)).toStrictEqual(['three', 'two', 'one'])
      expect((await runOf(subject, sender)).state).toBe('RUN_STATE_SUCCEEDED')
    },
  )

  it('an interrupted run ignores a job delivered again after its end', async () => {
    const sender = await newSender(subject, { steps: THREE })
    await sendAccepted(subject, sender)
    const job = await subject.jobs.take()
    await abandon()
    await workAll(subject)
    await subject.database.transaction((tx) => subject.jobs.add(tx, job?.runId ?? ''))
    await workAll(subject)
    expect(await recordsOf(subject, sender)).toHaveLength(3)
    expect(await subject.jobs.take()).toBeUndefined()
  })

  it('each step of an interrupted run runs once under two concurrent workers', async () => {
    const sender = await newSender(subject, { steps: THREE })
    const { body } = await sendAccepted(subject, sender)
    await subject.database.transaction((tx) => subject.jobs.add(tx, body.runId))
    await Promise.all([workOnNext(subject.dependencies), workOnNext(subject.dependencies)])
    expect(await recordsOf(subject, sender)).toStrictEqual(['three', 'two', 'one'])
  })

  it('an interrupted run is given up after 13 failed attempts, and says so', async () => {
    const sender = await newSender(subject, { steps: THREE })
    await sendAccepted(subject, sender)
    const database = failingFrom(2)
    for (let attempt = 1; attempt <= 13; attempt += 1) {
      await dueNow()
      await expect(workOnNext({ ...subject.dependencies, database })).rejects.toThrow('was killed')
    }
    await dueNow()
    await workAll(subject)
    const { steps } = await runOf(subject, sender)
    expect(steps.at(-1)?.error).toStrictEqual(GIVEN_UP)
    expect(await recordsOf(subject, sender)).toStrictEqual(['one'])
  })

  it('an interrupted run is given up after 13 attempts if each one kills its process', async () => {
    const sender = await newSender(subject, { steps: THREE })
    await sendAccepted(subject, sender)
    const queue = new PgBoss({ db: executorOn(subject.database.client), supervise: false, schedule: false })
    await queue.start()
    let taken = 0
    for (let turn = 0; turn < 40; turn += 1) {
      await dueNow()
      const job = await subject.jobs.take()
      if (job?.queue === 'runs_given_up') {
        await subject.database.transaction((tx) => giveRunUp(tx, subject.dependencies, job.runId))
        break
      }
      if (job) taken += 1
      await subject.database.query(
        "UPDATE pgboss.job SET started_on = now() - expire_in - interval '1 s' WHERE state = 'active'",
      )
      await queue.maintain()
    }
    const run = await runOf(subject, sender)
    expect([taken, run.state, run.steps[0].error]).toStrictEqual([13, 'RUN_STATE_FAILED', GIVEN_UP])
    expect(await recordsOf(subject, sender)).toStrictEqual([])
    await queue.stop({ graceful: false, close: false })
  })

  it('an interrupted run backs off between attempts, for one to two hours in all', async () => {
    const sender = await newSender(subject, { steps: THREE })
    await sendAccepted(subject, sender)
    const waits: number[] = []
    for (let attempt = 1; attempt < 13; attempt += 1) {
      await dueNow()
      await expect(workOnNext({ ...subject.dependencies, database: failingFrom(1) })).rejects.toThrow(
        'was killed',
      )
      const [job] = await subject.database.query<{ wait: number }>(
        "SELECT extract(epoch FROM start_after - now())::float8 AS wait FROM pgboss.job WHERE state = 'retry'",
      )
      waits.push(job?.wait ?? 0)
    }
    expect(waits[0]).toBeLessThan(3)
    const hours = waits.reduce((sum, wait) => sum + wait) / 3_600
    expect(hours).toBeGreaterThan(1)
    expect(hours).toBeLessThan(3)
    await dueNow()
    await workAll(subject)
    expect(await recordsOf(subject, sender)).toHaveLength(3)
  })

  it('an interrupted run is picked up by a worker until the worker stops', async () => {
    const sender = await newSender(subject, { steps: THREE })
    const worker = new RunWorker(subject.dependencies, { pollMs: 60_000 })
    await sendAccepted(subject, sender)
    await expect.poll(async () => (await runOf(subject, sender)).state).toBe('RUN_STATE_SUCCEEDED')
    await worker.stop()
    await sendAccepted(subject, sender)
    expect((await runOf(subject, sender)).state).toBe('RUN_STATE_PENDING')
    await workAll(subject)
  })

  it('an interrupted run resumes after the database of its worker fails', async () => {
    const sender = await newSender(subject, { steps: THREE })
    const reports: string[] = []
    let failing = true
    const database: Database = {
      ...subject.database,
      transaction: (work) =>
        failing ? Promise.reject(new Error('the database is away')) : subject.database.transaction(work),
    }
    const worker = new RunWorker(
      { ...subject.dependencies, database, report: (error) => reports.push(String(error)) },
      { pollMs: 50 },
    )
    onTestFinished(() => worker.stop())
    await sendAccepted(subject, sender)
    await expect.poll(() => reports).toContain('Error: the database is away')
    failing = false
    await expect.poll(() => recordsOf(subject, sender)).toHaveLength(3)
  })
})
