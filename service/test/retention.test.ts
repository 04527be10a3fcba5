import { PGlite } from '@electric-sql/pglite'
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

  it('the retention deletes tens of thousands of runs with their records while deliveries are answered', async () => {
    const sender = await newSender(subject)
    const count = subject.database.client instanceof PGlite ? 10_000 : 60_000
    const old = async (insert: string) =>
      subject.database.query(`${insert} FROM generate_series(1, ${count}) AS n`)
    await old(`INSERT INTO runs (id, automation_id, version, listener_id, event_id, input, state, created_at, finished_at)
      SELECT 'old-' || n, '${sender.automationId}', 1, '${sender.listenerId}', gen_random_uuid(), '', 'RUN_STATE_SUCCEEDED',
        '2001-01-01', '2001-01-01'`)
    await old(`INSERT INTO records (id, automation_id, run_id, value, created_at)
      SELECT 'old-' || n, '${sender.automationId}', 'old-' || n, '', '2001-01-01'`)
    let sweeping = true
    const swept = sweep(1).finally(() => {
      sweeping = false
    })
    let answered = 0
    for (; sweeping && answered < 20; answered += 1) await sendAccepted(subject, sender)
    await swept
    expect(answered).toBeGreaterThan(3)
    for (const table of ['runs', 'records'])
      expect(await subject.database.query(`SELECT FROM ${table} WHERE id LIKE 'old-%'`)).toEqual([])
  })
})
