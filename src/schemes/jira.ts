import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Jira Cloud by their `X-Hub-Signature` header, which is a SHA-256 here. For webhooks of administrators, made
 * under Settings, System, WebHooks or by `/rest/webhooks/1.0/webhook`: you enter the secret there. Webhooks of OAuth and Connect apps
 * carry a JWT instead and are refused. The signature covers the body. The ID, `X-Atlassian-Webhook-Identifier`, is in an unsigned
 * header, so the signed bytes are claimed.
 *
 * @example
 * ```ts
 * const auth = jira({ secrets: process.env.JIRA_WEBHOOK_SECRET })
 * ```
 */
export const jira: SchemeFactory<SecretOptions, '/webhookEvent'> = schemeOf({
  name: 'jira',
  sender: 'Jira',
  secretName: 'secret of the webhook',
  secretMadeBy: 'user',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-hub-signature'], prefix: 'sha256=', spelling: 'hex' },
  signs: '{body}',
  eventId: { header: 'x-atlassian-webhook-identifier' },
  eventType: { member: '/webhookEvent' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned:
      "Jira signs only if an administrator's webhook has a secret: set one under Settings, System, WebHooks, or by the API. It signs no app's webhooks in this way",
  },
  limits: 'The time, the URL and the headers are not signed: X-Atlassian-Webhook-Identifier can be changed.',
})
