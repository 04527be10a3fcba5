import { DEMO_LISTENERS } from '../automations/seed.ts'
import { DEMO } from '../database/seed.ts'

/** A placeholder: each task's current step has a new ID. */
const SOME_STEP = '4333eab0-ccc3-40da-8b52-0c8248f0870e'

const STEPS = [{ type: 'record', valueCel: 'ctx.trigger' }]

/** A request body by `operationId`. They match the demo tenant, so that "Try it out" works. */
export const EXAMPLE_BODIES: Readonly<Record<string, object>> = {
  receiveWebhook: { task: 2, 'approved by': 'payroll' },
  'svc.api.task.v1.TaskActionsService.SkipStep': { policyStepId: SOME_STEP, comment: 'Approved by phone.' },
  'svc.api.task.v1.TaskActionsService.Approve': { policyStepId: SOME_STEP, comment: 'Fine.' },
  'svc.api.task.v1.TaskActionsService.Deny': { policyStepId: SOME_STEP, comment: 'Not in this quarter.' },
  'svc.api.task.v1.TaskActionsService.Reassign': {
    policyStepId: SOME_STEP,
    newStepUserIds: [DEMO.adminId],
    comment: 'Alan is on leave.',
  },
  'svc.api.task.v1.TaskActionsService.Comment': { comment: 'Who needs this?' },
  'svc.api.task.v1.TaskActionsService.Restart': { comment: 'The request has changed.' },
  'svc.api.task.v1.TaskActionsService.Close': { comment: 'No longer needed.' },
  listTaskAudits: { taskId: '1', pageSize: 10 },
  createTask: {
    type: {
      grant: {
        appId: DEMO.appId,
        appEntitlementId: 'entitlement-03',
        appUserId: DEMO.appUserId,
        grantDuration: '86400s',
      },
    },
    policyId: DEMO.grantPolicyId,
    description: 'Needed for the payroll run of December.',
  },
  createUser: { displayName: 'Katherine Johnson', email: 'katherine@example.com' },
  createApp: { displayName: 'Travel' },
  createAppEntitlement: { displayName: 'Payroll auditor' },
  createAppUser: { displayName: 'kjohnson', identityUserId: DEMO.requesterId },
  createAccessReview: { displayName: 'Payroll, first quarter' },
  createInsight: { displayName: 'Used every day' },
  importDirectory: {
    apps: [{ id: 'app-travel', displayName: 'Travel' }],
    entitlements: [{ id: 'travel-book', appId: 'app-travel', displayName: 'Books travel' }],
  },
  searchTasks: { page_size: 10, taskStates: ['TASK_STATE_OPEN'] },
  createPolicy: {
    displayName: 'Grant in one step',
    policyType: 'POLICY_TYPE_GRANT',
    policySteps: { grant: { steps: [{ approval: { userIds: [DEMO.approverId] } }] } },
  },
  patchPolicy: { description: 'The manager approves, then the owner.' },
  updatePolicy: {
    policy: { description: 'The manager approves, then the owner.' },
    updateMask: 'description',
  },
  searchPolicies: { query: 'grant', page_size: 10 },
  createAutomation: {
    displayName: 'Keep what payroll says',
    steps: STEPS,
    trigger: { enabled: true, incomingWebhook: { hmac: {} } },
  },
  patchAutomation: { description: 'Keeps each webhook as it came.', steps: STEPS },
  updateAutomation: { automation: { displayName: 'Keep it all' }, updateMask: 'displayName' },
  searchAutomations: { query: 'payroll', page_size: 10 },
}

/** Path parameters that are the same in every demo tenant. */
export const EXAMPLE_PARAMETERS: Readonly<Record<string, string>> = {
  task_id: '1',
  app_id: DEMO.appId,
  policy_id: DEMO.grantPolicyId,
  listener_id: DEMO_LISTENERS.hmac,
}
