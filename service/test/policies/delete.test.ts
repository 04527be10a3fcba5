import { expect, it } from 'vitest'
import { describeService } from '../support/databases.ts'

const STEPS = { steps: [{ approval: {} }, { approval: {} }] }
const TARGET = { appId: 'app-payroll', appEntitlementId: 'entitlement-01' }

describeService('DELETE of a policy', (subject) => {
  const create = async (body: object = { policySteps: { grant: STEPS } }) => {
    const policy = { displayName: 'p', policyType: 'POLICY_TYPE_GRANT', ...body }
    const reply = await subject.post('/api/v1/policies', policy)
    return `${reply.body.policy?.id ?? reply.body.detail}`
  }
  const codeOf = async (method: string, path: string, body?: object) => {
    const reply = await subject.ask(method, `/api/v1/${path}`, body)
    return `${reply.status} ${reply.body.code ?? 'done'}`
  }
  const remove = (id: string) => codeOf('DELETE', `policies/${id}`)

  it('every route of a deleted policy answers 404', async () => {
    const id = await create()
    expect(await remove(id)).toBe('200 done')
    expect(await remove(id)).toBe('404 policy_unknown')
    expect(await codeOf('GET', `policies/${id}`)).toBe('404 policy_unknown')
    expect(await codeOf('PATCH', `policies/${id}`, { displayName: 'x' })).toBe('404 policy_unknown')
    expect(await codeOf('POST', 'tasks', { type: { grant: TARGET }, policyId: id })).toBe(
      '404 policy_unknown',
    )
    expect(await create({ baselinePolicyId: id })).toContain('names no policy')
    const { list } = (await subject.get('/api/v1/policies?page_size=100')).body
    expect(list.map(({ policy }) => policy.id)).not.toContain(id)
  })

  it('running tasks keep their original steps', async () => {
    const policyId = await create()
    const { task } = (await subject.post('/api/v1/tasks', { type: { grant: TARGET }, policyId })).body
      .taskView
    await remove(policyId)
    expect((await subject.get(`/api/v1/tasks/${task.id}`)).body.taskView.task).toEqual(task)
    const path = `/api/v1/tasks/${task.id}/action/skip-step`
    const { body } = await subject.post(path, { policyStepId: task.policy.current.id })
    expect(body.taskView.task.policy.history).toHaveLength(1)
  })

  it('a policy is not deleted if it is built in or another one defers to it', async () => {
    const base = await create()
    const deferring = await create({ baselinePolicyId: base })
    expect(await remove('builtin-grant')).toBe('409 policy_builtin')
    expect(await remove(base)).toBe('409 policy_in_use')
    expect(await remove(deferring)).toBe('200 done')
    expect(await remove(base)).toBe('200 done')
  })

  it('a DELETE never succeeds together with a racing reference to the policy', async () => {
    for (let round = 0; round < 10; round++) {
      const base = await create()
      const [removed, deferring] = await Promise.all([remove(base), create({ baselinePolicyId: base })])
      const isRefused = deferring.includes('names no policy')
      expect([removed, isRefused]).toEqual(isRefused ? ['200 done', true] : ['409 policy_in_use', false])
    }
  })

  it('a DELETE requires the role super_admin', async () => {
    const token = await subject.tokenWith('operator')
    const reply = await subject.ask('DELETE', `/api/v1/policies/${await create()}`, undefined, token)
    expect([reply.status, reply.body.code]).toEqual([403, 'forbidden'])
  })
})
