import type { Scheme } from '../../scheme.ts'

type Row = Omit<Scheme, 'name' | 'sender' | 'secretName'>

/** What all senders of Standard Webhooks v1 share. */
export const STANDARD_WEBHOOKS: Row = {
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha256',
  key: { base64After: 'whsec_' },
  signature: { headers: ['webhook-signature'], separator: ' ', prefix: 'v1,', spelling: 'base64' },
  signs: '{id}.{timestamp}.{body}',
  timestamp: { header: 'webhook-timestamp', unit: 'seconds', of: 'attempt', toleranceSeconds: 300 },
  eventId: { header: 'webhook-id' },
  eventType: { member: '/type' },
  maxBodyBytes: 1_048_576,
  facts: { unsigned: false },
  limits: 'The URL and the other headers are not signed.',
}

/** The same scheme with Svix's original header names. */
export const SVIX: Row = {
  ...STANDARD_WEBHOOKS,
  signature: { ...STANDARD_WEBHOOKS.signature, headers: ['svix-signature'] },
  timestamp: { header: 'svix-timestamp', unit: 'seconds', of: 'attempt', toleranceSeconds: 300 },
  eventId: { header: 'svix-id' },
}

/**
 * Svix by either name, for senders that use both, or that only say that they send through Svix: it lets its customers choose,
 * and its libraries take both. The row needs `inEitherFamily`.
 */
export const SVIX_BY_EITHER_NAME: Row = {
  ...SVIX,
  otherHeaders: {
    'svix-id': 'webhook-id',
    'svix-timestamp': 'webhook-timestamp',
    'svix-signature': 'webhook-signature',
  },
}
