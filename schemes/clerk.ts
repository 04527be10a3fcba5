import { defineScheme, type SchemeFactory } from '../src/scheme/index.ts'
import { SVIX } from '../src/scheme/standard-webhooks-row.ts'

/**
 * Clerk sends through Svix. The signing secret is on the endpoint's page in the dashboard. The signature covers the
 * ID, the time and the body (Standard Webhooks v1).
 */
export const clerk: SchemeFactory = defineScheme({
  ...SVIX,
  name: 'clerk',
  sender: 'Clerk',
  secretName: 'signing secret of the endpoint, whsec_…',
})
