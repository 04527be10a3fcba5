import { z } from '@hono/zod-openapi'
import { timestamp } from '../http/timestamp.ts'

export const appEntitlementSchema = z
  .object({
    id: z.string(),
    appId: z.string(),
    displayName: z.string(),
    description: z.string(),
    createdAt: timestamp,
  })
  .openapi('AppEntitlement', {
    description: 'The specification names this object (4.3) but shows no fields. All fields are additions.',
  })

export type AppEntitlement = z.infer<typeof appEntitlementSchema>
