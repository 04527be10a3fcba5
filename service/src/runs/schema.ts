import { z } from '@hono/zod-openapi'
import { openEnum, prefixed } from '../http/open-enum.ts'
import { timestamp } from '../http/timestamp.ts'

export const runStates = prefixed('RUN_STATE', 'UNSPECIFIED PENDING RUNNING SUCCEEDED FAILED')
export const runStepStates = prefixed('RUN_STEP_STATE', 'UNSPECIFIED DONE FAILED')

const errorSchema = z.object({ code: z.string(), detail: z.string() }).nullable().openapi({
  description: 'The code of a problem, or `expression_failed`, or `given_up`.',
})

export const runStepSchema = z
  .object({
    type: z.string(),
    state: openEnum(runStepStates),
    outcome: z
      .string()
      .nullable()
      .openapi({ description: 'What was skipped, created or recorded, as JSON in a string.' }),
    error: errorSchema,
    finishedAt: timestamp,
  })
  .openapi('RunStep')

export const runSchema = z
  .object({
    id: z.string(),
    automationId: z.string(),
    version: z.int().openapi({ description: 'The published version whose steps run.' }),
    listenerId: z.string(),
    eventId: z.string().openapi({ description: '`Webhook-Event-Id`, in lower case.' }),
    input: z.string().openapi({ description: 'The unchanged body, as JSON in a string.' }),
    state: openEnum(runStates),
    steps: z.array(runStepSchema).openapi({ description: 'The finished steps, in order.' }),
    createdAt: timestamp,
    finishedAt: timestamp,
  })
  .openapi('Run', { description: 'One per accepted event.' })

export const recordSchema = z
  .object({
    id: z.string(),
    runId: z.string(),
    value: z.string().openapi({ description: 'JSON in a string.' }),
    createdAt: timestamp,
  })
  .openapi('Record', { description: 'What a `record` step kept.' })

export type Run = z.infer<typeof runSchema>
export type RunStep = z.infer<typeof runStepSchema>
export type RecordResource = z.infer<typeof recordSchema>
