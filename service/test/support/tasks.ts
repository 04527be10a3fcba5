import { expect } from 'vitest'
import type { Subject } from './subject.ts'

/** The type of a task, by kind. */
export const TYPES: Readonly<Record<string, object>> = {
  grant: { appId: 'app-payroll', appEntitlementId: 'entitlement-01', appUserId: 'app-user-grace' },
  revoke: { appId: 'app-payroll', appEntitlementId: 'entitlement-01' },
  certify: { appId: 'app-payroll', appEntitlementId: 'entitlement-01', accessReviewId: 'review-payroll' },
  offboarding: { subjectUserId: 'user-grace' },
  action: { toolCall: { tool: 'deploy' } },
  finding: { findingId: 'f', findingType: 't' },
}

/** Creates a task under a policy with these steps. */
export async function taskWith(subject: Subject, steps: readonly object[], kind = 'grant') {
  const word = ['grant', 'revoke', 'certify'].includes(kind) ? kind : 'grant'
  const policy = await subject.post('/api/v1/policies', {
    displayName: 'p',
    policyType: `POLICY_TYPE_${word.toUpperCase()}`,
    policySteps: { [word]: { steps } },
  })
  expect(policy.status, JSON.stringify(policy.body)).toBe(200)
  const { id: policyId } = policy.body.policy
  const { status, body } = await subject.post('/api/v1/tasks', { type: { [kind]: TYPES[kind] }, policyId })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.taskView.task
}

type Task = Awaited<ReturnType<typeof taskWith>>

/** Acts on the current step of a task, by default as Ada, a super admin. */
export function act(subject: Subject, task: Task, action: string, given: object = {}, token?: string) {
  const policyStepId = task.policy.current.id
  const ofStep = ['approve', 'deny', 'reassign', 'skip-step'].includes(action) && { policyStepId }
  return subject.post(`/api/v1/tasks/${task.id}/action/${action}`, { ...ofStep, ...given }, token)
}

/** The same, and expects success. @returns The resulting task. */
export async function acted(...asked: Parameters<typeof act>) {
  const { status, body } = await act(...asked)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.taskView.task
}
