import { expect, it } from 'vitest'
import { describeService } from '../../support/databases.ts'
import { acted, taskWith } from '../../support/tasks.ts'

const APPROVAL = { approval: {} }

describeService('an automatic step', (subject) => {
  const now = () => new Date(subject.clock.now()).toISOString()
  const closedAs = (outcome: string) => ({
    state: 'TASK_STATE_CLOSED',
    processing: 'TASK_PROCESSING_TYPE_DONE',
    type: { grant: { outcome: `GRANT_OUTCOME_${outcome}`, outcomeTime: now() } },
    policy: { current: null, next: [] },
  })

  it('an automatic step accepts at once with its message as a comment, and begins the next step', async () => {
    const task = await taskWith(subject, [{ accept: { acceptMessage: 'ok' } }, { provision: {} }])
    expect(task).toMatchObject({ state: 'TASK_STATE_OPEN', commentCount: 1, approverIds: [] })
    const accepted = { acceptedAt: now(), userId: '', comment: 'ok' }
    expect(task.policy.history).toMatchObject([
      { state: 'POLICY_STEP_STATE_DONE', accept: { acceptMessage: 'ok', accepted } },
    ])
    expect(task.policy.current.provision).toEqual({})
  })

  it('an automatic step closes the task with the positive outcome if accept comes last, on creation or later', async () => {
    expect(await taskWith(subject, [{ accept: {} }, { accept: {} }])).toMatchObject(closedAs('GRANTED'))
    const task = await taskWith(subject, [APPROVAL, { accept: {} }])
    expect(await acted(subject, task, 'skip-step')).toMatchObject(closedAs('GRANTED'))
  })

  it('an automatic step closes the task as denied if it is reject, whatever steps are left', async () => {
    const steps = [APPROVAL, { reject: { rejectMessage: 'no' } }, APPROVAL, { accept: {} }]
    const task = await acted(subject, await taskWith(subject, steps), 'approve', { comment: 'yes' })
    expect(task).toMatchObject({ ...closedAs('DENIED'), commentCount: 2, approverIds: ['user-ada'] })
    const rejected = { rejectedAt: now(), userId: '', comment: 'no' }
    expect(task.policy.history).toMatchObject([{ approval: {} }, { reject: { rejected } }])
    expect(task.policy.history).toHaveLength(2)
    expect(await taskWith(subject, [{ reject: {} }, APPROVAL])).toMatchObject(closedAs('DENIED'))
  })

  it.each(['wait', 'form', 'action', 'provision'])(
    'an automatic step does not include %s, which waits for a user',
    async (kind) => {
      const task = await taskWith(subject, [{ [kind]: {} }, { accept: {} }])
      expect([task.state, task.policy.history]).toEqual(['TASK_STATE_OPEN', []])
    },
  )

  it('an automatic step runs fifty times in one request', async () => {
    const task = await taskWith(subject, Array(50).fill({ accept: {} }))
    expect(task.policy.history).toHaveLength(50)
    expect(task).toMatchObject(closedAs('GRANTED'))
  })

  it.each(['skipped', 'approved', 'accepted', 'cancelled'])(
    'an automatic step cannot have its outcome set by the policy: %s',
    async (ending) => {
      const policySteps = { grant: { steps: [{ approval: { [ending]: {} } }] } }
      const policy = { displayName: 'p', policyType: 'POLICY_TYPE_GRANT', policySteps }
      const { status, body } = await subject.post('/api/v1/policies', policy)
      expect([status, body.code]).toEqual([400, 'request_invalid'])
    },
  )
})
