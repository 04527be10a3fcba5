import { type SchemeFactory, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from FastSpring by their `X-FS-Signature` header. You choose the HMAC SHA256 secret in the webhook's settings. The
 * signature covers the body, a list of events, each with an ID, a type and a time of its own. The delivery has none, so the signed
 * bytes are claimed. FastSpring may send an event again in another list: deduplicate by `id` of each event as well. Answer exactly 200:
 * a 202 says that only the events whose IDs it lists were handled.
 *
 * @example
 * ```ts
 * const auth = fastspring({ secrets: process.env.FASTSPRING_WEBHOOK_SECRET })
 * ```
 */
export const fastspring: SchemeFactory = schemeOf({
  name: 'fastspring',
  sender: 'FastSpring',
  secretName: 'HMAC SHA256 secret of the webhook',
  secretMadeBy: 'user',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-fs-signature'], spelling: 'base64' },
  signs: '{body}',
  maxBodyBytes: 5_242_880,
  facts: {
    unsigned:
      "FastSpring signs only if the webhook has an HMAC SHA256 secret: set one in the webhook's settings",
  },
  limits: 'The time, the URL and the headers are not signed.',
})
