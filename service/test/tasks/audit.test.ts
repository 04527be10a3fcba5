import { expect, it } from 'vitest'
import { newSender, send, workAll } from '../support/automations.ts'
import { describeService, type Subject } from '../support/databases.ts'
import { act, acted, taskWith } from '../support/tasks.ts'

async function auditsOf(subject: Subject, taskId: string) {
  const { status, body } = await subject.post('/api/v1/task/audits', { taskId, page_size: 100 })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.list.map(({ taskAudit }) => taskAudit)
}

describeService('POST /api/v1/task/audits', (subject) => {
  it('the audits list who did what and when, from the creation of a task to its end', async () => {
    const alan = await subject.tokenWith('operator', 'user-alan')
    const steps = [{ accept: { acceptMessage: 'ok' } }, { approval: {} }, { provision: {} }]
    const task = await taskWith(subject, steps)
    const begun = new Date(subject.clock.now()).toISOString()
    subject.clock.advanceSeconds(60)
    const later = await acted(subject, task, 'approve', { comment: 'fine' }, alan)
    const { body } = await act(subject, later, 'deny')
    const ended = new Date(subject.clock.now()).toISOString()
    const blank = {
      taskId: task.id,
      action: '',
      policyStepId: '',
      comment: '',
      outcome: '',
      userId: '',
      runId: '',
    }
    const [created, accepted, approved, denied, closed] = await auditsOf(subject, task.id)
    expect([created, accepted, approved, denied, closed]).toMatchObject([
      { ...blank, event: 'TASK_AUDIT_EVENT_CREATED', userId: 'user-ada', createdAt: begun },
      {
        ...{ ...blank, event: 'TASK_AUDIT_EVENT_ACCEPTED_BY_POLICY', comment: 'ok', createdAt: begun },
        policyStepId: task.policy.history[0].id,
      },
      {
        ...{ ...blank, event: 'TASK_AUDIT_EVENT_ACTION', action: 'TASK_ACTION_TYPE_APPROVE' },
        ...{ policyStepId: task.policy.current.id, comment: 'fine', userId: 'user-alan', createdAt: ended },
      },
      { event: 'TASK_AUDIT_EVENT_ACTION', action: 'TASK_ACTION_TYPE_DENY', userId: 'user-ada' },
      { ...blank, event: 'TASK_AUDIT_EVENT_CLOSED', outcome: 'GRANT_OUTCOME_DENIED', createdAt: ended },
    ])
    expect([denied?.id, await auditsOf(subject, task.numericId)]).toEqual([
      body.ticketActionId,
      await auditsOf(subject, task.id),
    ])
    const actions = (await subject.get(`/api/v1/tasks/${task.id}/actions`)).body.list
    expect(actions.map(({ taskAction }) => taskAction.id)).toEqual([approved?.id, denied?.id])
  })

  it('the audits name the run that acted for an automation’s author', async () => {
    const task = await taskWith(subject, [{ approval: { userIds: ['user-alan'] } }])
    const sender = await newSender(subject, {
      steps: [
        { type: 'skip_step', taskIdCel: 'ctx.trigger.task' },
        { type: 'create_task', taskCel: 'ctx.trigger.next' },
      ],
    })
    const next = { type: { offboarding: { subjectUserId: 'user-grace' } }, policyId: 'builtin-grant' }
    const { runId } = (await send(subject, sender, { task: task.id, next })).body
    await workAll(subject)
    const [, skipped] = await auditsOf(subject, task.id)
    expect(skipped).toMatchObject({ action: 'TASK_ACTION_TYPE_SKIP_STEP', userId: 'user-ada', runId })
    const { list } = (await subject.post('/api/v1/search/tasks', {})).body
    const [created] = await auditsOf(subject, list[0].task.id)
    expect(created).toMatchObject({ event: 'TASK_AUDIT_EVENT_CREATED', userId: 'user-ada', runId })
  })

  it('the audits come in pages, oldest first, to every role', async () => {
    const task = await taskWith(subject, [{ approval: {} }])
    for (let count = 0; count < 11; count++) await act(subject, task, 'comment', { comment: `${count}` })
    const viewer = await subject.tokenWith('viewer')
    const page = async (more: object) =>
      (await subject.post('/api/v1/task/audits', { taskId: task.id, page_size: 10, ...more }, viewer)).body
    const first = await page({})
    const second = await page({ page_token: first.nextPageToken })
    const comments = [...first.list, ...second.list].map(({ taskAudit }) => taskAudit.comment)
    expect([comments, second.nextPageToken]).toEqual([['', ...Array(11).keys()].map(String), ''])
    const other = await taskWith(subject, [{ approval: {} }])
    const foreign = { taskId: other.id, page_token: first.nextPageToken }
    expect((await subject.post('/api/v1/task/audits', foreign)).body.code).toBe('page_token_invalid')
    expect((await subject.post('/api/v1/task/audits', { taskId: 'none' })).body.code).toBe('task_unknown')
    expect((await subject.post('/api/v1/task/audits', {})).body.code).toBe('request_invalid')
  })
})
