import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies generic notifications from HCP Terraform and Terraform Enterprise by their `X-TFE-Notification-Signature` header, an
 * HMAC-SHA512. The key is the token that you entered with the notification's URL. The signature covers only the body. There is no ID, so
 * the signed bytes are claimed. The notification with the trigger `verification`, sent when you enable the configuration, is an event.
 *
 * @example
 * ```ts
 * const auth = hcpTerraform({ secrets: process.env.TFE_NOTIFICATION_TOKEN })
 * ```
 */
export const hcpTerraform: SchemeFactory<SecretOptions, '/notifications/0/trigger'> = schemeOf({
  name: 'hcp-terraform',
  sender: 'HCP Terraform',
  secretName: 'token of the notification configuration',
  secretMadeBy: 'user',
  algorithm: 'hmac-sha512',
  key: 'text',
  signature: { headers: ['x-tfe-notification-signature'], spelling: 'hex' },
  signs: '{body}',
  eventType: { member: '/notifications/0/trigger' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned:
      'HCP Terraform signs only generic notifications with a token: enter one where you set the URL of the notification',
  },
  limits: 'The time, the URL and the headers are not signed.',
})
