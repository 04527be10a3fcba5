import createClient from 'openapi-fetch'
import { expect, it } from 'vitest'
import { signed, workAll } from '../support/automations.ts'
import { describeService, type Subject } from '../support/databases.ts'
import type { paths } from './client-types.ts'

function clientOf(subject: Subject, token = subject.token) {
  return createClient<paths>({
    baseUrl: 'https://tenant.example',
    headers: { authorization: `Bearer ${token}` },
    fetch: async (request) => subject.app.request(request),
  })
}

/** The data of the client's reply. The test fails with the problem if it is one. */
async function ok<Body>(reply: Promise<{ data?: Body; error?: unknown }>): Promise<NonNullable<Body>> {
  const { data, error } = await reply
  if (data === undefined || data === null) throw new Error(JSON.stringify(error))
  return data
}

describeService('a client generated from /openapi.json', (subject) => {
  it('the client lists tasks, skips every step of one, and reads its actions', async () => {
    const api = clientOf(subject)
    const { list } = await ok(api.POST('/api/v1/search/tasks', { body: { taskStates: ['TASK_STATE_OPEN'] } }))
    expect(list).toHaveLength(4)
    const taskId = list[2]?.task?.id ?? ''
    for (let left = 2; left >= 0; left--) {
      const { taskView } = await ok(
        api.GET('/api/v1/tasks/{task_id}', { params: { path: { task_id: taskId } } }),
      )
      const policyStepId = taskView.task?.policy?.current?.id ?? ''
      const skipped = await ok(
        api.POST('/api/v1/tasks/{task_id}/action/skip-step', {
          params: { path: { task_id: taskId } },
          body: { policyStepId, comment: `${left} left`, expandMask: { paths: ['*'] } },
        }),
      )
      expect(skipped.ticketActionId).not.toBe('')
      expect(skipped.taskView?.task?.policy?.next).toHaveLength(Math.max(left - 1, 0))
    }
    const { taskView } = await ok(
      api.GET('/api/v1/tasks/{task_id}', { params: { path: { task_id: taskId } } }),
    )
    expect(taskView.task?.state).toBe('TASK_STATE_CLOSED')
    const path = { task_id: taskId }
    const actions = await ok(api.GET('/api/v1/tasks/{task_id}/actions', { params: { path } }))
    expect(actions.list.map(({ taskAction }) => taskAction.comment)).toEqual(['2 left', '1 left', '0 left'])
  })

  it('the client creates an automation whose signed webhook skips a step once per event', async () => {
    const api = clientOf(subject)
    const { automation, signingSecret } = await ok(
      api.POST('/api/v1/automations', {
        body: {
          displayName: 'Approved elsewhere',
          steps: [{ type: 'skip_step', taskIdCel: 'ctx.trigger["task id"]' }],
          trigger: { enabled: true, incomingWebhook: { hmac: {} } },
        },
      }),
    )
    const path = { automation_id: automation.id }
    await ok(api.POST('/api/v1/automations/{automation_id}/action/publish', { params: { path } }))
    const { listenerId } = automation.trigger.incomingWebhook
    const delivery = await signed(subject, { secret: signingSecret?.secret ?? '' }, { 'task id': 1 })
    const post = async () =>
      (await subject.app.request(`/api/v1/webhooks/incoming/${listenerId}`, delivery)).status
    expect([await post(), await post()]).toEqual([200, 409])
    await workAll(subject)
    const runs = await ok(api.GET('/api/v1/automations/{automation_id}/runs', { params: { path } }))
    expect(runs.list.map(({ run }) => run.state)).toEqual(['RUN_STATE_SUCCEEDED'])
    const { taskView } = await ok(api.GET('/api/v1/tasks/{task_id}', { params: { path: { task_id: '1' } } }))
    expect(taskView.task?.policy?.history).toHaveLength(1)
  })

  it('the client creates a policy and a task that follows it', async () => {
    const api = clientOf(subject)
    const { policy } = await ok(
      api.POST('/api/v1/policies', {
        body: {
          displayName: 'One look',
          policyType: 'POLICY_TYPE_GRANT',
          policySteps: { grant: { steps: [{ approval: { userIds: ['user-alan'] } }] } },
        },
      }),
    )
    const changed = await ok(
      api.PATCH('/api/v1/policies/{policy_id}', {
        params: { path: { policy_id: policy.id } },
        body: { annotations: { managed_by: 'client' } },
      }),
    )
    expect(changed.policy.annotations).toEqual({ managed_by: 'client' })
    const grant = { appId: 'app-payroll', appEntitlementId: 'entitlement-01' }
    const { taskView } = await ok(
      api.POST('/api/v1/tasks', { body: { type: { grant }, policyId: policy.id } }),
    )
    expect(taskView.task?.stepApproverIds).toEqual(['user-alan'])
  })

  it('the client pages through a list', async () => {
    const api = clientOf(subject)
    const names: string[] = []
    let page_token = ''
    do {
      const params = { path: { app_id: 'app-payroll' }, query: { page_size: 25, page_token } }
      const page = await ok(api.GET('/api/v1/apps/{app_id}/entitlements', { params }))
      names.push(...page.list.map(({ appEntitlement }) => appEntitlement.displayName))
      page_token = page.nextPageToken
    } while (page_token !== '')
    expect(names).toHaveLength(60)
  })

  it('the client receives problems with a code', async () => {
    const params = { path: { task_id: 'none' } }
    const { error, response } = await clientOf(subject).GET('/api/v1/tasks/{task_id}', { params })
    expect([response.status, error]).toMatchObject([404, { code: 'task_unknown', title: 'Not Found' }])
    const stranger = await clientOf(subject, 'nobody').GET('/api/v1/tasks/{task_id}', { params })
    expect(stranger.error).toMatchObject({ code: 'unauthorized' })
  })
})
