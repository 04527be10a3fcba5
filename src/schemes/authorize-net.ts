import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'

/**
 * Verifies webhooks from Authorize.net by their `X-ANET-Signature` header: `sha512=`, and upper-case hex. The key is the text of the
 * Signature Key, 128 characters, as the Merchant Interface shows it under API Credentials and Keys: unlike for Authorize.net's
 * transaction hashes, it is not decoded. The signature covers the body alone, with the event's ID and time.
 *
 * [Authorize.net](https://developer.authorize.net/api/reference/features/webhooks.html), read in November 2026, does not say how the
 * key is encoded. A delivery with its key
 * [in its forum](https://community.developer.cybersource.com/t5/Integration-and-Testing/HMAC-SHA-512-hash-not-matching-in-webhook-callback/td-p/57162)
 * does.
 *
 * @example
 * ```ts
 * const auth = authorizeNet({ secrets: process.env.AUTHORIZE_NET_SIGNATURE_KEY })
 * ```
 */
export const authorizeNet: SchemeFactory<SecretOptions, '/eventType'> = schemeOf({
  name: 'authorize-net',
  sender: 'Authorize.net',
  secretName: 'Signature Key of the merchant',
  secretMadeBy: 'sender',
  algorithm: 'hmac-sha512',
  key: 'text',
  signature: { headers: ['x-anet-signature'], prefix: 'sha512=', spelling: 'upper-case-hex' },
  signs: '{body}',
  eventId: { member: '/notificationId' },
  eventType: { member: '/eventType' },
  maxBodyBytes: 1_048_576,
  facts: {
    unsigned:
      'Authorize.net sends webhooks only to merchants with a Signature Key: make one under Account, Settings, API Credentials and Keys',
    otherSecrets: 'it is neither the API Login ID nor the Transaction Key',
  },
  limits: 'The URL and the headers are not signed, nor is the time of the attempt.',
})
