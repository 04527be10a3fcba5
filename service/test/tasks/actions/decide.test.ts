import { expect, it } from 'vitest'
import { describeService } from '../../support/databases.ts'
import { act, acted, taskWith } from '../../support/tasks.ts'

const APPROVAL = { approval: {} }
const outcomeOf = ({ type }: { readonly type: object }, kind: string) => Reflect.get(type, kind)

describeService('an approve or deny action', (subject) => {
  const now = () => new Date(subject.clock.now()).toISOString()

  it('a decision completes an approval and begins the next step', async () => {
    const task = await taskWith(subject, [APPROVAL, APPROVAL])
    const { body } = await act(subject, task, 'approve', { comment: 'fine', expandMask: { paths: ['*'] } })
    const after = body.taskView.task
    expect(after).toMatchObject({ state: 'TASK_STATE_OPEN', approverIds: ['user-ada'], commentCount: 1 })
    const approved = { approvedAt: now(), userId: 'user-ada', comment: 'fine' }
    expect(after.policy.history).toMatchObject([{ id: task.policy.current.id, approval: { approved } }])
    expect(after.policy.current.id).not.toBe(task.policy.current.id)
    expect(after.type.grant.outcome).toBe('GRANT_OUTCOME_UNSPECIFIED')
    expect(body.taskView.approversPath).toMatch(/^\$\.expanded\[\d\]$/)
    const { list } = (await subject.get(`/api/v1/tasks/${task.id}/actions`)).body
    expect(list.map(({ taskAction }) => [taskAction.id, taskAction.type])).toEqual([
      [body.ticketActionId, 'TASK_ACTION_TYPE_APPROVE'],
    ])
  })

  it.each([
    ['grant', 'GRANT_OUTCOME_GRANTED', 'GRANT_OUTCOME_DENIED'],
    ['revoke', 'REVOKE_OUTCOME_REVOKED', 'REVOKE_OUTCOME_DENIED'],
    ['certify', 'CERTIFY_OUTCOME_CERTIFIED', 'CERTIFY_OUTCOME_DECERTIFIED'],
    ['offboarding', 'OFFBOARDING_OUTCOME_DONE', 'OFFBOARDING_OUTCOME_CANCELLED'],
    ['action', 'ACTION_OUTCOME_SUCCESS', 'ACTION_OUTCOME_DENIED'],
    ['finding', 'FINDING_TASK_OUTCOME_REMEDIATED', 'FINDING_TASK_OUTCOME_CANCELLED'],
  ])('a decision closes a %s task at its last step, as %s or %s', async (kind, approved, denied) => {
    for (const [action, outcome] of [
      ['approve', approved],
      ['deny', denied],
    ] as const) {
      const task = await acted(subject, await taskWith(subject, [APPROVAL], kind), action)
      expect(task).toMatchObject({
        state: 'TASK_STATE_CLOSED',
        processing: 'TASK_PROCESSING_TYPE_DONE',
        policy: { current: null, next: [] },
      })
      expect(outcomeOf(task, kind)).toMatchObject({ outcome, outcomeTime: now() })
    }
  })

  it('a denial closes the task, whatever steps are left', async () => {
    const task = await taskWith(subject, [APPROVAL, APPROVAL, APPROVAL])
    const after = await acted(subject, task, 'deny', { comment: null })
    expect(after).toMatchObject({ state: 'TASK_STATE_CLOSED', approverIds: ['user-ada'], commentCount: 0 })
    const denied = { deniedAt: now(), userId: 'user-ada', comment: '' }
    expect(after.policy).toMatchObject({ current: null, history: [{ approval: { denied } }], next: [] })
    expect((await act(subject, task, 'approve')).body.code).toBe('task_closed')
  })

  it('a decision completes a step of another kind with the outcome fields of that kind', async () => {
    let task = await taskWith(subject, [{ provision: {} }, { wait: {} }, { form: {} }, { action: { a: 1 } }])
    for (let step = 0; step < 4; step++) task = await acted(subject, task, 'approve')
    const completed = { completedAt: now(), userId: 'user-ada', comment: '' }
    expect(task.policy.history).toMatchObject([
      { provision: { completed } },
      { wait: { completed } },
      { form: { completed } },
      { action: { action: { a: 1 }, success: completed, denied: null } },
    ])
    expect(task.type.grant.outcome).toBe('GRANT_OUTCOME_GRANTED')
    const denied = await acted(subject, await taskWith(subject, [{ action: {} }]), 'deny')
    expect(denied.policy.history[0].action).toMatchObject({ success: null, denied: { userId: 'user-ada' } })
  })

  it('a decision sets the outcome only if it ends the last step, not if that was skipped', async () => {
    const steps = [APPROVAL, { provision: {} }]
    const approved = await acted(subject, await taskWith(subject, steps), 'approve')
    const skipped = await acted(subject, approved, 'skip-step')
    expect(skipped.type.grant).toMatchObject({ outcome: 'GRANT_OUTCOME_UNSPECIFIED', outcomeTime: null })
    const first = await acted(subject, await taskWith(subject, steps), 'skip-step')
    const completed = await acted(subject, first, 'approve')
    expect(completed.type.grant.outcome).toBe('GRANT_OUTCOME_GRANTED')
  })

  it('a decision names each approver once, in order of decision', async () => {
    const alan = await subject.tokenWith('operator', 'user-alan')
    let task = await taskWith(subject, [APPROVAL, APPROVAL, APPROVAL])
    task = await acted(subject, task, 'approve', {}, alan)
    task = await acted(subject, task, 'approve')
    task = await acted(subject, task, 'deny', {}, alan)
    expect(task.approverIds).toEqual(['user-alan', 'user-ada'])
  })

  it('a decision succeeds once among ten racing approvals and five denials', async () => {
    const task = await taskWith(subject, [APPROVAL, APPROVAL])
    const asked = Array.from({ length: 10 }, (_, index) =>
      act(subject, task, index % 2 === 0 ? 'approve' : 'deny'),
    )
    const replies = (await Promise.all(asked)).map(({ status, body }) => `${status} ${body.code ?? ''}`)
    const after = (await subject.get(`/api/v1/tasks/${task.id}`)).body.taskView.task
    const refusal = after.state === 'TASK_STATE_CLOSED' ? '409 task_closed' : '409 policy_step_done'
    expect(replies.toSorted()).toEqual(['200 ', ...Array(9).fill(refusal)])
    expect([after.policy.history.length, after.approverIds]).toEqual([1, ['user-ada']])
    expect((await subject.get(`/api/v1/tasks/${task.id}/actions`)).body.list).toHaveLength(1)
  })

  it('a decision is refused wherever Skip Step is', async () => {
    const task = await taskWith(subject, [APPROVAL, APPROVAL])
    const other = await taskWith(subject, [APPROVAL])
    await acted(subject, task, 'approve')
    for (const action of ['approve', 'deny', 'reassign']) {
      const code = async (given: object, of = task) =>
        (await act(subject, of, action, { newStepUserIds: undefined, ...given })).body.code
      const valid = action === 'reassign' ? { newStepUserIds: ['user-alan'] } : {}
      expect([action, await code(valid)]).toEqual([action, 'policy_step_done'])
      expect(await code({ ...valid, policyStepId: other.policy.current.id })).toBe('policy_step_unknown')
      expect(await code({ ...valid, policyStepId: undefined })).toBe('request_invalid')
      expect(await code({ ...valid, comment: 'x'.repeat(4_097) })).toBe('request_invalid')
      expect(await code({ ...valid, expandMask: { paths: ['x'] } })).toBe('expand_path_unknown')
      expect(await code(valid, { ...task, id: 'none' })).toBe('task_unknown')
    }
  })
})
