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
  'app-store': {
    url: 'https://developer.apple.com/documentation/appstoreservernotifications/responsebodyv2',
    read: '2026-11-27',
  },
  'authorize-net': {
    url: 'https://developer.authorize.net/api/reference/features/webhooks.html',
    read: '2026-11-27',
  },
  chargebee: { url: 'https://www.chargebee.com/docs/webhook_settings.html', read: '2026-11-27' },
  deepgram: { url: 'https://developers.deepgram.com/changelog/2026/10/27', read: '2026-11-27' },
  'google-channels': {
    url: 'https://developers.google.com/workspace/calendar/api/guides/push',
    read: '2026-11-27',
  },
  hygraph: { url: 'https://hygraph.com/docs/api-reference/basics/webhooks', read: '2026-11-27' },
  mailchimp: {
    url: 'https://mailchimp.com/developer/marketing/guides/sync-audience-data-webhooks/',
    read: '2026-11-27',
  },
  'mercado-pago': { url: 'https://github.com/mercadopago/sdk-nodejs', read: '2026-11-27' },
  'microsoft-teams': {
    url: 'https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-outgoing-webhook',
    read: '2026-11-27',
  },
  monday: { url: 'https://developer.monday.com/apps/docs/authorization-header', read: '2026-11-27' },
  netlify: { url: 'https://docs.netlify.com/deploy/deploy-notifications/', read: '2026-11-27' },
  pandadoc: { url: 'https://developers.pandadoc.com/docs/webhook-verification', read: '2026-11-27' },
  pipedrive: { url: 'https://pipedrive.readme.io/docs/guide-for-webhooks-v2', read: '2026-11-27' },
  plivo: { url: 'https://docs.plivo.com/docs/voice/xml/request/validation', read: '2026-11-27' },
  recurly: { url: 'https://docs.recurly.com/v1.3/docs/signature-verification', read: '2026-11-27' },
  ringcentral: {
    url: 'https://developers.ringcentral.com/guide/notifications/webhooks/receiving',
    read: '2026-11-27',
  },
  'vercel-connect': { url: 'https://www.npmjs.com/package/@vercel/connect', read: '2026-11-27' },
  wix: { url: 'https://dev.wix.com/docs/rest/articles/get-started/webhook-structure', read: '2026-11-27' },
  x: { url: 'https://docs.x.com/x-api/webhooks/quickstart', read: '2026-11-27' },
}

/** Whether the day on which a row was read is known. A test holds that it is, for each row added since. */
export const isDated = (scheme: string): boolean => scheme in SOURCES

/** Where and when a row was read. Undefined if nothing says so. */
export function sourceOf(scheme: string): Source | undefined {
  const url = NOTES[scheme]?.guide ?? RETRIES[scheme]?.source
  return SOURCES[scheme] ?? (url === undefined ? undefined : { url, read: '2026-11' })
}
