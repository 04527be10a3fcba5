import type { TaskKind } from './schema/task-type.ts'

/**
 * The policy types that can process each kind of task. The built-in default has the first type. An empty list allows
 * any type, and the request must name a policy.
 */
export const POLICY_TYPES_FOR: Readonly<Record<TaskKind, readonly string[]>> = {
  grant: ['POLICY_TYPE_GRANT', 'POLICY_TYPE_ACCESS_REQUEST', 'POLICY_TYPE_PROVISION'],
  revoke: ['POLICY_TYPE_REVOKE'],
  certify: ['POLICY_TYPE_CERTIFY'],
  offboarding: [],
  action: [],
  finding: [],
}

const target = { appEntitlementId: '', appId: '', appUserId: '', identityUserId: '', outcomeTime: null }

const BLANK: Readonly<Record<TaskKind, object>> = {
  grant: { ...target, grantDuration: null, outcome: 'GRANT_OUTCOME_UNSPECIFIED', source: null },
  revoke: { ...target, outcome: 'REVOKE_OUTCOME_UNSPECIFIED', resource: null, source: null },
  certify: {
    ...target,
    accessReviewId: '',
    accessReviewSelection: '',
    outcome: 'CERTIFY_OUTCOME_UNSPECIFIED',
    resource: null,
  },
  offboarding: { subjectUserId: '', outcome: 'OFFBOARDING_OUTCOME_UNSPECIFIED', outcomeTime: null },
  action: {
    actionId: '',
    actionInstance: null,
    displayName: '',
    type: 'TYPE_MANUAL',
    formValues: null,
    outcome: 'ACTION_OUTCOME_UNSPECIFIED',
    outcomeTime: null,
    createdAppResourceId: '',
    createdAppResourceTypeId: '',
    createdAppEntitlementIds: null,
    scopeRole: null,
    toolCall: null,
    finding: null,
  },
  finding: { findingId: '', findingType: '', outcome: 'FINDING_TASK_OUTCOME_UNSPECIFIED', outcomeTime: null },
}

/** The default value of every field of a TaskType member. */
export function blankType(kind: TaskKind): object {
  return BLANK[kind]
}
