import type { Evidence } from '../auth/evidence.ts'
import type { Delivery } from '../delivery.ts'
import type { Scheme } from '../scheme.ts'
import { type SchemeFactory, type SecretOptions, schemeOf } from './kit/define-scheme.ts'
import type { inEitherFamily } from './kit/header-families.ts'
import { TOKENS } from './kit/tokens.ts'

const SIGNATURE = 'x-revenuecat-webhook-signature'

const REVENUECAT: Scheme = {
  name: 'revenuecat',
  sender: 'RevenueCat',
  secretName: 'signing secret of the webhook, or its authorization header in full',
  secretMadeBy: 'user', // the signing secret is RevenueCat's, and the authorization header any text of yours
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: [SIGNATURE], separator: ',', prefix: 'v1=', spelling: 'hex' },
  signs: '{timestamp}.{body}',
  timestamp: { item: 't=', unit: 'seconds', of: 'attempt', toleranceSeconds: 300 },
  eventId: { member: '/event/id' },
  eventType: { member: '/event/type' },
  maxBodyBytes: 1_048_576,
  facts: {
    tokenWhen: 'without HMAC signing',
    unsigned:
      'RevenueCat signs only if the webhook has HMAC signing: turn it on in the dashboard, under Integrations, Webhooks, or pass the authorization header that you entered there',
    otherSecrets:
      'the signing secret is shown once, when you turn HMAC signing on or rotate it; the authorization header is another text, and signs nothing',
  },
  limits:
    'The URL and the headers are not signed. If you pass the authorization header as a secret, nothing is: anyone who has seen it can forge deliveries without a signature.',
}

/** A delivery without a signature is identified by its authorization header. */
const orByToken: typeof inEitherFamily = (scheme, authOf) => {
  const { timestamp: _, ...row } = scheme
  const signed = authOf(scheme)
  const token = authOf({ ...row, algorithm: 'token', signature: { headers: ['authorization'] } })
  const authFor = (delivery: Pick<Delivery, 'header'>) =>
    delivery.header(SIGNATURE)?.length ? signed : token
  return Object.freeze({
    ...signed,
    protocol: { ...signed.protocol, forDelivery: (delivery: Delivery) => authFor(delivery).protocol },
    authenticate: (evidence: Evidence) => authFor(evidence.delivery).authenticate(evidence),
  })
}

/**
 * Verifies webhooks from RevenueCat by their `X-RevenueCat-Webhook-Signature` header. Turn on HMAC webhook signing in the dashboard,
 * under Integrations, Webhooks, and pass the signing secret. The signature covers the time of the attempt and the body, which holds
 * the event's ID.
 *
 * Without HMAC signing, pass the complete value of the authorization header that you entered there. It is compared with the
 * `Authorization` header of deliveries that have no signature. Nothing is signed then, and anyone who has seen the value can send
 * anything: pass it only until signing is on. [Read in November 2026](https://www.revenuecat.com/docs/integrations/webhooks).
 *
 * @example
 * ```ts
 * const auth = revenuecat({ secrets: process.env.REVENUECAT_SIGNING_SECRET })
 * ```
 */
export const revenuecat: SchemeFactory<SecretOptions, '/event/type'> = schemeOf(REVENUECAT, {
  families: orByToken,
  tokens: TOKENS,
})
