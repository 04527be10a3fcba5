import { z } from '@hono/zod-openapi'
import { searchBody } from '../../http/list.ts'
import { openEnum, prefixed } from '../../http/open-enum.ts'
import { timestamp } from '../../http/timestamp.ts'

const AUDIT_EVENTS = prefixed(
  'TASK_AUDIT_EVENT',
  'UNSPECIFIED CREATED ACTION ACCEPTED_BY_POLICY REJECTED_BY_POLICY CLOSED',
)

export type AuditEvent = (typeof AUDIT_EVENTS)[number]

export const listAuditsRequest = searchBody({
  taskId: z.string().openapi({ description: 'The ID of the task, or its numeric ID.' }),
}).openapi('ListTaskAuditsRequest')

export const taskAuditSchema = z
  .object({
    id: z.string(),
    taskId: z.string(),
    event: openEnum(AUDIT_EVENTS),
    action: z
      .string()
      .openapi({ description: 'For an action, its type (2.6.2). `id` is then the `ticketActionId`.' }),
    policyStepId: z
      .string()
      .openapi({ description: 'The step that was acted on. Empty for the whole task.' }),
    comment: z.string(),
    outcome: z.string().openapi({ description: 'For a closed task, the outcome of its type.' }),
    userId: z
      .string()
      .openapi({ description: 'The user who acted. Empty if the service acted, as the policy says.' }),
    runId: z.string().openapi({ description: 'The run that acted for the user. Empty for API requests.' }),
    createdAt: timestamp,
  })
  .openapi('TaskAudit')

export type TaskAudit = z.infer<typeof taskAuditSchema>

export const taskActionSchema = z
  .object({
    id: z.string(),
    taskId: z.string(),
    type: z.string(),
    policyStepId: z.string(),
    comment: z.string(),
    userId: z.string(),
    createdAt: timestamp,
  })
  .openapi('TaskAction')

export type TaskAction = z.infer<typeof taskActionSchema>
