import { z } from '@hono/zod-openapi'
import { anyMembers } from '../../http/as-given.ts'
import { oneOfMembersInput, withOneOf } from '../../http/exactly-one.ts'
import { pageOf, searchBody } from '../../http/list.ts'
import { orNull } from '../../http/or-null.ts'
import { RECOMMENDATIONS, TASK_ORIGINS, TASK_STATES } from './enums.ts'
import { expandMaskSchema } from './expand.ts'
import { formSchema } from './form.ts'
import { expandedSchema, taskViewSchema } from './view.ts'

export const taskParams = z.object({
  task_id: z.string().openapi({ description: 'The ID of the task, or its numeric ID.' }),
})

const id = z.string().min(1).optional()
const target = { appId: z.string(), appEntitlementId: z.string(), appUserId: id, identityUserId: id }
const resource = orNull(
  anyMembers(z.object({ id: z.string() })).openapi({
    properties: { id: { type: 'string' } },
    required: ['id'],
  }),
).optional()

const scopeRole = anyMembers().openapi({
  description:
    'The specification does not show its fields. `roleResourceId` and `scopeResourceId` are additions.',
})
const notShown = anyMembers().openapi({ description: 'The specification does not show its fields.' })

const typeInput = oneOfMembersInput({
  grant: z.strictObject({
    ...target,
    grantDuration: z
      .string()
      .regex(/^\d{1,12}(\.\d{1,9})?s$/)
      .nullish()
      .openapi({ description: 'Seconds, as in `3600s`.' }),
  }),
  revoke: z.strictObject({ ...target, resource }),
  certify: z.strictObject({ ...target, accessReviewId: z.string().min(1), resource }),
  offboarding: z.strictObject({ subjectUserId: z.string() }),
  action: withOneOf(
    z.strictObject({
      actionId: z.string().optional(),
      displayName: z.string().optional(),
      formValues: orNull(anyMembers()).optional(),
    }),
    { scopeRole, toolCall: notShown, finding: notShown },
  ),
  finding: z.strictObject({ findingId: z.string(), findingType: z.string() }),
}).openapi('TaskTypeInput', { description: 'What the task requests. Set exactly one member.' })

export const createTaskRequest = z
  .strictObject({
    displayName: z.string().min(1).max(256).optional(),
    description: z.string().max(4_096).optional(),
    type: typeInput,
    policyId: id.openapi({ description: 'Default: the built-in policy of the type, if it has one.' }),
    userId: id.openapi({ description: 'Default: the user whom the type targets.' }),
    origin: z.enum(TASK_ORIGINS).optional(),
    data: orNull(anyMembers()).optional(),
    form: orNull(formSchema).optional(),
    insightIds: z.array(z.string()).max(100).nullish(),
    recommendation: z.enum(RECOMMENDATIONS).optional(),
    emergencyAccess: z.boolean().optional(),
    expandMask: orNull(expandMaskSchema).optional(),
  })
  .openapi('CreateTaskRequest')

export type CreateTask = Omit<z.infer<typeof createTaskRequest>, 'expandMask'>

export const taskResponse = z
  .object({ taskView: taskViewSchema, expanded: expandedSchema })
  .openapi('TaskResponse')

export const searchTasksRequest = searchBody({
  taskStates: z.array(z.enum(TASK_STATES)).optional().openapi({ description: 'Default: all.' }),
  userIds: z
    .array(z.string())
    .optional()
    .openapi({ description: 'The users whom the tasks target. Default: any.' }),
  expandMask: orNull(expandMaskSchema).optional(),
}).openapi('SearchTasksRequest')

export const searchTasksResponse = pageOf(taskViewSchema)
  .extend({ expanded: expandedSchema })
  .openapi('SearchTasksResponse')
