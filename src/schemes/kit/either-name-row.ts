import { STANDARD_WEBHOOKS } from './standard-webhooks-row.ts'

/** Standard Webhooks, for senders that Svix lists among its own but whose pages name the standard's headers. The row needs `inEitherFamily`. */
export const STANDARD_BY_EITHER_NAME: typeof STANDARD_WEBHOOKS = {
  ...STANDARD_WEBHOOKS,
  otherHeaders: {
    'webhook-id': 'svix-id',
    'webhook-timestamp': 'svix-timestamp',
    'webhook-signature': 'svix-signature',
  },
}
