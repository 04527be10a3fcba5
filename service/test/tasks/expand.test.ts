import { query } from 'jsonpath-rfc9535'
import { beforeAll, expect, it } from 'vitest'
import { EXPAND_PATHS } from '../../src/tasks/schema/expand.ts'
import { VIEW_PATHS } from '../../src/tasks/schema/view.ts'
import { describeService } from '../support/databases.ts'

const USER = 'type.googleapis.com/svc.api.user.v1.User'

describeService('expandMask', (subject) => {
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    const related = [
      ['AccessReview', 'review-1', { id: 'review-1', displayName: 'Quarterly' }],
      ['Insight', 'insight-1', { id: 'insight-1', '@type': 'a lie' }],
      ['Insight', 'insight-2', { id: 'insight-2' }],
      ['Insight', 'gone', { id: 'gone' }],
      ['AppResource', 'resource-1', { id: 'resource-1' }],
      ['AppResource', 'resource-2', { id: 'resource-2' }],
      ['EntitlementScopeBindingList', 'entitlement-05', { list: [{ scope: 'a' }] }],
    ] as const
    for (const [kind, id, object] of related) {
      await subject.database.query('INSERT INTO related_objects VALUES ($1, $2, $3::jsonb)', [
        kind,
        id,
        JSON.stringify(object),
      ])
    }
    const target = { appId: 'app-payroll', appEntitlementId: 'entitlement-05' }
    const appUser = { ...target, appUserId: 'app-user-grace' }
    const requests = {
      certify: { certify: { ...appUser, accessReviewId: 'review-1', resource: { id: 'resource-1' } } },
      direct: { grant: { ...target, identityUserId: 'user-grace' } },
      revoke: { revoke: { ...appUser, resource: { id: 'resource-1' } } },
      action: { action: { scopeRole: { roleResourceId: 'resource-1', scopeResourceId: 'resource-2' } } },
    }
    for (const [name, type] of Object.entries(requests)) {
      const policyId = ['certify', 'revoke'].includes(name) ? undefined : 'policy-grant-three-steps'
      const insightIds = ['insight-2', 'gone', 'insight-1']
      const { body } = await subject.post('/api/v1/tasks', { type, policyId, insightIds })
      ids[name] = body.taskView.task.id
    }
    await subject.database.query("DELETE FROM related_objects WHERE id = 'gone'")
    await subject.database.query(`UPDATE tasks SET approver_ids = '{user-alan,user-ada}'`)
  })

  /** The objects that each path of the view locates, by their names. */
  const located = async (name: string, paths: readonly string[] | null) => {
    const { status, body } = await subject.post('/api/v1/search/tasks', { expandMask: { paths } })
    expect(status).toBe(200)
    const view = body.list.find((each) => each.task.id === ids[name])
    const found = VIEW_PATHS.filter((path) => view?.[path] !== '').map((path) => [
      path,
      query(body, view?.[path] ?? '').map((value) => {
        const { '@type': type, id = 'no id' } = Object(value)
        return `${type} ${id}`
      }),
    ])
    return Object.fromEntries(found)
  }

  it.each([
    [
      'certify',
      'access_review_id',
      { accessReviewPath: ['type.googleapis.com/svc.api.accessreview.v1.AccessReview review-1'] },
    ],
    ['certify', 'user_id', {}],
    ['direct', 'user_id', { userPath: [`${USER} user-grace`] }],
    ['direct', 'created_by_user_id', { createdByUserPath: [`${USER} user-ada`] }],
    ['direct', 'app_id', { appPath: ['type.googleapis.com/svc.api.app.v1.App app-payroll'] }],
    ['direct', 'app_user_id', {}],
    [
      'certify',
      'app_user_id',
      { appUserPath: ['type.googleapis.com/svc.api.app.v1.AppUser app-user-grace'] },
    ],
    [
      'direct',
      'app_entitlement_ids',
      { entitlementsPath: ['type.googleapis.com/svc.api.app.v1.AppEntitlement entitlement-05'] },
    ],
    ['direct', 'step_approver_ids', { stepApproversPath: [`${USER} user-alan`] }],
    ['direct', 'approver_ids', { approversPath: [`${USER} user-alan`, `${USER} user-ada`] }],
    ['direct', 'identity_user_id', {}],
    ['certify', 'identity_user_id', { identityUserPath: [`${USER} user-grace`] }],
    [
      'direct',
      'insight_ids',
      {
        insightsPath: [
          'type.googleapis.com/svc.api.insight.v1.Insight insight-2',
          'type.googleapis.com/svc.api.insight.v1.Insight insight-1',
        ],
      },
    ],
    [
      'certify',
      'app_user_last_usage',
      { appUserLastUsagePath: ['type.googleapis.com/google.protobuf.Timestamp no id'] },
    ],
    [
      'direct',
      'entitlement_scope_bindings',
      { resourceBindingsPath: ['type.googleapis.com/svc.api.app.v1.EntitlementScopeBindingList no id'] },
    ],
    [
      'action',
      'scope_role_resources',
      {
        roleResourcePath: ['type.googleapis.com/svc.api.app.v1.AppResource resource-1'],
        scopeResourcePath: ['type.googleapis.com/svc.api.app.v1.AppResource resource-2'],
      },
    ],
    [
      'certify',
      'resource',
      { principalResourcePath: ['type.googleapis.com/svc.api.app.v1.AppResource resource-1'] },
    ],
    ['revoke', 'resource', {}], // nothing is under review
  ] as const)('expandMask in a %s task, %s fills in exactly its paths', async (name, path, expected) => {
    expect(await located(name, [path])).toEqual(expected)
  })

  it('expandMask covers every path of the specification, all of them with *', async () => {
    for (const name of Object.keys(ids)) {
      const single = await Promise.all(EXPAND_PATHS.map((path) => located(name, [path])))
      expect(await located(name, ['*'])).toEqual(Object.assign({}, ...single))
    }
    const everyPath = await Promise.all(Object.keys(ids).map((name) => located(name, ['*'])))
    expect(Object.keys(Object.assign({}, ...everyPath)).toSorted()).toEqual([...VIEW_PATHS].toSorted())
  })

  it.each([[null], [[]]])('expandMask expands nothing for %j', async (paths) => {
    expect(await located('certify', paths)).toEqual({})
    const { body } = await subject.post('/api/v1/search/tasks', { expandMask: { paths } })
    expect(body.expanded).toEqual([])
  })

  it('expandMask includes an object once, however many tasks relate to it', async () => {
    const { body } = await subject.post('/api/v1/search/tasks', { expandMask: { paths: ['*'] } })
    const texts = body.expanded.map((each: object) => JSON.stringify(each))
    expect(body.list.length).toBeGreaterThan(3)
    expect(new Set(texts).size).toBe(texts.length)
  })

  it('expandMask works in the response of Skip Step too', async () => {
    const task = (await subject.get(`/api/v1/tasks/${ids.direct}`)).body.taskView.task
    const { body } = await subject.post(`/api/v1/tasks/${task.id}/action/skip-step`, {
      policyStepId: task.policy.current.id,
      expandMask: { paths: ['step_approver_ids', 'app_id'] },
    })
    expect(query(body, body.taskView.stepApproversPath)).toMatchObject([
      { id: 'user-ada' },
      { id: 'user-alan' },
    ])
    expect(query(body, body.taskView.appPath)).toEqual([
      { '@type': 'type.googleapis.com/svc.api.app.v1.App', id: 'app-payroll', displayName: 'Payroll' },
    ])
    expect(body.expanded).toHaveLength(3)
  })

  it('expandMask shows a last usage as an ISO 8601 timestamp', async () => {
    const { body } = await subject.get(`/api/v1/tasks/${ids.certify}`)
    const [usage] = query(body, body.taskView.appUserLastUsagePath)
    expect(usage).toEqual({
      '@type': 'type.googleapis.com/google.protobuf.Timestamp',
      value: '2026-11-02T08:00:00.000Z',
    })
  })
})
