import { expect, it } from 'vitest'
import { describeService, type Subject } from '../support/databases.ts'

/** A new task of three steps. */
async function newTask(subject: Subject) {
  const grant = { appId: 'app-payroll', appEntitlementId: 'entitlement-03', appUserId: 'app-user-grace' }
  const { status, body } = await subject.post('/api/v1/tasks', {
    type: { grant },
    policyId: 'policy-grant-three-steps',
  })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.taskView.task
}

const skip = (subject: Subject, task: string, body: unknown) =>
  subject.post(`/api/v1/tasks/${task}/action/skip-step`, body)

describeService('Skip Step', (subject) => {
  it('Skip Step ends the current step and begins the next with a new ID', async () => {
    const task = await newTask(subject)
    const { status, body } = await skip(subject, task.id, {
      policyStepId: task.policy.current.id,
      comment: 'urgent',
    })
    expect(status).toBe(200)
    const after = body.taskView.task
    expect(after.policy.history).toHaveLength(1)
    expect(after.policy.history[0]).toMatchObject({
      id: task.policy.current.id,
      state: 'POLICY_STEP_STATE_DONE',
      policyGenerationId: task.policyGenerationId,
      approval: { userIds: ['user-alan'], skipped: { userId: 'user-ada', comment: 'urgent' } },
      provision: null,
    })
    expect(after.policy.current).toMatchObject({ state: 'POLICY_STEP_STATE_ACTIVE', approval: {} })
    expect(after.policy.current.id).not.toBe(task.policy.current.id)
    expect(after.policy.next).toHaveLength(1)
    expect(after).toMatchObject({
      state: 'TASK_STATE_OPEN',
      commentCount: 1,
      stepApproverIds: ['user-ada', 'user-alan'],
    })
  })

  it('Skip Step treats a null comment as absent', async () => {
    const task = await newTask(subject)
    const policyStepId = task.policy.current.id
    const { status, body } = await skip(subject, task.id, { policyStepId, comment: null, expandMask: null })
    expect([status, body.taskView.task.commentCount]).toEqual([200, 0])
    expect(body.taskView.task.policy.history[0].approval?.skipped).toMatchObject({ comment: '' })
  })

  it('Skip Step accepts the numeric ID', async () => {
    const task = await newTask(subject)
    const { status, body } = await skip(subject, task.numericId, { policyStepId: task.policy.current.id })
    expect([status, body.taskView.task.id]).toEqual([200, task.id])
  })

  it('Skip Step writes an action record, whose ID it returns', async () => {
    const task = await newTask(subject)
    const { body } = await skip(subject, task.id, {
      policyStepId: task.policy.current.id,
      comment: 'because',
    })
    const actions = await subject.get(`/api/v1/tasks/${task.id}/actions`)
    expect(actions.body).toEqual({
      list: [
        {
          taskAction: {
            id: body.ticketActionId,
            taskId: task.id,
            type: 'TASK_ACTION_TYPE_SKIP_STEP',
            policyStepId: task.policy.current.id,
            comment: 'because',
            userId: 'user-ada',
            createdAt: new Date(subject.clock.now()).toISOString(),
          },
        },
      ],
      nextPageToken: '',
    })
  })

  it('Skip Step finishes the policy and the task at the last step', async () => {
    const task = await newTask(subject)
    let current = task
    for (let step = 0; step < 3; step++) {
      const reply = await skip(subject, task.id, { policyStepId: current.policy.current.id })
      current = reply.body.taskView.task
    }
    expect(current).toMatchObject({
      state: 'TASK_STATE_CLOSED',
      processing: 'TASK_PROCESSING_TYPE_DONE',
      actions: ['TASK_ACTION_TYPE_COMMENT'],
      type: { grant: { outcome: 'GRANT_OUTCOME_UNSPECIFIED', outcomeTime: null } },
      stepApproverIds: [],
      policy: { current: null, next: [] },
    })
    expect(current.policy.history).toHaveLength(3)
  })

  it('Skip Step succeeds once in a race of ten on one step; the others learn that it is done', async () => {
    const task = await newTask(subject)
    const body = { policyStepId: task.policy.current.id }
    const replies = await Promise.all(Array.from({ length: 10 }, () => skip(subject, task.id, body)))
    const outcomes = replies.map((reply) => `${reply.status} ${reply.body.code ?? 'done'}`).toSorted()
    expect(outcomes).toEqual(['200 done', ...Array(9).fill('409 policy_step_done')])
    const after = (await subject.get(`/api/v1/tasks/${task.id}`)).body.taskView.task
    expect([after.policy.history.length, after.policy.next.length]).toEqual([1, 1])
    expect((await subject.get(`/api/v1/tasks/${task.id}/actions`)).body.list).toHaveLength(1)
  })

  it('Skip Step succeeds once in a race of ten on the last step; the others learn that the task is closed', async () => {
    let task = await newTask(subject)
    for (let step = 0; step < 2; step++) {
      task = (await skip(subject, task.id, { policyStepId: task.policy.current.id })).body.taskView.task
    }
    const body = { policyStepId: task.policy.current.id }
    const replies = await Promise.all(Array.from({ length: 10 }, () => skip(subject, task.id, body)))
    const outcomes = replies.map((reply) => `${reply.status} ${reply.body.code ?? 'done'}`).toSorted()
    expect(outcomes).toEqual(['200 done', ...Array(9).fill('409 task_closed')])
  })
})

describeService('what Skip Step refuses', (subject) => {
  const refusal = async (task: string, body: unknown) => {
    const reply = await skip(subject, task, body)
    expect(reply.headers.get('content-type')).toBe('application/problem+json')
    expect(reply.body.status).toBe(reply.status)
    return `${reply.status} ${reply.body.code} ${reply.body.errors?.[0]?.pointer ?? ''}`.trim()
  }

  it('Skip Step refuses unknown names and late calls, each with its own code', async () => {
    const task = await newTask(subject)
    const policyStepId = task.policy.current.id
    const other = (await newTask(subject)).policy.current.id
    expect(await refusal('nobody', { policyStepId })).toBe('404 task_unknown')
    expect(await refusal('999999999999999999', { policyStepId })).toBe('404 task_unknown')
    expect(await refusal('9'.repeat(40), { policyStepId })).toBe('404 task_unknown')
    expect(await refusal(task.id, { policyStepId: 'none' })).toBe('404 policy_step_unknown')
    expect(await refusal(task.id, { policyStepId: other })).toBe('404 policy_step_unknown')
    expect(await refusal(task.id, {})).toBe('400 request_invalid /policyStepId')
    expect(await refusal(task.id, { policyStepId, state: 'x' })).toMatch('400 request_invalid')
    expect(await refusal(task.id, { policyStepId: 7 })).toBe('400 request_invalid /policyStepId')
    expect(await refusal(task.id, '{"policyStepId":')).toBe('400 body_not_json')
    expect(await refusal(task.id, { policyStepId, expandMask: { paths: ['*', 'ap_id'] } })).toBe(
      '400 expand_path_unknown',
    )
    expect(await refusal(task.id, { policyStepId, comment: 'a\0b' })).toBe('400 text_not_storable')
    expect(await refusal(task.id, { policyStepId, comment: '\ud800' })).toBe('400 text_not_storable')
    expect(await refusal(task.id, { policyStepId, comment: 'x'.repeat(300_000) })).toBe('413 body_too_large')
    const large = await skip(subject, task.id, { policyStepId, comment: 'x'.repeat(300_000) })
    expect(large.headers.get('connection')).toBe('close') // its rest stays unread, so the next request needs a new connection
    const after = (await subject.get(`/api/v1/tasks/${task.id}`)).body.taskView.task
    expect(after).toEqual(task)
    expect((await skip(subject, task.id, { policyStepId })).status).toBe(200)
    expect(await refusal(task.id, { policyStepId })).toBe('409 policy_step_done')
  })

  it('Skip Step refuses a body without a JSON Content-Type, curl’s default', async () => {
    const task = await newTask(subject)
    const reply = await subject.app.request(`/api/v1/tasks/${task.id}/action/skip-step`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${subject.token}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: JSON.stringify({ policyStepId: task.policy.current.id }),
    })
    const refused = { code: 'body_not_json', detail: expect.stringContaining('Content-Type') }
    expect([reply.status, await reply.json(), subject.reports]).toMatchObject([400, refused, []])
    expect((await subject.get(`/api/v1/tasks/${task.id}`)).body.taskView.task).toEqual(task)
  })

  it('Skip Step refuses a closed task', async () => {
    const task = await newTask(subject)
    await subject.database.query(`UPDATE tasks SET state = 'TASK_STATE_CLOSED' WHERE id = $1`, [task.id])
    expect(await refusal(task.id, { policyStepId: task.policy.current.id })).toBe('409 task_closed')
  })
})
