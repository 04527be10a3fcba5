import { z } from '@hono/zod-openapi'
import { oneOfMembers } from '../../http/exactly-one.ts'
import { openEnum } from '../../http/open-enum.ts'
import { orNull } from '../../http/or-null.ts'
import { readOnlyObject } from '../../http/read-only.ts'
import { timestamp } from '../../http/timestamp.ts'
import { actionInstanceSchema } from '../../policies/step.ts'
import { ACTION_TYPES, OUTCOMES } from './enums.ts'

const notShown = (name: string) =>
  orNull(z.looseObject({}).openapi(name, { description: 'The specification does not show its fields.' }))

const resource = notShown('AppResourceRef')
const target = {
  appEntitlementId: z.string(),
  appId: z.string(),
  appUserId: z.string(),
  identityUserId: z.string(),
}
const outcome = <Kind extends keyof typeof OUTCOMES>(kind: Kind) => ({
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

/** What a task requests (specification, 2.7). */
const members = {
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
}

export type TaskKind = keyof typeof members
// `keys` loses the key types.
export const TASK_KINDS = Object.keys(members) as TaskKind[]

export const taskTypeSchema = oneOfMembers(members).openapi('TaskType', {
  description: 'Exactly one member is set.',
})

export type TaskType = z.infer<typeof taskTypeSchema>

/** Every field of a member, as before anything is known: null, or else an empty string. */
export function blankTarget(kind: TaskKind): object {
  const fields = Object.entries(members[kind].shape).map(([name, field]) => [
    name,
    field.safeParse(null).success ? null : '',
  ])
  const [outcome] = OUTCOMES[kind]
  return { ...Object.fromEntries(fields), outcome, ...(kind === 'action' && { type: 'TYPE_MANUAL' }) }
}
