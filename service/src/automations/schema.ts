import { z } from '@hono/zod-openapi'
import { nameFilters, searchBody } from '../http/list.ts'
import { orNull } from '../http/or-null.ts'
import { timestamp } from '../http/timestamp.ts'
import {
  newWebhookSchema,
  signingSecretSchema,
  webhookPatchSchema,
  webhookSchema,
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

export const automationPatchSchema = z
  .strictObject({
    displayName: displayName.optional(),
    description: description.optional(),
    steps: stepsSchema.optional().openapi({ description: 'Steps run only after you publish them.' }),
    trigger: z
      .strictObject({ enabled: enabled.optional(), incomingWebhook: webhookPatchSchema.optional() })
      .optional(),
  })
  .openapi('AutomationPatch')

export const searchAutomationsRequest = searchBody(nameFilters).openapi('SearchAutomationsRequest')

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
export type AutomationPatch = z.infer<typeof automationPatchSchema>
export type SearchAutomations = z.infer<typeof searchAutomationsRequest>
export type Automation = z.infer<typeof automationSchema>
