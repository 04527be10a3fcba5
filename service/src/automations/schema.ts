import { z } from '@hono/zod-openapi'
import { type PageRequest, refs, searchBody } from '../http/list.ts'
import { orNull } from '../http/or-null.ts'
import { timestamp } from '../http/timestamp.ts'
import { updateMask } from '../http/update-mask.ts'
import {
  newWebhookSchema,
  signingSecretSchema,
  webhookPatchSchema,
  webhookSchema,
  webhookUpdateSchema,
} from '../listeners/schema.ts'
import { stepsSchema } from './steps.ts'

const displayName = z.string().min(1).max(200)
const description = z.string().max(2_000)
const enabled = z
  .boolean()
  .openapi({ description: 'A trigger that is not enabled runs nothing (4.2, rule 3).' })

export const newAutomationSchema = z
  .strictObject({
    displayName,
    description: description.default(''),
    steps: stepsSchema,
    trigger: z.strictObject({ enabled: enabled.default(false), incomingWebhook: newWebhookSchema }),
  })
  .openapi('NewAutomation')

const changes = {
  displayName: displayName.optional(),
  description: description.optional(),
  steps: stepsSchema.optional().openapi({ description: 'They run once they are published.' }),
}

export const automationPatchSchema = z
  .strictObject({
    ...changes,
    trigger: z
      .strictObject({ enabled: enabled.optional(), incomingWebhook: webhookPatchSchema.optional() })
      .optional(),
  })
  .openapi('AutomationPatch')

const ignored = z.unknown().optional().openapi({ description: 'Read-only: ignored.' })

/** An automation as a client read it, with its changes. */
export const maskedAutomationRequest = z
  .strictObject({
    // Not by `extend`: the document would hold both schemas, each of which refuses what the other adds.
    automation: z
      .strictObject({
        ...changes,
        trigger: z
          .strictObject({ enabled: enabled.optional(), incomingWebhook: webhookUpdateSchema.optional() })
          .optional(),
        ...{ id: ignored, publishedVersion: ignored, createdByUserId: ignored },
        ...{ createdAt: ignored, updatedAt: ignored },
      })
      .openapi('AutomationUpdate'),
    updateMask,
  })
  .openapi('MaskedUpdateAutomationRequest')

/** What clearing a field of an automation means. */
export const CLEARED_AUTOMATION: z.infer<typeof maskedAutomationRequest>['automation'] = {
  displayName: undefined,
  description: '',
  steps: undefined,
  trigger: undefined,
}

export const searchAutomationsRequest = searchBody({
  query: z
    .string()
    .optional()
    .openapi({ description: 'Part of the display name or description, in any case.' }),
  refs: refs.optional().openapi({ description: 'Empty or absent: all.' }),
}).openapi('SearchAutomationsRequest')

export const automationSchema = z
  .object({
    id: z.string(),
    displayName: z.string(),
    description: z.string(),
    steps: stepsSchema.openapi({ description: 'As edited last.' }),
    publishedVersion: z
      .int()
      .nullable()
      .openapi({ description: 'The version whose steps run. Null: never published, nothing runs.' }),
    trigger: z.object({ enabled, incomingWebhook: webhookSchema }),
    createdByUserId: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .openapi('Automation', {
    description: 'The specification describes it (4.2) and shows none of its fields.',
  })

export const automationResponse = z.object({ automation: automationSchema }).openapi('AutomationResponse')

export const createdAutomationSchema = z
  .object({ automation: automationSchema, signingSecret: orNull(signingSecretSchema) })
  .openapi('CreateAutomationResponse')

export type NewAutomation = z.infer<typeof newAutomationSchema>
export type AutomationPatch = z.infer<typeof maskedAutomationRequest>['automation']
export type AutomationFilters = Omit<z.infer<typeof searchAutomationsRequest>, keyof PageRequest>
export type Automation = z.infer<typeof automationSchema>
