import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import { inEitherFamily } from './kit/header-families.ts'
import { keyBytes } from './kit/keys.ts'
import { SVIX_BY_EITHER_NAME } from './kit/standard-webhooks-row.ts'

/**
 * Verifies webhooks from Recall.ai, by either name of their headers: what the dashboard's webhooks send has `svix-…`
 * in legacy workspaces, made before the end of 2025, and everything else has `webhook-…`. The verification secret
 * belongs to the workspace, and that of a legacy webhook to its endpoint. The signature covers the ID, the time and
 * the body (Standard Webhooks v1).
 *
 * @example
 * ```ts
 * const auth = recallAi({ secrets: process.env.RECALL_AI_WEBHOOK_SECRET })
 * ```
 */
export const recallAi: SchemeFactory<SecretOptions, '/event'> = schemeOf(
  {
    ...SVIX_BY_EITHER_NAME,
    name: 'recall-ai',
    sender: 'Recall.ai',
    secretName: 'verification secret of the workspace, whsec_…',
    eventType: { member: '/event' },
    facts: {
      unsigned:
        'a workspace may have no verification secret to sign with: see Developers, API Keys & Secrets in the dashboard',
    },
  },
  { families: inEitherFamily, keys: keyBytes },
)
