import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies what Segment's Webhooks (Actions) destination sends, by its `X-Signature` header; it is an HMAC-SHA1, the only algorithm that
 * Segment offers. You choose the shared secret in the destination's settings. The signature covers the body of one event, which holds its
 * ID.
 *
 * Leave batching off: the signature of a batch covers its first event only, so anyone who has seen one event
 * could add others. Batches are therefore refused. So are PUT and PATCH, and what Webhook Audiences sends with extra fields, which
 * its signature leaves out.
 *
 * @example
 * ```ts
 * const auth = segment({ secrets: process.env.SEGMENT_SHARED_SECRET })
 * ```
 */
export const segment: SchemeFactory<SecretOptions, '/type'> = schemeOf({
  name: 'segment',
  sender: 'Segment',
  secretName: 'shared secret of the destination',
  secretMadeBy: 'user',
  algorithm: 'hmac-sha1',
  key: 'text',
  signature: { headers: ['x-signature'], spelling: 'hex' },
  signs: '{body}',
  eventId: { member: '/messageId' },
  eventType: { member: '/type' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned: 'Segment signs only if the destination has a shared secret: set one in its settings',
    tests:
      'the signature of a batch covers its first event only, so batches do not verify: turn off batching in the mapping',
  },
  limits:
    'The time of the delivery, the URL and the headers are not signed. Of a batch only the first event is, so batches are refused.',
})
