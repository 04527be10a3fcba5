import { aBoolean, checkOptions, optional, wellFormedText } from '../lib/options.ts'
import type { ManagementApi } from './api.ts'

/** A merchant account of Adyen. */
export interface AdyenMerchant {
  /** Its ID, such as `YOUR_MERCHANT_ACCOUNT`. */
  readonly merchant: string
  /** Whether it is of the test environment, which has keys of its own. Defaults to false. */
  readonly test?: boolean | undefined
}

/**
 * Adyen's Management API, for `inspect` only: it keeps no deliveries. Lists the webhooks of the merchant account, and none of the company
 * account's.
 *
 * The token: an API key with the role Management API—Webhooks read.
 *
 * @example
 * ```ts
 * const api = adyenApi({ merchant: 'YOUR_MERCHANT_ACCOUNT' })
 * ```
 *
 * @throws ListenerConfigError for a missing, unknown or invalid option.
 */
export function adyenApi(of: AdyenMerchant): ManagementApi {
  checkOptions('adyenApi', of, { merchant: wellFormedText, test: optional(aBoolean) })
  const { merchant, test = false } = of
  // https://github.com/Adyen/adyen-openapi/blob/aa014f0cbdb58ff5c44a2ff9d5fe734642210aff/json/ManagementService-v3.json, 2026-11-29
  return {
    scheme: 'adyen',
    sender: 'Adyen',
    baseUrl: `https://management-${test ? 'test' : 'live'}.adyen.com/v3`,
    parameters: { merchant },
    headers: {},
    token: { header: 'x-api-key', before: '', reads: 'the role Management API—Webhooks read' },
    endpoints: {
      path: '/merchants/{merchant}/webhooks',
      query: { pageSize: '100' },
      items: '/data',
      next: { linked: 'pageNumber', at: '/_links/next/href' },
      id: '/id',
      url: '/url',
      types: '/additionalSettings/includeEventCodes',
      allIfNone: true,
      should: [
        {
          finding: 'disabled',
          at: '/active',
          is: true,
          fix: 'activate it in the Customer Area, under Webhooks',
        },
        {
          finding: 'failed',
          at: '/hasError',
          is: false,
          fix: 'mend what its log in the Customer Area names, then send again what failed',
        },
        {
          finding: 'unsigned',
          at: '/hmacKeyCheckValue', // the checksum of its key
          is: 'present',
          fix: 'generate an HMAC key in the Customer Area, under Webhooks, and give it to your endpoint',
        },
        ...[
          'acceptsExpiredCertificate',
          'acceptsSelfSignedCertificate',
          'acceptsUntrustedRootCertificate',
        ].map((name) => ({
          finding: 'insecure' as const,
          at: `/${name}`,
          is: false,
          fix: 'switch it off in the Customer Area, under Webhooks',
        })),
      ],
    },
  }
}
