import { expect, it, onTestFinished, vi } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import { startWorker } from '../../src/runs/worker.ts'
import { BusyError, Turns } from '../../src/turns.ts'
import {
  makeDue,
  newSender,
  recordsOf,
  runOf,
  sendAccepted,
  workAll,
  workOnNext,
} from '../support/automations.ts'
import { describeService } from '../support/databases.ts'

const GIVEN_UP = {
  code: 'given_up',
  detail: 'The run was attempted 13 times, and each time this step failed or its process died.',
}
const THREE = ['"one"', '"two"', '"three"'].map((valueCel) => ({ type: 'record', valueCel }))

describeService('an interrupted run', (subject) => {
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
      const work = async () => {
        while (await workOnNext({ ...subject.dependencies, database }));
      }
      await expect(work()).rejects.toThrow('was killed')
      expect(await recordsOf(subject, sender)).toHaveLength(step - 1)
      await makeDue(subject)
      await workAll(subject)
      expect(await recordsOf(subject, sender)).toStrictEqual(['three', 'two', 'one'])
      expect((await runOf(subject, sender)).state).toBe('RUN_STATE_SUCCEEDED')
    },
  )

  it('each step of an interrupted run runs once under concurrent workers whose leases end', async () => {
    const sender = await newSender(subject, { steps: THREE })
    await sendAccepted(subject, sender)
    const work = async () => {
      for (let turn = 0; turn < 5; turn += 1) {
        await makeDue(subject)
        await workOnNext(subject.dependencies)
      }
    }
    await Promise.all([work(), work(), work()])
    expect(await recordsOf(subject, sender)).toStrictEqual(['three', 'two', 'one'])
    expect(await subject.runs.take()).toBeUndefined()
  })

  it('an interrupted run is given up after 13 failed attempts, and says so', async () => {
    const sender = await newSender(subject, { steps: THREE })
    await sendAccepted(subject, sender)
    const database = failingFrom(2)
    await workOnNext({ ...subject.dependencies, database })
    for (let attempt = 1; attempt <= 13; attempt += 1) {
      await makeDue(subject)
      await expect(workOnNext({ ...subject.dependencies, database })).rejects.toThrow('was killed')
    }
    await makeDue(subject)
    await workAll(subject)
    const { steps } = await runOf(subject, sender)
    expect(steps.at(-1)?.error).toStrictEqual(GIVEN_UP)
    expect(await recordsOf(subject, sender)).toStrictEqual(['one'])
  })

  it('an interrupted run is given up after 13 attempts if each one kills its process', async () => {
    const sender = await newSender(subject, { steps: THREE })
    await sendAccepted(subject, sender)
    for (let attempt = 1; attempt <= 13; attempt += 1) {
      await makeDue(subject)
      expect((await subject.runs.take())?.attempt).toBe(attempt)
      // A process that is killed every few seconds does not use up the attempts before it can be repaired.
      const [run] = await subject.database.query<{ seconds: number }>(
        'SELECT extract(epoch FROM due_at - now())::float8 AS seconds FROM runs WHERE finished_at IS NULL',
      )
      expect(run?.seconds).toBeCloseTo(Math.max(60, 2 ** (attempt - 1)), -1)
    }
    expect(await subject.runs.take()).toBeUndefined() // until its lease ends
    await makeDue(subject)
    await workAll(subject)
    const run = await runOf(subject, sender)
    expect([run.state, run.steps[0].error]).toStrictEqual(['RUN_STATE_FAILED', GIVEN_UP])
    expect(await recordsOf(subject, sender)).toStrictEqual([])
  })

  it('an interrupted run is given up later if giving it up fails too', async () => {
    const sender = await newSender(subject, { steps: THREE })
    await sendAccepted(subject, sender)
    const database = failingFrom(1)
    for (let attempt = 1; attempt <= 20; attempt += 1) {
      await makeDue(subject)
      await expect(workOnNext({ ...subject.dependencies, database })).rejects.toThrow('was killed')
    }
    await makeDue(subject)
    await workAll(subject)
    expect((await runOf(subject, sender)).steps[0].error).toStrictEqual(GIVEN_UP)
  })

  it('an interrupted run backs off between attempts, for one to two hours in all', async () => {
    const sender = await newSender(subject, { steps: THREE })
    await sendAccepted(subject, sender)
    const waits: number[] = []
    for (let attempt = 1; attempt < 13; attempt += 1) {
      await makeDue(subject)
      await expect(workOnNext({ ...subject.dependencies, database: failingFrom(1) })).rejects.toThrow(
        'was killed',
      )
      const [run] = await subject.database.query<{ wait: number }>(
        'SELECT extract(epoch FROM due_at - now())::float8 AS wait FROM runs WHERE finished_at IS NULL',
      )
      waits.push(run?.wait ?? 0)
    }
    expect(waits[0]).toBeLessThan(3)
    const hours = waits.reduce((sum, wait) => sum + wait) / 3_600
    expect(hours).toBeGreaterThan(1)
    expect(hours).toBeLessThan(3)
    await makeDue(subject)
    await workAll(subject)
    expect(await recordsOf(subject, sender)).toHaveLength(3)
  })

  it('an interrupted run comes again without a line of the log if its expression waited too long', async () => {
    const sender = await newSender(subject)
    await sendAccepted(subject, sender)
    const use = vi.spyOn(Turns.prototype, 'use').mockRejectedValueOnce(new BusyError('it waited too long'))
    onTestFinished(() => use.mockRestore())
    expect(await workOnNext(subject.dependencies)).toBe(true) // a worker would log what it throws
    expect((await runOf(subject, sender)).state).toBe('RUN_STATE_PENDING')
    await makeDue(subject)
    await workAll(subject)
    expect((await runOf(subject, sender)).state).toBe('RUN_STATE_SUCCEEDED')
  })

  it('an interrupted run is picked up by a worker until the worker stops', async () => {
    const sender = await newSender(subject, { steps: THREE })
    const worker = startWorker(subject.dependencies, { pollMs: 60_000 })
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
    const worker = startWorker(
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
