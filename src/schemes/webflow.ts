import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Webflow by their `X-Webflow-Signature` header. The key is the webhook's secret key, or the client
 * secret of the app that created it. The signature covers a timestamp and the body. Deliveries have no ID, so the signed bytes
 * are claimed.
 *
 * @example
 * ```ts
 * const auth = webflow({ secrets: process.env.WEBFLOW_WEBHOOK_SECRET })
 * ```
 */
export const webflow: SchemeFactory<SecretOptions, '/triggerType'> = schemeOf({
  name: 'webflow',
  sender: 'Webflow',
  secretName: 'secret key of the webhook, or client secret of the app',
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-webflow-signature'], spelling: 'hex' },
  signs: '{timestamp}:{body}',
  timestamp: { header: 'x-webflow-timestamp', unit: 'milliseconds', of: 'attempt', toleranceSeconds: 300 },
  eventType: { member: '/triggerType' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned:
      'Webflow signs only webhooks that were created by its API: those made in the dashboard are unsigned, so create yours by the API',
  },
  limits: 'The URL and the other headers are not signed.',
})
