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
  'authorize-net': {
    url: 'https://developer.authorize.net/api/reference/features/webhooks.html',
    read: '2026-11-27',
  },
  bigcommerce: {
    url: 'https://github.com/bigcommerce/docs/blob/main/docs/integrations/webhooks/https-webhook-overview.mdx',
    read: '2026-11-27',
  },
  gemini: { url: 'https://ai.google.dev/gemini-api/docs/webhooks', read: '2026-11-27' },
  hygraph: { url: 'https://hygraph.com/docs/api-reference/basics/webhooks', read: '2026-11-27' },
  'incident-io': { url: 'https://github.com/incident-io/sdk-go/blob/main/openapi3.json', read: '2026-11-27' },
  loops: { url: 'https://loops.so/docs/api-reference/webhooks/contact-created', read: '2026-11-27' },
  'mercado-pago': { url: 'https://github.com/mercadopago/sdk-nodejs', read: '2026-11-27' },
  pandadoc: { url: 'https://developers.pandadoc.com/docs/webhook-verification', read: '2026-11-27' },
  pleo: {
    url: 'https://developers.pleo.io/reference/webhooks-authentication-authorisation',
    read: '2026-11-27',
  },
  plivo: { url: 'https://docs.plivo.com/docs/voice/xml/request/validation', read: '2026-11-27' },
  'recall-ai': {
    url: 'https://github.com/recallai/sample-apps/blob/main/verify_requests_from_recall/src/verify_request_from_recall.ts',
    read: '2026-11-27',
  },
  recurly: { url: 'https://docs.recurly.com/v1.3/docs/signature-verification', read: '2026-11-27' },
  render: { url: 'https://render.com/docs/webhooks', read: '2026-11-27' },
  safebase: {
    url: 'https://www.svix.com/event-types/us/org_2Lmnm325Gqjzoty7vhdMgL1HOxh/',
    read: '2026-11-27',
  },
  sardine: {
    url: 'https://docs.payments.sardine.ai/guides/integration/nftCheckout/webhooks',
    read: '2026-11-27',
  },
  shipbob: { url: 'https://developer.shipbob.com/webhooks', read: '2026-11-27' },
  stytch: { url: 'https://stytch.com/docs/b2b/guides/webhooks', read: '2026-11-27' },
  supabase: {
    url: 'https://github.com/supabase/auth/blob/master/internal/hooks/hookshttp/hookshttp.go',
    read: '2026-11-27',
  },
}

/** Whether the day on which a row was read is known. A test holds that it is, for each row added since. */
export const isDated = (scheme: string): boolean => scheme in SOURCES

/** Where and when a row was read. Undefined if nothing says so. */
export function sourceOf(scheme: string): Source | undefined {
  const url = NOTES[scheme]?.guide ?? RETRIES[scheme]?.source
  return SOURCES[scheme] ?? (url === undefined ? undefined : { url, read: '2026-11' })
}
