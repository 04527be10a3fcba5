import { expect, it } from 'vitest'
import { describeService } from '../../support/databases.ts'
import { act, acted, taskWith } from '../../support/tasks.ts'

const NEW = { newStepUserIds: ['user-grace', 'user-ada'] }

describeService('reassign', (subject) => {
  it('a reassignment restarts the step for others and keeps the old one in the history', async () => {
    const task = await taskWith(subject, [
      { approval: { userIds: ['user-alan'], kept: 1 } },
      { approval: {} },
      { provision: {} },
    ])
    const after = await acted(subject, task, 'reassign', { ...NEW, comment: 'on leave' })
    const { current, history, next } = after.policy
    expect(after).toMatchObject({ stepApproverIds: NEW.newStepUserIds, commentCount: 1, approverIds: [] })
    expect(current.approval).toEqual({ userIds: NEW.newStepUserIds, kept: 1 })
    expect(next).toEqual(task.policy.next)
    const reassigned = {
      reassignedAt: new Date(subject.clock.now()).toISOString(),
      ...{ userId: 'user-ada', comment: 'on leave', newPolicyStepId: current.id },
    }
    expect(history.map(({ id, approval }) => [id, approval])).toEqual([
      [task.policy.current.id, { userIds: ['user-alan'], kept: 1, reassigned }],
    ])
    expect((await act(subject, task, 'approve')).body.code).toBe('policy_step_done')
    const approved = await acted(subject, after, 'approve')
    expect(approved.policy.history).toHaveLength(2)
    expect(approved.policy.next).toEqual([task.policy.next[1]])
  })

  it('a reassignment names the approvers of a step that had none', async () => {
    const task = await taskWith(subject, [{ provision: {} }])
    const after = await acted(subject, task, 'reassign', NEW)
    expect(after.policy.current.provision).toEqual({ userIds: NEW.newStepUserIds })
    expect(after.stepApproverIds).toEqual(NEW.newStepUserIds)
  })

  it('a reassignment requires a step with approvers and existing users', async () => {
    const code = async (step: object, given: object) =>
      (await act(subject, await taskWith(subject, [step]), 'reassign', given)).body.code
    expect(await code({ wait: {} }, NEW)).toBe('policy_step_unassigned')
    expect(await code({ approval: {} }, { newStepUserIds: ['user-ada', 'none'] })).toBe('reference_unknown')
    expect(await code({ approval: {} }, { newStepUserIds: [] })).toBe('request_invalid')
    expect(await code({ approval: {} }, { newStepUserIds: null })).toBe('request_invalid')
  })

  it('a reassignment can be repeated, and is undone by a restart', async () => {
    const task = await taskWith(subject, [{ approval: { userIds: ['user-alan'] } }, { provision: {} }])
    let after = task
    for (const userId of ['user-ada', 'user-grace', 'user-ada'])
      after = await acted(subject, after, 'reassign', { newStepUserIds: [userId] })
    expect([after.stepApproverIds, after.policy.history.length]).toEqual([['user-ada'], 3])
    const restarted = await acted(subject, after, 'restart')
    expect(restarted.stepApproverIds).toEqual(['user-alan'])
    expect([restarted.policy.history.length, restarted.policy.next]).toEqual([4, task.policy.next])
  })
})
