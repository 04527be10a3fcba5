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
const enabled = z.boolean().openapi({ description: 'A disabled trigger runs nothing (4.2, rule 3).' })

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
  steps: stepsSchema.optional().openapi({ description: 'Steps run only after you publish them.' }),
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

/** A whole automation, as a client read and then changed it. */
export const maskedAutomationRequest = z
  .strictObject({
    // Not with `extend`: the document would combine two strict schemas that refuse each other's fields.
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

/** The value of each field once cleared. */
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
    .openapi({ description: 'Part of the display name or description. Ignores case.' }),
  refs: refs.optional().openapi({ description: 'Default: all.' }),
}).openapi('SearchAutomationsRequest')

export const automationSchema = z
  .object({
    id: z.string(),
    displayName: z.string(),
    description: z.string(),
    steps: stepsSchema.openapi({ description: 'The steps as last edited.' }),
    publishedVersion: z
      .int()
      .nullable()
      .openapi({ description: 'The version whose steps run. Null if never published: nothing runs.' }),
    trigger: z.object({ enabled, incomingWebhook: webhookSchema }),
    createdByUserId: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .openapi('Automation', {
    description: 'The specification describes automations (4.2) but shows no fields.',
  })

export const automationResponse = z.object({ automation: automationSchema }).openapi('AutomationResponse')

export const createdAutomationSchema = z
  .object({ automation: automationSchema, signingSecret: orNull(signingSecretSchema) })
  .openapi('CreateAutomationResponse')

export type NewAutomation = z.infer<typeof newAutomationSchema>
export type AutomationPatch = z.infer<typeof maskedAutomationRequest>['automation']
export type AutomationFilters = Omit<z.infer<typeof searchAutomationsRequest>, keyof PageRequest>
export type Automation = z.infer<typeof automationSchema>
