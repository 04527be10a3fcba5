import { type SchemeFactory, type SecretOptions, schemeOf, type UrlOptions } from './kit/define-scheme.ts'
import { signedUrlText } from './kit/signed-url.ts'

/** HubSpot decodes these twelve percent codes before it signs the URL, and no others. */
const DECODED = /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi
const decodeSome = (url: string) => url.replace(DECODED, decodeURIComponent)

/**
 * Verifies webhooks from HubSpot (version 3) by their `X-HubSpot-Signature-v3` header. The key is the app's client secret.
 * Pass the webhook's URL as `publicUrl`. The signature covers the method, the URL, the body and a timestamp. A delivery holds
 * up to 100 events and has no ID, so the signed bytes are claimed. The body counts the attempts, so a retry is a new body.
 * Your handler has to recognise repeated events.
 *
 * @example
 * ```ts
 * const auth = hubspot({
 *   secrets: process.env.HUBSPOT_CLIENT_SECRET,
 *   publicUrl: 'https://example.com/hooks',
 * })
 * ```
 */
export const hubspot: SchemeFactory<SecretOptions & UrlOptions> = schemeOf(
  {
    name: 'hubspot',
    sender: 'HubSpot',
    secretName: 'client secret of the app',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['x-hubspot-signature-v3'], spelling: 'base64' },
    signs: '{method}{url}{body}{timestamp}',
    timestamp: {
      header: 'x-hubspot-request-timestamp',
      unit: 'milliseconds',
      of: 'attempt',
      toleranceSeconds: 300,
    },
    signedUrl: decodeSome,
    maxBodyBytes: 1_048_576,
    facts: {
      unsigned:
        'HubSpot signs the webhooks of workflows only if they say so: choose Include request signature in header as the authentication type, and enter the ID of the app',
      otherSecrets: 'each app has its own; it is no access token',
      otherVersions: { 'x-hubspot-signature': { is: "HubSpot's older signature, v1 or v2" } },
    },
    limits: 'The other headers are not signed. A retry has another body.',
  },
  { url: signedUrlText },
)
