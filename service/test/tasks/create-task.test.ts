import { expect, it } from 'vitest'
import { describeService } from '../support/databases.ts'

const TARGET = { appId: 'app-payroll', appEntitlementId: 'entitlement-01' }

describeService('POST /api/v1/tasks', (subject) => {
  const create = (body: object) => subject.post('/api/v1/tasks', body)
  const code = async (body: object) => {
    const reply = await create(body)
    return `${reply.status} ${reply.body.code ?? 'created'}`
  }

  it.each([
    ['grant', { ...TARGET, identityUserId: 'user-grace' }, 'builtin-grant', 'user-grace'],
    ['revoke', { ...TARGET, appUserId: 'app-user-grace' }, 'builtin-revoke', 'user-grace'],
    ['certify', { ...TARGET, accessReviewId: 'review-payroll' }, 'builtin-certify', ''],
  ])('a %s task has the built-in policy by default', async (kind, fields, policy, userId) => {
    const { status, body } = await create({ type: { [kind]: fields } })
    expect(status).toBe(200)
    const { task } = body.taskView
    expect(task).toMatchObject({ state: 'TASK_STATE_OPEN', userId, createdByUserId: 'user-ada' })
    expect(task.policy.policy.id).toBe(policy)
    expect(Reflect.get(task.type, kind)).toMatchObject({ ...fields, outcomeTime: null })
  })

  it('a certify task shows the access review that owns it', async () => {
    const { body } = await create({ type: { certify: { ...TARGET, accessReviewId: 'review-payroll' } } })
    expect(body.taskView.task.type.certify).toMatchObject({
      accessReviewId: 'review-payroll',
      accessReviewSelection: 'review-payroll',
    })
    expect(await code({ type: { certify: { ...TARGET, accessReviewId: '' } } })).toBe('400 request_invalid')
  })

  it.each([
    ['offboarding', { subjectUserId: 'user-grace' }],
    ['action', { toolCall: { tool: 'deploy' } }],
    ['finding', { findingId: 'f', findingType: 't' }],
  ])('the operation requires a policy for %s, which has no built-in one', async (kind, fields) => {
    expect(await code({ type: { [kind]: fields } })).toBe('400 policy_invalid')
    expect(await code({ type: { [kind]: fields }, policyId: 'builtin-grant' })).toBe('200 created')
  })

  it('the operation requires exactly one target for an action task, and returns it unchanged', async () => {
    const policyId = 'builtin-grant'
    for (const target of [{ scopeRole: { id: 's' } }, { toolCall: { tool: 't' } }, { finding: {} }]) {
      const { status, body } = await create({ type: { action: target }, policyId })
      expect([target, status]).toEqual([target, 200])
      const { scopeRole, toolCall, finding } = body.taskView.task.type.action
      const none = { scopeRole: null, toolCall: null, finding: null }
      expect({ scopeRole, toolCall, finding }).toEqual({ ...none, ...target })
    }
    expect(await code({ type: { action: {} }, policyId })).toBe('400 request_invalid')
    expect(await code({ type: { action: { scopeRole: null } }, policyId })).toBe('400 request_invalid')
    expect(await code({ type: { action: { scopeRole: {}, finding: {} } }, policyId })).toBe(
      '400 request_invalid',
    )
  })

  it('the operation refuses data with more than 100 levels, counted from the request', async () => {
    const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)
    const type = { grant: TARGET }
    expect(await code({ type, data: nested(99) })).toBe('200 created')
    expect(await code({ type, data: nested(100) })).toBe('400 request_invalid')
    expect(await code({ type, data: { list: JSON.parse('['.repeat(4000) + ']'.repeat(4000)) } })).toBe(
      '400 request_invalid',
    )
    const tooDeepToWrite = `{"type":{"grant":${JSON.stringify(TARGET)}},"data":${'{"a":'.repeat(40_000)}1${'}'.repeat(40_001)}`
    expect((await subject.post('/api/v1/tasks', tooDeepToWrite)).body.code).toBe('request_invalid')
    expect((await subject.post('/api/v1/search/tasks', {})).status).toBe(200)
  })

  it.each(['1e400', '-1e400', '[{"a":[1e309]}]'])(
    'the operation refuses a number beyond doubles instead of storing null: %s',
    async (number) => {
      const text = (n: string) => `{"type":{"grant":${JSON.stringify(TARGET)}},"data":{"n":${n}}}`
      expect((await subject.post('/api/v1/tasks', text(number))).body.code).toBe('request_invalid')
      expect((await subject.post('/api/v1/tasks', text('1e308'))).body.taskView.task.data).toEqual({
        n: 1e308,
      })
    },
  )

  it('the operation returns exactly one non-null member of the type', async () => {
    const { body } = await create({ type: { grant: TARGET, revoke: null } })
    const type = body.taskView.task.type
    expect(Object.keys(type).toSorted()).toEqual([
      'action',
      'certify',
      'finding',
      'grant',
      'offboarding',
      'revoke',
    ])
    expect(Object.values(type).filter((member) => member !== null)).toHaveLength(1)
    expect(await code({ type: { grant: TARGET, revoke: TARGET } })).toBe('400 request_invalid')
    expect(await code({ type: { grant: null } })).toBe('400 request_invalid')
  })

  it('the operation treats null as absent in every nullable field', async () => {
    const policyId = 'builtin-grant'
    for (const body of [
      { type: { grant: { ...TARGET, grantDuration: null } }, data: null, form: null, insightIds: null },
      { type: { revoke: { ...TARGET, resource: null } } },
      { type: { certify: { ...TARGET, accessReviewId: 'review-payroll', resource: null } } },
      { type: { action: { formValues: null, scopeRole: null, finding: { findingId: 'f' } } }, policyId },
    ]) {
      const reply = await create(body)
      expect([body, reply.status]).toEqual([body, 200])
      const { type, data } = reply.body.taskView.task
      expect([type, data]).toMatchObject([body.type, null])
    }
  })

  it('the operation requires named objects to exist, in the same app, with an account of the same user', async () => {
    await subject.database.query(`INSERT INTO apps VALUES ('other', 'Other', now())`)
    for (const wrong of [
      { appId: 'none' },
      { appId: 'other' },
      { appEntitlementId: 'none' },
      { appUserId: 'none' },
      { identityUserId: 'none' },
      { appUserId: 'app-user-grace', identityUserId: 'user-alan' },
    ]) {
      expect([wrong, await code({ type: { grant: { ...TARGET, ...wrong } } })]).toEqual([
        wrong,
        '400 reference_unknown',
      ])
    }
    const own = { ...TARGET, appUserId: 'app-user-grace', identityUserId: 'user-grace' }
    expect(await code({ type: { grant: own } })).toBe('200 created')
    expect(await code({ type: { grant: TARGET }, userId: 'none' })).toBe('400 reference_unknown')
    const review = (accessReviewId: string) => ({ type: { certify: { ...TARGET, accessReviewId } } })
    expect(await code(review('review-payroll'))).toBe('200 created')
    expect(await code(review('insight-unused'))).toBe('400 reference_unknown')
    const insights = (...insightIds: string[]) => ({ type: { grant: TARGET }, insightIds })
    expect(await code(insights('insight-unused', 'insight-unused'))).toBe('200 created')
    expect(await code(insights('insight-unused', 'none'))).toBe('400 reference_unknown')
    expect(await code({ type: { grant: TARGET }, policyId: 'none' })).toBe('404 policy_unknown')
    expect(await code({ type: { grant: TARGET }, policyId: 'builtin-revoke' })).toBe('400 policy_invalid')
  })

  it.each([
    ['read-only', { state: 'TASK_STATE_CLOSED' }],
    ['read-only', { type: { grant: { ...TARGET, outcome: 'GRANT_OUTCOME_GRANTED' } } }],
    ['misspelt', { descripton: 'x' }],
    ['an unknown word in', { origin: 'TASK_ORIGIN_CARRIER_PIGEON' }],
  ])('the operation refuses %s fields: %j', async (_, wrong) => {
    expect(await code({ type: { grant: TARGET }, ...wrong })).toBe('400 request_invalid')
    expect(await code({ type: { grant: TARGET } })).toBe('200 created')
  })

  it('a viewer may read tasks, but not create or skip', async () => {
    const token = await subject.tokenWith('viewer')
    const reply = await subject.post('/api/v1/tasks', { type: { grant: TARGET } }, token)
    expect([reply.status, reply.body.code]).toEqual([403, 'forbidden'])
    const { body } = await subject.get('/api/v1/tasks/1', token)
    expect(body.taskView.task.actions).toEqual([])
    expect(body.taskView.objectPermissions).toEqual({
      read: true,
      edit: false,
      delete: false,
      extra: { skipStep: false },
    })
    const policyStepId = body.taskView.task.policy.current.id
    const skipped = await subject.post('/api/v1/tasks/1/action/skip-step', { policyStepId }, token)
    expect(skipped.status).toBe(403)
  })

  it('an operator may create and skip', async () => {
    const token = await subject.tokenWith('operator')
    const { status, body } = await subject.post('/api/v1/tasks', { type: { grant: TARGET } }, token)
    expect(status).toBe(200)
    const { task } = body.taskView
    expect(task.actions).toContain('TASK_ACTION_TYPE_SKIP_STEP')
    const policyStepId = task.policy.current.id
    expect(
      (await subject.post(`/api/v1/tasks/${task.id}/action/skip-step`, { policyStepId }, token)).status,
    ).toBe(200)
  })
})
