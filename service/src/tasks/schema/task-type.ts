import { z } from '@hono/zod-openapi'
import { oneOfMembers } from '../../http/exactly-one.ts'
import { openEnum } from '../../http/open-enum.ts'
import { orNull } from '../../http/or-null.ts'
import { readOnlyObject } from '../../http/read-only.ts'
import { timestamp } from '../../http/timestamp.ts'
import { actionInstanceSchema } from '../../policies/step.ts'
import { ACTION_TYPES, OUTCOMES } from './enums.ts'

/** What a task requests (specification, 2.7). */
export const TASK_KINDS = ['grant', 'revoke', 'certify', 'offboarding', 'action', 'finding'] as const
export type TaskKind = (typeof TASK_KINDS)[number]

const notShown = (name: string) =>
  orNull(z.looseObject({}).openapi(name, { description: 'The specification does not show its fields.' }))

const resource = notShown('AppResourceRef')
const target = {
  appEntitlementId: z.string(),
  appId: z.string(),
  appUserId: z.string(),
  identityUserId: z.string(),
}
const outcome = <Kind extends TaskKind>(kind: Kind) => ({
  outcome: openEnum<(typeof OUTCOMES)[Kind]>(OUTCOMES[kind]),
  outcomeTime: timestamp,
})

const action = readOnlyObject({
  actionId: z.string().openapi({ description: 'Empty for synthesized action tasks.' }),
  actionInstance: orNull(actionInstanceSchema),
  displayName: z.string(),
  type: openEnum(ACTION_TYPES),
  formValues: z.record(z.string(), z.unknown()).nullable(),
  ...outcome('action'),
  createdAppResourceId: z.string(),
  createdAppResourceTypeId: z.string(),
  createdAppEntitlementIds: z.array(z.string()).nullable(),
  scopeRole: notShown('ScopeRole'),
  toolCall: notShown('GatedToolCallTarget'),
  finding: notShown('FindingTarget'),
}).openapi('TaskTypeAction')

export const taskTypeSchema = oneOfMembers({
  grant: readOnlyObject({
    ...target,
    grantDuration: z.string().nullable().openapi({ description: 'Seconds, as in `3600s`.' }),
    ...outcome('grant'),
    source: notShown('TaskGrantSource'),
  }).openapi('TaskTypeGrant'),
  revoke: readOnlyObject({
    ...target,
    ...outcome('revoke'),
    resource,
    source: notShown('TaskRevokeSource'),
  }).openapi('TaskTypeRevoke'),
  certify: readOnlyObject({
    accessReviewId: z.string(),
    accessReviewSelection: z.string(),
    ...target,
    ...outcome('certify'),
    resource,
  }).openapi('TaskTypeCertify'),
  offboarding: readOnlyObject({ subjectUserId: z.string(), ...outcome('offboarding') }).openapi(
    'TaskTypeOffboarding',
  ),
  action,
  finding: readOnlyObject({ findingId: z.string(), findingType: z.string(), ...outcome('finding') }).openapi(
    'TaskTypeFinding',
  ),
}).openapi('TaskType', { description: 'Exactly one member is set.' })

export type TaskType = z.infer<typeof taskTypeSchema>
