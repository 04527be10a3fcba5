import { XML } from './kit/body-formats.ts'
import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

const HEADERS = Array.from({ length: 100 }, (_, index) => `x-docusign-signature-${index + 1}`)

/**
 * Verifies webhooks from DocuSign Connect by their headers `X-DocuSign-Signature-1` to `-100`, one for each HMAC key of the
 * account. Any of them may match. The keys are in the settings of Connect. The signature covers only the body. The signed
 * bytes are claimed, so a captured delivery cannot run again while they are remembered.
 *
 * With the data format JSON, which is the default in the settings of Connect, `event.payload` is the message. With a legacy format,
 * which is the default of `eventNotification` in the API, it is the text of the XML, and there is no `event.type`: parse it
 * yourself, or pass `eventData: { version: 'restv2.1', format: 'json' }`.
 *
 * @example
 * ```ts
 * const auth = docusign({ secrets: process.env.DOCUSIGN_WEBHOOK_SECRET })
 * ```
 */
export const docusign: SchemeFactory<SecretOptions, '/event', string> = schemeOf({
  name: 'docusign',
  sender: 'DocuSign',
  secretName: 'HMAC keys of Connect',
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: HEADERS, spelling: 'base64', maxSignatures: 100 },
  signs: '{body}',
  eventType: { member: '/event' },
  content: ['json', XML],
  maxBodyBytes: 26_214_400,
  facts: {
    unsigned:
      'DocuSign signs only if HMAC is on: add a key under Connect, Connect Keys, and choose Include HMAC Signature, or pass includeHMAC with eventNotification',
  },
  limits: 'The time, the URL and the headers are not signed.',
})
