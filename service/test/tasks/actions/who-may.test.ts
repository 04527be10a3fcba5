import { beforeAll, expect, it } from 'vitest'
import { createApp } from '../../../src/app.ts'
import { describeService } from '../../support/databases.ts'
import { replyOf } from '../../support/reply.ts'
import { taskWith } from '../../support/tasks.ts'

const ALANS = { approval: { userIds: ['user-alan'] } }

describeService('permissions on a step', (subject) => {
  const tokens: Record<string, string> = {}

  beforeAll(async () => {
    tokens.admin = subject.token
    tokens.approver = await subject.tokenWith('operator', 'user-alan')
    tokens.operator = await subject.tokenWith('operator', 'user-grace')
    tokens.viewer = await subject.tokenWith('viewer', 'user-alan')
  })

  /** Which of the four may do what with a step, and what the task says about it. */
  const may = async (step: object, action: string, skippers: 'operators' | 'approvers' = 'operators') => {
    const app = createApp(subject.with({ SERVICE_SKIP_STEP: skippers }))
    const ask = async (who: string, method: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${tokens[who]}`, 'content-type': 'application/json' }
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
      return replyOf(await app.request(path, init))
    }
    const allowed = Object.keys(tokens).map(async (who) => {
      const { id, policy } = await taskWith(subject, [step])
      const { task, objectPermissions } = (await ask(who, 'GET', `/api/v1/tasks/${id}`)).body.taskView
      const given = action === 'reassign' ? { newStepUserIds: ['user-ada'] } : {}
      const body = { policyStepId: policy.current.id, ...given }
      const { status, body: reply } = await ask(who, 'POST', `/api/v1/tasks/${id}/action/${action}`, body)
      expect([200, 403]).toContain(status)
      if (status === 403) expect(reply.code).toBe('forbidden')
      const type = `TASK_ACTION_TYPE_${action.replace('-', '_').toUpperCase()}`
      expect([who, action, task.actions.includes(type)]).toEqual([who, action, status === 200])
      if (action === 'skip-step') expect(objectPermissions.extra.skipStep).toBe(status === 200)
      return status === 200 ? [who] : []
    })
    return (await Promise.all(allowed)).flat()
  }

  it('only its approvers may approve and deny a step', async () => {
    for (const action of ['approve', 'deny']) expect(await may(ALANS, action)).toEqual(['approver'])
  })

  it('super admins may reassign a step too', async () => {
    expect(await may(ALANS, 'reassign')).toEqual(['admin', 'approver'])
  })

  it('every operator may skip a step, unless SERVICE_SKIP_STEP=approvers', async () => {
    expect(await may(ALANS, 'skip-step')).toEqual(['admin', 'approver', 'operator'])
    expect(await may(ALANS, 'skip-step', 'approvers')).toEqual(['admin', 'approver'])
  })

  it('every operator may act on a step that names nobody', async () => {
    for (const action of ['approve', 'deny', 'reassign', 'skip-step']) {
      const allowed = await may({ approval: { userIds: [] } }, action, 'approvers')
      expect([action, allowed]).toEqual([action, ['admin', 'approver', 'operator']])
    }
  })

  it('a step cannot be reassigned if its kind does not allow it', async () => {
    const { actions } = await taskWith(subject, [{ wait: {} }])
    expect(actions).toContain('TASK_ACTION_TYPE_APPROVE')
    expect(actions).not.toContain('TASK_ACTION_TYPE_REASSIGN')
  })

  it('operators, but not viewers, may act on the whole task', async () => {
    for (const action of ['close', 'restart', 'comment']) {
      const answered = Object.keys(tokens).map(async (who) => {
        const { id } = await taskWith(subject, [ALANS])
        const path = `/api/v1/tasks/${id}/action/${action}`
        const { status } = await subject.post(path, { comment: 'why' }, tokens[who])
        return status === 200 ? [who] : []
      })
      expect([action, (await Promise.all(answered)).flat()]).toEqual([
        action,
        ['admin', 'approver', 'operator'],
      ])
    }
  })
})
