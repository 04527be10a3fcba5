import { z } from '@hono/zod-openapi'
import { openEnum } from '../../http/open-enum.ts'
import { orNull } from '../../http/or-null.ts'
import { readOnlyObject } from '../../http/read-only.ts'
import { timestamp } from '../../http/timestamp.ts'
import { policySchema } from '../../policies/schema.ts'
import { policyStepInstanceSchema, policyStepSchema } from '../../policies/step.ts'
import {
  EXTERNAL_REF_SOURCES,
  RECOMMENDATIONS,
  TASK_ACTIONS,
  TASK_ORIGINS,
  TASK_PROCESSING,
  TASK_STATES,
} from './enums.ts'
import { formSchema } from './form.ts'
import { taskTypeSchema } from './task-type.ts'

const readOnly = { readOnly: true } as const
const text = z.string().openapi(readOnly)
const ids = z.array(z.string()).nullable()
const time = timestamp.openapi(readOnly)

const policyInstanceSchema = z
  .object({
    current: orNull(policyStepInstanceSchema),
    history: z.array(policyStepInstanceSchema).nullable().openapi(readOnly),
    next: z.array(policyStepSchema).nullable().openapi(readOnly),
    policy: orNull(policySchema),
  })
  .openapi('PolicyInstance')

const externalRef = readOnlyObject({
  externalRefSource: openEnum(EXTERNAL_REF_SOURCES),
  name: z.string(),
  url: z.string(),
}).openapi('ExternalRef')

const revocationTarget = z
  .object({
    entitlementRef: orNull(z.object({ appId: z.string(), id: z.string() }).openapi('AppEntitlementRef')),
  })
  .openapi('TaskRevocationTarget')

/** An object with its type (specification, 2.3 and 2.6). */
export const typedObject = z.looseObject({ '@type': z.string() })

/** Specification, 2.6. */
export const taskSchema = z
  .object({
    id: text,
    numericId: text.openapi({
      format: 'int64',
      examples: ['1'], // otherwise tools make up a number
      description: 'A decimal string. Paths accept it instead of the ID.',
    }),
    displayName: text,
    description: text,
    state: openEnum(TASK_STATES).openapi(readOnly),
    processing: openEnum(TASK_PROCESSING).openapi(readOnly),
    origin: openEnum(TASK_ORIGINS),
    type: orNull(taskTypeSchema),
    userId: text,
    createdByUserId: text,
    createdAt: time,
    updatedAt: time,
    deletedAt: time,
    actions: z
      .array(openEnum(TASK_ACTIONS))
      .nullable()
      .openapi({ ...readOnly, description: 'The actions that the caller may take.' }),
    annotations: z.array(typedObject).nullable().openapi(readOnly),
    approverIds: ids.openapi(readOnly),
    stepApproverIds: ids.openapi(readOnly),
    commentCount: z.int32().openapi({ ...readOnly, type: 'integer', format: 'int32' }),
    data: z.record(z.string(), z.unknown()).nullable().openapi(readOnly),
    emergencyAccess: z.boolean().openapi(readOnly),
    externalRefs: z.array(externalRef).nullable().openapi(readOnly),
    form: orNull(formSchema),
    insightIds: ids,
    recommendation: openEnum(RECOMMENDATIONS),
    analysisId: text,
    policy: orNull(policyInstanceSchema),
    policyGenerationId: text,
    revocationTargets: z.array(revocationTarget).nullable().openapi(readOnly),
  })
  .openapi('Task')

export type Task = z.infer<typeof taskSchema>
