import { expect, it } from 'vitest'
import { describeService } from '../support/databases.ts'

const STEPS = { steps: [{ approval: { userIds: ['user-alan'] } }] }

describeService('POST /api/v1/policies/{policy_id}', (subject) => {
  const created = async () => {
    const { body } = await subject.post('/api/v1/policies', {
      ...{ displayName: 'p', description: 'old', policyType: 'POLICY_TYPE_GRANT' },
      ...{ policySteps: { grant: STEPS }, rules: [{ condition: 'true', policyKey: 'grant' }] },
      ...{ scope: { any: 1 }, postActions: [{ any: 1 }], annotations: { a: '1', b: '2' } },
    })
    subject.clock.advanceSeconds(1)
    return body.policy
  }
  const update = (id: string, body: object) => subject.post(`/api/v1/policies/${id}`, body)
  const codeOf = async (id: string, body: object) => {
    const reply = await update(id, body)
    return `${reply.status} ${reply.body.code ?? 'updated'}`
  }
  const now = () => new Date(subject.clock.now()).toISOString()

  it('the operation sets only the fields that the mask names', async () => {
    const before = await created()
    const policy = { ...before, displayName: 'new', description: 'new' }
    const { status, body } = await update(before.id, { policy, updateMask: 'displayName' })
    expect([status, body]).toEqual([200, { policy: { ...before, displayName: 'new', updatedAt: now() } }])
  })

  it('the operation accepts the whole object as read, read-only fields included, with or without a mask', async () => {
    const before = await created()
    for (const updateMask of [undefined, null, '', '*']) {
      const { body } = await update(before.id, { policy: { ...before, systemBuiltin: true }, updateMask })
      expect([updateMask, body.policy]).toEqual([updateMask, { ...before, updatedAt: now() }])
    }
  })

  it('the operation accepts several names in camel or snake case, separated by spaces too', async () => {
    const before = await created()
    const policy = { displayName: 'new', rules: null, scope: { other: 2 } }
    const { body } = await update(before.id, { policy, updateMask: 'display_name, rules' })
    expect(body.policy).toEqual({ ...before, displayName: 'new', rules: null, updatedAt: now() })
  })

  it('the operation clears a field that the mask names and the object lacks, but only with a mask', async () => {
    const before = await created()
    const kept = await update(before.id, { policy: { displayName: 'new' } })
    expect(kept.body.policy).toEqual({ ...before, displayName: 'new', updatedAt: now() })
    const updateMask = 'description,rules,scope,postActions'
    const { body } = await update(before.id, { policy: {}, updateMask })
    const cleared = { description: '', rules: null, scope: null, postActions: null }
    expect(body.policy).toEqual({ ...before, displayName: 'new', ...cleared, updatedAt: now() })
  })

  it('the operation merges annotations, deleting keys with an empty value', async () => {
    const { id } = await created()
    const policy = { annotations: { a: '', c: '3' } }
    const { body } = await update(id, { policy, updateMask: 'annotations' })
    expect(body.policy.annotations).toEqual({ b: '2', c: '3' })
  })

  it('the operation moves the baseline to another policy in one request', async () => {
    const [one, other] = [await created(), await created()]
    const policy = { baselinePolicyId: other.id, policySteps: {}, rules: null }
    expect(await codeOf(one.id, { policy, updateMask: 'baselinePolicyId' })).toBe('400 policy_invalid')
    const updateMask = 'baselinePolicyId,policySteps,rules'
    expect(await codeOf(one.id, { policy, updateMask })).toBe('200 updated')
  })

  it('the operation refuses a mask with an unsettable field or one that clears a required field', async () => {
    const before = await created()
    for (const updateMask of [
      'policyType',
      'id',
      'nonsense',
      'policySteps.grant',
      'displayName,',
      '__proto__',
    ]) {
      const reply = await update(before.id, { policy: before, updateMask })
      expect([updateMask, reply.status, reply.body.errors?.[0].pointer]).toEqual([
        updateMask,
        400,
        '/updateMask',
      ])
    }
    expect(await codeOf(before.id, { policy: {}, updateMask: 'displayName' })).toBe('400 request_invalid')
    expect(await codeOf(before.id, { policy: {}, updateMask: 'policySteps' })).toBe('400 policy_invalid')
    expect(await codeOf(before.id, { updateMask: 'rules' })).toBe('400 request_invalid')
    expect(await codeOf(before.id, { policy: { displayNam: 'x' } })).toBe('400 request_invalid')
    expect((await subject.get(`/api/v1/policies/${before.id}`)).body.policy).toEqual(before)
  })

  it('the operation refuses what PATCH refuses', async () => {
    expect(await codeOf('none', { policy: { displayName: 'x' } })).toBe('404 policy_unknown')
    expect(await codeOf('builtin-grant', { policy: { displayName: 'x' } })).toBe('409 policy_builtin')
  })
})
