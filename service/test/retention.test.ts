import { expect, it } from 'vitest'
import { sweepOld } from '../src/retention.ts'
import { newSender, recordsOf, runsOf, sendAccepted, workAll } from './support/automations.ts'
import { describeService } from './support/databases.ts'
import { acted, taskWith } from './support/tasks.ts'

const DAY_SECONDS = 86_400

describeService('the retention', (subject) => {
  const sweep = (days?: number) => sweepOld(subject.with({ SERVICE_RETENTION_DAYS: days }))
  const auditsOf = async (taskId: string) =>
    (await subject.post('/api/v1/task/audits', { taskId })).body.list.map(({ taskAudit }) => taskAudit.event)

  it('the retention deletes ended runs with their records and steps after so many days, and keeps unfinished runs', async () => {
    const sender = await newSender(subject)
    await sendAccepted(subject, sender, { number: 1 })
    await workAll(subject)
    await sendAccepted(subject, sender, { number: 2 })
    subject.clock.advanceSeconds(30 * DAY_SECONDS)
    await sweep()
    await sweep(30)
    expect(await recordsOf(subject, sender)).toEqual([{ number: 1 }])
    subject.clock.advanceSeconds(1)
    await sweep()
    expect(await runsOf(subject, sender)).toHaveLength(2)
    await sweep(30)
    expect((await runsOf(subject, sender)).map(({ state }) => state)).toEqual(['RUN_STATE_PENDING'])
    expect(await recordsOf(subject, sender)).toEqual([])
    await workAll(subject)
    expect(await recordsOf(subject, sender)).toEqual([{ number: 2 }])
  })

  it('the retention deletes the audits of closed tasks, and keeps the whole trail of an open one', async () => {
    const [closed, open] = [await taskWith(subject, [{ wait: {} }]), await taskWith(subject, [{ wait: {} }])]
    await acted(subject, closed, 'close', { comment: 'Old.' })
    subject.clock.advanceSeconds(30 * DAY_SECONDS)
    await acted(subject, closed, 'comment', { comment: 'Still of interest.' })
    subject.clock.advanceSeconds(1)
    await sweep(30)
    expect(await auditsOf(closed.id)).toHaveLength(4)
    subject.clock.advanceSeconds(30 * DAY_SECONDS)
    await sweep(30)
    expect(await auditsOf(closed.id)).toEqual([])
    expect(await auditsOf(open.id)).toEqual(['TASK_AUDIT_EVENT_CREATED'])
    expect((await subject.get(`/api/v1/tasks/${closed.id}`)).status).toBe(200)
  })

  it('the retention deletes more than one statement may', async () => {
    const sender = await newSender(subject)
    await subject.database.query(
      `INSERT INTO runs (id, automation_id, version, listener_id, event_id, input, state, created_at, finished_at)
       SELECT 'old-' || n, $1, 1, $2, gen_random_uuid(), '', 'RUN_STATE_SUCCEEDED', '2001-01-01', '2001-01-01'
       FROM generate_series(1, 2001) AS n`,
      [sender.automationId, sender.listenerId],
    )
    await sweep(1)
    expect(await subject.database.query("SELECT FROM runs WHERE id LIKE 'old-%'")).toEqual([])
  })
})
