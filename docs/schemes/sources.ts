import { NOTES } from './notes.ts'
import { RETRIES } from './retries.ts'

/** Where and when the facts of a row were read. */
export interface Source {
  /** The page, SDK or OpenAPI document of the sender that says how it signs. */
  readonly url: string
  /** The day, such as `2026-11-27`, or the month if the day was not written down. */
  readonly read: string
}

/** By the name of the scheme, in alphabetical order. Older rows have none: `sourceOf` takes what was read of their retries. */
const SOURCES: { readonly [scheme: string]: Source } = {
  airtable: { url: 'https://airtable.com/developers/web/api/webhooks-overview', read: '2026-11-27' },
  airwallex: {
    url: 'https://www.airwallex.com/docs/developer-tools/webhooks/listen-for-webhook-events',
    read: '2026-11-27',
  },
  alchemy: { url: 'https://www.alchemy.com/docs/reference/notify-api-quickstart', read: '2026-11-27' },
  'authorize-net': {
    url: 'https://developer.authorize.net/api/reference/features/webhooks.html',
    read: '2026-11-27',
  },
  'cal-com': {
    url: 'https://github.com/calcom/cal.com/blob/main/docs/developing/guides/automation/webhooks.mdx',
    read: '2026-11-27',
  },
  'checkout-com': { url: 'https://www.checkout.com/docs/workflows', read: '2026-11-27' },
  circleci: { url: 'https://circleci.com/docs/guides/integration/outbound-webhooks/', read: '2026-11-27' },
  'coinbase-cdp': { url: 'https://docs.cdp.coinbase.com/webhooks/verify-signatures', read: '2026-11-27' },
  'coinbase-commerce': {
    url: 'https://docs.cdp.coinbase.com/commerce/api-arcitecture/webhooks-security',
    read: '2026-11-27',
  },
  'customer-io': { url: 'https://docs.customer.io/api/webhooks/', read: '2026-11-27' },
  heroku: { url: 'https://github.com/heroku/webhooks-docs', read: '2026-11-27' },
  'hugging-face': { url: 'https://huggingface.co/docs/hub/webhooks', read: '2026-11-27' },
  hygraph: { url: 'https://hygraph.com/docs/api-reference/basics/webhooks', read: '2026-11-27' },
  jira: { url: 'https://developer.atlassian.com/cloud/jira/platform/webhooks/', read: '2026-11-27' },
  'mercado-pago': { url: 'https://github.com/mercadopago/sdk-nodejs', read: '2026-11-27' },
  mollie: { url: 'https://docs.mollie.com/reference/webhooks-best-practices', read: '2026-11-27' },
  pandadoc: { url: 'https://developers.pandadoc.com/docs/webhook-verification', read: '2026-11-27' },
  plivo: { url: 'https://docs.plivo.com/docs/voice/xml/request/validation', read: '2026-11-27' },
  recurly: { url: 'https://docs.recurly.com/v1.3/docs/signature-verification', read: '2026-11-27' },
  retell: { url: 'https://docs.retellai.com/features/secure-webhook', read: '2026-11-27' },
  revenuecat: { url: 'https://www.revenuecat.com/docs/integrations/webhooks', read: '2026-11-27' },
  vapi: { url: 'https://docs.vapi.ai/server-url/server-authentication', read: '2026-11-27' },
}

/** Whether the day on which a row was read is known. A test holds that it is, for each row added since. */
export const isDated = (scheme: string): boolean => scheme in SOURCES

/** Where and when a row was read. Undefined if nothing says so. */
export function sourceOf(scheme: string): Source | undefined {
  const url = NOTES[scheme]?.guide ?? RETRIES[scheme]?.source
  return SOURCES[scheme] ?? (url === undefined ? undefined : { url, read: '2026-11' })
}
