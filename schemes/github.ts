import { defineScheme, type SchemeFactory } from '../src/scheme/index.ts'

/**
 * GitHub: `X-Hub-Signature-256`, for repositories, organisations and apps. The older SHA-1 header is never looked at.
 *
 * The secret is the one you typed into the webhook's settings. The signature covers the body alone: the delivery's ID and
 * the event's name are headers that anyone who holds a captured delivery can change. So the signed bytes are claimed, and
 * "Redeliver" of an event that succeeded is answered as a duplicate.
 *
 * @example
 * ```ts
 * const auth = github({ secrets: process.env.GITHUB_WEBHOOK_SECRET })
 * ```
 */
export const github: SchemeFactory = defineScheme({
  name: 'github',
  sender: 'GitHub',
  secretName: 'secret of the webhook',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-hub-signature-256'], prefix: 'sha256=', spelling: 'hex' },
  signs: '{body}',
  eventId: { header: 'x-github-delivery' },
  eventType: { header: 'x-github-event' },
  content: ['json', 'form'],
  jsonField: 'payload',
  maxBodyBytes: 26_214_400,
  limits: 'No time is signed, nor the headers: X-GitHub-Delivery and X-GitHub-Event can be changed.',
})
