import { expect, it } from 'vitest'
import { describeService } from '../support/databases.ts'

const [FIRST, SECOND] = ['0b0e7d3c-0001-4000-8000-000000000001', '0b0e7d3c-0002-4000-8000-000000000002']
const approvalBy = (...userIds: string[]) => ({ steps: [{ approval: { userIds } }] })

describeService('the steps of a task', (subject) => {
  const policy = async (body: object) => {
    const reply = await subject.post('/api/v1/policies', {
      displayName: 'p',
      policyType: 'POLICY_TYPE_GRANT',
      ...body,
    })
    expect(reply.status, JSON.stringify(reply.body)).toBe(200)
    return reply.body.policy.id as string
  }
  const task = async (policyId: string, more: object = {}) => {
    const grant = { appId: 'app-payroll', appEntitlementId: 'entitlement-01', identityUserId: 'user-grace' }
    return subject.post('/api/v1/tasks', { type: { grant }, policyId, ...more })
  }
  /** The approvers of a new task's first step, which show the selected steps. */
  const actors = async (policyId: string, more: object = {}) =>
    (await task(policyId, more)).body.taskView.task.stepApproverIds

  const ruled = (...conditions: string[]) => ({
    policySteps: {
      grant: approvalBy('baseline'),
      [FIRST]: approvalBy('first'),
      [SECOND]: approvalBy('second'),
    },
    rules: conditions.map((condition, index) => ({ condition, policyKey: index === 0 ? FIRST : SECOND })),
  })

  it('the steps come from the first matching rule', async () => {
    expect(await actors(await policy(ruled('true', 'true')))).toEqual(['first'])
    expect(await actors(await policy(ruled('false', 'true')))).toEqual(['second'])
  })

  it('the steps come from the baseline if no rule matches', async () => {
    expect(await actors(await policy(ruled('false', 'false')))).toEqual(['baseline'])
    expect(await actors(await policy({ ...ruled(), rules: [] }))).toEqual(['baseline'])
    expect(await actors(await policy({ ...ruled(), rules: null }))).toEqual(['baseline'])
  })

  it('the steps depend on the task and its target user', async () => {
    const id = await policy(
      ruled('ctx.task.emergencyAccess && has(ctx.task.type.grant)', 'ctx.user.email.startsWith("grace@")'),
    )
    expect(await actors(id, { emergencyAccess: true })).toEqual(['first'])
    expect(await actors(id)).toEqual(['second'])
    expect(await actors(id, { userId: 'user-alan' })).toEqual(['baseline'])
  })

  it('the steps cannot come from a rule that fails or is not boolean, so the task is refused', async () => {
    for (const condition of ['ctx.task.data.missing == 1', 'ctx.task.description']) {
      const { status, body } = await task(await policy(ruled(condition, 'true')))
      expect([status, body.code]).toEqual([409, 'policy_rule_failed'])
    }
  })

  it('the steps need no evaluation of rules after the matching one', async () => {
    expect(await actors(await policy(ruled('true', 'ctx.task.data.missing == 1')))).toEqual(['first'])
  })

  it('the steps come from the policy that the baseline defers to, including its rules', async () => {
    const last = await policy(ruled('ctx.task.emergencyAccess'))
    const middle = await policy({ baselinePolicyId: last })
    const id = await policy({
      ...ruled('false'),
      policySteps: { [FIRST]: approvalBy('x') },
      baselinePolicyId: middle,
    })
    expect(await actors(id)).toEqual(['baseline'])
    expect(await actors(id, { emergencyAccess: true })).toEqual(['first'])
  })

  it('the steps stay unchanged when the policy changes, and the task shows its policy generation', async () => {
    const id = await policy(ruled())
    const before = (await task(id)).body.taskView.task
    await subject.patch(`/api/v1/policies/${id}`, {
      policySteps: { grant: approvalBy('other', 'new') },
      rules: [],
    })
    const same = (await subject.get(`/api/v1/tasks/${before.id}`)).body.taskView.task
    expect(same).toEqual(before)
    const after = (await task(id)).body.taskView.task
    expect(after.stepApproverIds).toEqual(['other', 'new'])
    expect(after.policyGenerationId).not.toBe(before.policyGenerationId)
    expect(after.policy.policy.policySteps.grant?.steps).toMatchObject(approvalBy('other', 'new').steps)
    const { list } = (await subject.post('/api/v1/search/tasks', {})).body
    expect(list.slice(0, 2).map((view) => view.task)).toEqual([after, before])
  })

  it('the steps name the generation of the policy that they come from, also after a restart', async () => {
    const last = await policy({ policySteps: { grant: approvalBy('old') } })
    const id = await policy({ baselinePolicyId: await policy({ baselinePolicyId: last }) })
    await subject.patch(`/api/v1/policies/${last}`, { policySteps: { grant: approvalBy('a', 'b') } })
    const generationOf = async (policyId: string) =>
      (await task(policyId)).body.taskView.task.policyGenerationId
    const created = (await task(id)).body.taskView.task
    const used = await generationOf(last)
    expect([created.policy.current.policyGenerationId, created.policyGenerationId]).toEqual([
      used,
      await generationOf(id),
    ])
    expect(used).not.toBe(created.policyGenerationId)
    expect(created.policy.policy.id).toBe(id)

    await subject.patch(`/api/v1/policies/${last}`, { policySteps: { grant: approvalBy('new') } })
    await subject.patch(`/api/v1/policies/${id}`, { displayName: 'Edited' })
    const path = `/api/v1/tasks/${created.id}`
    const restarted = (await subject.post(`${path}/action/restart`, {})).body.taskView.task
    const { current, history } = restarted.policy
    expect([current, ...history].map((step) => step.policyGenerationId)).toEqual([used, used])
    expect(current.approval).toEqual({ userIds: ['a', 'b'] })
    expect(restarted.policyGenerationId).toBe(created.policyGenerationId)
  })

  it('the steps name the generation of the task’s own policy if one of its rules selects them', async () => {
    const last = await policy({ policySteps: { grant: approvalBy('last') } })
    const rules = [{ condition: 'true', policyKey: FIRST }]
    const own = { policySteps: { [FIRST]: approvalBy('own') }, rules, baselinePolicyId: last }
    const created = (await task(await policy(own))).body.taskView.task
    expect(created.policy.current.policyGenerationId).toBe(created.policyGenerationId)
  })
})
