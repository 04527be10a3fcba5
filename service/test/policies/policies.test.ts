import { expect, it } from 'vitest'
import { policySchema } from '../../src/policies/schema.ts'
import { describeService } from '../support/databases.ts'

const STEPS = { steps: [{ approval: { userIds: ['user-alan'] } }, { wait: { waitDuration: '60s' } }] }
const KEY = '0b0e7d3c-0001-4000-8000-000000000001'

describeService('policies', (subject) => {
  const create = (body: object = {}) =>
    subject.post('/api/v1/policies', {
      displayName: 'p',
      policyType: 'POLICY_TYPE_GRANT',
      policySteps: { grant: STEPS },
      ...body,
    })
  const patch = (id: string, body: object) => subject.patch(`/api/v1/policies/${id}`, body)
  const created = async (body: object = {}) => {
    const reply = await create(body)
    expect(reply.status, JSON.stringify(reply.body)).toBe(200)
    return reply.body.policy
  }
  const oneStep = (step: object) => ({ policySteps: { grant: { steps: [step] } } })
  const codeOf = async (body: object) => {
    const reply = await create(body)
    return `${reply.status} ${reply.body.code ?? 'created'}`
  }

  it('policies have at most 100 levels in open-ended objects', async () => {
    const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)
    const { id } = await created({ scope: nested(99) })
    expect(await codeOf({ scope: nested(100) })).toBe('400 request_invalid')
    expect((await patch(id, { postActions: [nested(99)] })).body.code).toBe('request_invalid')
  })

  it('policies have exactly the specification’s fields', async () => {
    const policy = await created({ scope: { any: 1 }, postActions: [{ certifyRemediateImmediately: true }] })
    expect(policySchema.parse(policy)).toEqual(policy)
    expect(policy).toMatchObject({
      systemBuiltin: false,
      reassignTasksToDelegates: false,
      deletedAt: null,
      rules: null,
      policySteps: {
        grant: {
          steps: [
            { ...STEPS.steps[0], wait: null },
            { ...STEPS.steps[1], approval: null },
          ],
        },
      },
    })
    expect((await subject.get(`/api/v1/policies/${policy.id}`)).body).toEqual({ policy })
  })

  it('policies keep unknown members of a rule', async () => {
    const rule = {
      ...JSON.parse('{"__proto__": {"kept": true}}'),
      ...{ condition: 'true', policyKey: 'grant', policyId: null, kept: 1 },
    }
    const policy = await created({ rules: [rule] })
    expect(JSON.stringify(policy.rules)).toBe(JSON.stringify([rule]))
    const { body } = await patch(policy.id, { rules: [{ ...rule, kept: { any: 1 } }] })
    expect(body.policy.rules).toMatchObject([{ kept: { any: 1 }, policyId: null }])
    expect(await codeOf({ rules: [{ condition: 'true' }] })).toBe('400 request_invalid')
    expect(await codeOf({ rules: [{ condition: 'true', stepKey: 'grant' }] })).toBe('400 request_invalid')
    const named = { condition: 'true', policyKey: null, stepKey: 'grant' }
    expect(await codeOf({ rules: [named] })).toBe('400 request_invalid')
    expect(await codeOf({ rules: [{ condition: '', policyKey: 'grant' }] })).toBe('400 request_invalid')
  })

  it('policies take approvers from userIds', async () => {
    const approversOf = async (approval: object) => {
      const { id: policyId } = await created({ policySteps: { grant: { steps: [{ approval }] } } })
      const grant = { appId: 'app-payroll', appEntitlementId: 'entitlement-01' }
      const { body } = await subject.post('/api/v1/tasks', { type: { grant }, policyId })
      const { stepApproverIds, policy } = body.taskView.task
      expect(policy.current.approval).toEqual(approval)
      return stepApproverIds
    }
    const userIds = ['user-grace', 'user-ada', 'user-grace']
    expect(await approversOf({ userIds })).toEqual(['user-grace', 'user-ada'])
    expect(await approversOf({ userIds, users: { allowSelfApproval: true } })).toEqual([
      'user-grace',
      'user-ada',
    ])
    expect(await approversOf({ users: null, manager: {} })).toEqual([])
  })

  it.each(['approval', 'provision', 'accept', 'reject', 'wait', 'form', 'action'])(
    'policies refuse userIds in %s that name nobody, because the step would be open to every operator',
    async (kind) => {
      for (const userIds of ['user-ada', null, [1]])
        expect(await codeOf(oneStep({ [kind]: { userIds } }))).toBe('400 request_invalid')
    },
  )

  it.each(['approval', 'provision', 'accept', 'reject', 'wait', 'form', 'action'])(
    'policies refuse users.userIds in %s, because it names nobody',
    async (kind) => {
      for (const userIds of [['user-ada'], [], null]) {
        const { status, body } = await create(oneStep({ [kind]: { users: { userIds } } }))
        expect([status, body.errors]).toEqual([
          400,
          [
            {
              pointer: `/policySteps/grant/steps/0/${kind}/users/userIds`,
              detail: 'is not read; name the users in `userIds` of the step itself',
            },
          ],
        ])
      }
    },
  )

  it('policies are listed in pages', async () => {
    for (let count = 0; count < 10; count++) await create()
    const seen: string[] = []
    let token = ''
    do {
      const { body } = await subject.get(`/api/v1/policies?page_size=10&page_token=${token}`)
      seen.push(...body.list.map((element: { policy: { id: string } }) => element.policy.id))
      token = body.nextPageToken
    } while (token !== '')
    const [count] = await subject.database.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM policies',
    )
    expect(seen).toHaveLength(count?.count ?? 0)
    expect(new Set(seen).size).toBe(seen.length)
  })

  it('policies keep the fields that a PATCH omits', async () => {
    const before = await created({ description: 'old' })
    subject.clock.advanceSeconds(5)
    const { body } = await patch(before.id, { displayName: 'new' })
    const updatedAt = new Date(subject.clock.now()).toISOString()
    expect(body.policy).toEqual({ ...before, displayName: 'new', updatedAt })
  })

  it('policies lose what a PATCH sets to null or to an empty text, and refuse to lose more', async () => {
    const rules = [{ condition: 'true', policyKey: 'grant' }]
    const full = { description: 'old', rules, scope: { any: 1 }, postActions: [{ any: 1 }] }
    const before = await created({ ...full, annotations: { a: '1', b: '2' } })
    const cleared = { description: '', rules: null, scope: null, postActions: null }
    const { body } = await patch(before.id, { ...cleared, annotations: { a: '' } })
    const after = { ...before, ...cleared, annotations: { b: '2' }, updatedAt: body.policy.updatedAt }
    expect(body.policy).toEqual(after)
    for (const name of ['displayName', 'description', 'policySteps', 'baselinePolicyId', 'annotations']) {
      const reply = await patch(before.id, { [name]: null })
      expect([name, reply.status, reply.body.code]).toEqual([name, 400, 'request_invalid'])
    }
    for (const unset of [
      { displayName: '' },
      { id: before.id },
      { updateMask: 'rules' },
      { policyType: 'x' },
    ])
      expect((await patch(before.id, unset)).body.code).toBe('request_invalid')
    expect((await patch(before.id, { policySteps: {} })).body.code).toBe('policy_invalid')
    expect((await subject.get(`/api/v1/policies/${before.id}`)).body.policy).toEqual(after)
  })

  it('policies cannot be edited if built in', async () => {
    for (const body of [{ displayName: 'x' }, {}, { annotations: { a: 'b' } }]) {
      const reply = await patch('builtin-grant', body)
      expect([reply.status, reply.body.code]).toEqual([409, 'policy_builtin'])
    }
    expect((await subject.get('/api/v1/policies/builtin-grant')).body.policy).toMatchObject({
      systemBuiltin: true,
      displayName: 'Grant (built in)',
    })
  })

  it('policies must be consistent: a baseline key per type, other keys UUIDs, rules with an existing entry', async () => {
    const condition = 'true'
    expect(await codeOf({ policySteps: { GRANT: STEPS } })).toBe('400 policy_invalid')
    expect(await codeOf({ policySteps: { revoke: STEPS } })).toBe('400 policy_invalid')
    expect(await codeOf({ policySteps: { grant: STEPS, extra: STEPS } })).toBe('400 policy_invalid')
    expect(await codeOf({ policySteps: { grant: STEPS, [KEY]: STEPS } })).toBe('200 created')
    expect(await codeOf({ rules: [{ condition, policyKey: KEY }] })).toBe('400 policy_invalid')
    expect(await codeOf({ rules: [{ condition, policyKey: 'toString' }] })).toBe('400 policy_invalid')
    expect(await codeOf({ rules: [{ condition, policyKey: 'grant' }] })).toBe('200 created')
    expect(await codeOf({ rules: [{ condition: 'ctx.task ==', policyKey: 'grant' }] })).toBe(
      '400 policy_invalid',
    )
    expect(await codeOf({ rules: [{ condition: '"text"', policyKey: 'grant' }] })).toBe('400 policy_invalid')
    expect(await codeOf({ rules: [{ condition: 'process.exit()', policyKey: 'grant' }] })).toBe(
      '400 policy_invalid',
    )
  })

  it.each([
    ['POLICY_TYPE_REVOKE', 'revoke'],
    ['POLICY_TYPE_CERTIFY', 'certify'],
    ['POLICY_TYPE_ACCESS_REQUEST', 'access_request'],
    ['POLICY_TYPE_PROVISION', 'provision'],
  ])('policies of type %s have their baseline under %s', async (policyType, key) => {
    expect(await codeOf({ policyType, policySteps: { [key]: STEPS } })).toBe('200 created')
    expect(await codeOf({ policyType, policySteps: { grant: STEPS } })).toBe('400 policy_invalid')
  })

  it.each([
    [{ systemBuiltin: true }],
    [{ id: 'x' }],
    [{ policyType: 'POLICY_TYPE_UNSPECIFIED' }],
    [{ policySteps: { grant: { steps: [] } } }],
    [{ policySteps: { grant: { steps: [{}] } } }],
    [{ policySteps: { grant: { steps: [{ approval: {}, wait: {} }] } } }],
    [{ policySteps: { grant: { steps: [{ dance: {} }] } } }],
  ])('policies are refused with %j', async (wrong) => {
    expect(await codeOf(wrong)).toBe('400 request_invalid')
  })

  it('policies refuse steps with a non-string acceptMessage or an outcome', async () => {
    expect(await codeOf(oneStep({ accept: { acceptMessage: 'Fine.' } }))).toBe('200 created')
    expect(await codeOf(oneStep({ accept: { acceptMessage: 5 } }))).toBe('400 request_invalid')
    for (const kind of ['approval', 'provision', 'accept', 'reject', 'wait', 'form']) {
      expect(await codeOf(oneStep({ [kind]: { skipped: {} } }))).toBe('400 request_invalid')
    }
  })

  it('policies keep an unknown policy type', async () => {
    const { id } = await created()
    await subject.database.query(`UPDATE policies SET policy_type = 'POLICY_TYPE_DREAM' WHERE id = $1`, [id])
    expect((await subject.get(`/api/v1/policies/${id}`)).body.policy.policyType).toBe('POLICY_TYPE_DREAM')
  })

  it('policies are readable by every role and writable by super admins only', async () => {
    const { id } = await created()
    for (const role of ['operator', 'viewer'] as const) {
      const token = await subject.tokenWith(role)
      expect((await subject.get(`/api/v1/policies/${id}`, token)).status).toBe(200)
      expect((await subject.patch(`/api/v1/policies/${id}`, { displayName: 'x' }, token)).status).toBe(403)
      const body = { displayName: 'p', policyType: 'POLICY_TYPE_GRANT', policySteps: { grant: STEPS } }
      expect((await subject.post('/api/v1/policies', body, token)).status).toBe(403)
    }
  })

  it('policies get 404 if unknown', async () => {
    expect((await subject.get('/api/v1/policies/none')).body.code).toBe('policy_unknown')
    expect((await patch('none', { displayName: 'x' })).body.code).toBe('policy_unknown')
  })
})
