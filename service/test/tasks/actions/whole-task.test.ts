import { expect, it } from 'vitest'
import { describeService } from '../../support/databases.ts'
import { act, acted, taskWith } from '../../support/tasks.ts'

const STEPS = [{ approval: { userIds: ['user-ada'] } }, { accept: {} }, { provision: { note: 1 } }]

describeService('comment', (subject) => {
  it('a comment is counted and kept, and does not advance the task', async () => {
    const task = await taskWith(subject, STEPS)
    subject.clock.advanceSeconds(5)
    const { body } = await act(subject, task, 'comment', { comment: 'hello' })
    const updatedAt = new Date(subject.clock.now()).toISOString()
    expect(body.taskView.task).toEqual({ ...task, commentCount: 1, updatedAt })
    const { list } = (await subject.get(`/api/v1/tasks/${task.id}/actions`)).body
    expect(list.map(({ taskAction }) => taskAction)).toMatchObject([
      { id: body.ticketActionId, type: 'TASK_ACTION_TYPE_COMMENT', comment: 'hello', policyStepId: '' },
    ])
  })

  it('a comment is allowed on a closed task, but must not be empty', async () => {
    const task = await taskWith(subject, [{ accept: {} }])
    const code = async (comment: unknown) => {
      const { status, body } = await subject.post(`/api/v1/tasks/${task.id}/action/comment`, { comment })
      return `${status} ${body.code ?? ''}`
    }
    expect(await code('late')).toBe('200 ')
    expect(await code('x'.repeat(4_096))).toBe('200 ')
    for (const wrong of ['', null, undefined, 'x'.repeat(4_097)])
      expect(await code(wrong)).toBe('400 request_invalid')
  })
})

describeService('close', (subject) => {
  it('closing cancels the task with its current step, whatever steps are left', async () => {
    const task = await acted(subject, await taskWith(subject, STEPS), 'close', { comment: 'never mind' })
    const now = new Date(subject.clock.now()).toISOString()
    const cancelled = { cancelledAt: now, userId: 'user-ada', comment: 'never mind' }
    expect(task).toMatchObject({
      state: 'TASK_STATE_CLOSED',
      processing: 'TASK_PROCESSING_TYPE_DONE',
      type: { grant: { outcome: 'GRANT_OUTCOME_CANCELLED', outcomeTime: now } },
      policy: { current: null, history: [{ approval: { cancelled } }], next: [] },
      ...{ commentCount: 1, approverIds: [], stepApproverIds: [], actions: ['TASK_ACTION_TYPE_COMMENT'] },
    })
    const again = await subject.post(`/api/v1/tasks/${task.id}/action/close`, {})
    expect([again.status, again.body.code]).toEqual([409, 'task_closed'])
  })

  it.each([
    ['revoke', 'REVOKE_OUTCOME_CANCELLED'],
    ['certify', 'CERTIFY_OUTCOME_CANCELLED'],
    ['offboarding', 'OFFBOARDING_OUTCOME_CANCELLED'],
    ['action', 'ACTION_OUTCOME_CANCELLED'],
    ['finding', 'FINDING_TASK_OUTCOME_CANCELLED'],
  ])('a closed %s task is %s', async (kind, outcome) => {
    const { type } = await acted(subject, await taskWith(subject, [{ approval: {} }], kind), 'close')
    expect(Reflect.get(type, kind)).toMatchObject({ outcome })
  })

  it('one close succeeds in a race of ten', async () => {
    const task = await taskWith(subject, STEPS)
    const replies = await Promise.all(Array.from({ length: 10 }, () => act(subject, task, 'close')))
    const said = replies.map(({ status, body }) => `${status} ${body.code ?? ''}`)
    expect(said.toSorted()).toEqual(['200 ', ...Array(9).fill('409 task_closed')])
  })
})

describeService('restart', (subject) => {
  it('a restart starts the workflow again and keeps the history', async () => {
    const task = await taskWith(subject, STEPS)
    const later = await acted(subject, task, 'approve')
    expect(later.policy.current.provision).toEqual({ note: 1 })
    const after = await acted(subject, later, 'restart', { comment: 'once more' })
    const { current, history, next } = after.policy
    expect([current.approval, next]).toEqual([{ userIds: ['user-ada'] }, task.policy.next])
    expect(history.map(({ id }) => id)).toEqual([
      ...later.policy.history.map(({ id }) => id),
      later.policy.current.id,
    ])
    expect(history.at(-1)?.provision).toMatchObject({
      note: 1,
      restarted: { userId: 'user-ada', comment: 'once more', oldPolicyStepId: later.policy.current.id },
    })
    expect(new Set([...history.map(({ id }) => id), current.id]).size).toBe(4)
    const { policy } = await acted(subject, after, 'approve')
    expect(policy.history.at(-1)?.accept).toMatchObject({ accepted: { userId: '' } })
    expect(policy.current.provision).toEqual({ note: 1 })
  })

  it('a restart may name the expected current step, and fails on a mismatch', async () => {
    const task = await taskWith(subject, STEPS)
    const policyStepId = task.policy.current.id
    const after = await acted(subject, task, 'restart', { policyStepId })
    const again = await act(subject, task, 'restart', { policyStepId })
    expect([again.status, again.body.code]).toEqual([409, 'policy_step_done'])
    const unknown = await act(subject, task, 'restart', { policyStepId: 'none' })
    expect([unknown.status, unknown.body.code]).toEqual([404, 'policy_step_unknown'])
    expect((await act(subject, task, 'restart', { policyStepId: null })).status).toBe(200)
    await act(subject, after, 'close')
    const closed = await act(subject, task, 'restart')
    expect([closed.status, closed.body.code]).toEqual([409, 'task_closed'])
  })
})
