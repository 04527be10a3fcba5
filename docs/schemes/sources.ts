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
  acuity: { url: 'https://developers.acuityscheduling.com/docs/webhooks', read: '2026-11-27' },
  aftership: { url: 'https://www.aftership.com/docs/tracking/webhook/webhook-signature', read: '2026-11-30' },
  airtable: { url: 'https://airtable.com/developers/web/api/webhooks-overview', read: '2026-11-27' },
  airwallex: {
    url: 'https://www.airwallex.com/docs/developer-tools/webhooks/listen-for-webhook-events',
    read: '2026-11-27',
  },
  alchemy: { url: 'https://www.alchemy.com/docs/reference/notify-api-quickstart', read: '2026-11-27' },
  'app-store': {
    url: 'https://developer.apple.com/documentation/appstoreservernotifications/responsebodyv2',
    read: '2026-11-27',
  },
  'authorize-net': {
    url: 'https://developer.authorize.net/api/reference/features/webhooks.html',
    read: '2026-11-27',
  },
  bigcommerce: {
    url: 'https://github.com/bigcommerce/docs/blob/main/docs/integrations/webhooks/https-webhook-overview.mdx',
    read: '2026-11-27',
  },
  'cal-com': {
    url: 'https://github.com/calcom/cal.com/blob/main/docs/developing/guides/automation/webhooks.mdx',
    read: '2026-11-27',
  },
  chargebee: { url: 'https://www.chargebee.com/docs/webhook_settings.html', read: '2026-11-27' },
  'checkout-com': { url: 'https://www.checkout.com/docs/workflows', read: '2026-11-27' },
  circleci: { url: 'https://circleci.com/docs/guides/integration/outbound-webhooks/', read: '2026-11-27' },
  clickup: { url: 'https://developer.clickup.com/docs/webhooksignature', read: '2026-11-30' },
  'coinbase-cdp': { url: 'https://docs.cdp.coinbase.com/webhooks/verify-signatures', read: '2026-11-27' },
  'coinbase-commerce': {
    url: 'https://docs.cdp.coinbase.com/commerce/api-arcitecture/webhooks-security',
    read: '2026-11-27',
  },
  'commerce-layer': { url: 'https://docs.commercelayer.io/core/callbacks-security', read: '2026-11-27' },
  'customer-io': { url: 'https://docs.customer.io/api/webhooks/', read: '2026-11-27' },
  deepgram: { url: 'https://developers.deepgram.com/changelog/2026/10/27', read: '2026-11-27' },
  easypost: {
    url: 'https://github.com/EasyPost/easypost-node/blob/master/src/utils/util.js',
    read: '2026-11-30',
  },
  fastspring: { url: 'https://developer.fastspring.com/docs/message-security', read: '2026-11-27' },
  fireflies: { url: 'https://docs.fireflies.ai/graphql-api/webhooks-v2', read: '2026-11-27' },
  front: { url: 'https://dev.frontapp.com/docs/application-webhooks', read: '2026-11-27' },
  'front-rules': { url: 'https://dev.frontapp.com/docs/rule-webhooks', read: '2026-11-27' },
  gateway: {
    url: 'https://github.com/hookgate/hookgate/blob/main/docs/forward.md',
    read: '2026-11-30',
  },
  gemini: { url: 'https://ai.google.dev/gemini-api/docs/webhooks', read: '2026-11-27' },
  gitea: {
    url: 'https://github.com/go-gitea/gitea/blob/main/services/webhook/deliver.go',
    read: '2026-11-30',
  },
  'google-channels': {
    url: 'https://developers.google.com/workspace/calendar/api/guides/push',
    read: '2026-11-27',
  },
  'hcp-terraform': {
    url: 'https://developer.hashicorp.com/terraform/cloud-docs/workspaces/settings/notifications',
    read: '2026-11-30',
  },
  'help-scout': { url: 'https://developer.helpscout.com/webhooks', read: '2026-11-30' },
  heroku: { url: 'https://github.com/heroku/webhooks-docs', read: '2026-11-27' },
  'hugging-face': { url: 'https://huggingface.co/docs/hub/webhooks', read: '2026-11-27' },
  hygraph: { url: 'https://hygraph.com/docs/api-reference/basics/webhooks', read: '2026-11-27' },
  'incident-io': { url: 'https://github.com/incident-io/sdk-go/blob/main/openapi3.json', read: '2026-11-27' },
  jira: { url: 'https://developer.atlassian.com/cloud/jira/platform/webhooks/', read: '2026-11-27' },
  klarna: {
    url: 'https://docs.klarna.com/acquirer/worldpay-test/recommended-integration/webhooks-registration/',
    read: '2026-11-30',
  },
  klaviyo: { url: 'https://developers.klaviyo.com/en/docs/working_with_system_webhooks', read: '2026-11-27' },
  launchdarkly: {
    url: 'https://launchdarkly.com/docs/eu-docs/home/infrastructure/webhooks',
    read: '2026-11-30',
  },
  loops: { url: 'https://loops.so/docs/webhooks', read: '2026-11-27' },
  mailchimp: {
    url: 'https://mailchimp.com/developer/marketing/guides/sync-audience-data-webhooks/',
    read: '2026-11-27',
  },
  mandrill: {
    url: 'https://mandrill.zendesk.com/hc/en-us/articles/360039232513-How-to-Authenticate-Webhook-Requests',
    read: '2026-11-30',
  },
  'mcp-events': {
    url: 'https://github.com/modelcontextprotocol/experimental-ext-triggers-events/blob/6104601d8768982d864f26f399d3576320f8bc0a/docs/design-sketch-proposal.md',
    read: '2026-11-30',
  },
  'mercado-pago': { url: 'https://github.com/mercadopago/sdk-nodejs', read: '2026-11-27' },
  'microsoft-teams': {
    url: 'https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-outgoing-webhook',
    read: '2026-11-27',
  },
  'modern-treasury': {
    url: 'https://docs.moderntreasury.com/platform/reference/webhooks',
    read: '2026-11-27',
  },
  mollie: { url: 'https://docs.mollie.com/reference/webhooks-best-practices', read: '2026-11-27' },
  monday: { url: 'https://developer.monday.com/apps/docs/authorization-header', read: '2026-11-27' },
  netlify: { url: 'https://docs.netlify.com/deploy/deploy-notifications/', read: '2026-11-27' },
  nylas: {
    url: 'https://developer.nylas.com/docs/cookbook/use-cases/build/verify-webhook-signatures/',
    read: '2026-11-27',
  },
  orb: { url: 'https://github.com/orbcorp/orb-node/blob/main/src/resources/webhooks.ts', read: '2026-11-27' },
  pandadoc: { url: 'https://developers.pandadoc.com/docs/webhook-verification', read: '2026-11-27' },
  pipedrive: { url: 'https://pipedrive.readme.io/docs/guide-for-webhooks-v2', read: '2026-11-27' },
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
  retell: { url: 'https://docs.retellai.com/features/secure-webhook', read: '2026-11-27' },
  revenuecat: { url: 'https://www.revenuecat.com/docs/integrations/webhooks', read: '2026-11-27' },
  ringcentral: {
    url: 'https://developers.ringcentral.com/guide/notifications/webhooks/receiving',
    read: '2026-11-27',
  },
  safebase: {
    url: 'https://www.svix.com/event-types/us/org_2Lmnm325Gqjzoty7vhdMgL1HOxh/',
    read: '2026-11-27',
  },
  sardine: {
    url: 'https://docs.payments.sardine.ai/guides/integration/nftCheckout/webhooks',
    read: '2026-11-27',
  },
  segment: { url: 'https://www.npmjs.com/package/@segment/action-destinations', read: '2026-11-27' },
  shipbob: { url: 'https://developer.shipbob.com/webhooks', read: '2026-11-27' },
  stytch: { url: 'https://stytch.com/docs/b2b/guides/webhooks', read: '2026-11-27' },
  supabase: {
    url: 'https://github.com/supabase/auth/blob/master/internal/hooks/hookshttp/hookshttp.go',
    read: '2026-11-27',
  },
  surveymonkey: {
    url: 'https://github.com/SurveyMonkey/public_api_docs/blob/main/includes/_webhooks.md',
    read: '2026-11-30',
  },
  tally: { url: 'https://tally.so/help/webhooks', read: '2026-11-27' },
  tiktok: { url: 'https://developers.tiktok.com/doc/webhooks-verification', read: '2026-11-27' },
  todoist: {
    url: 'https://doist.github.io/todoist-sdk-typescript/api/functions/verifyWebhookSignature',
    read: '2026-11-30',
  },
  vapi: { url: 'https://docs.vapi.ai/server-url/server-authentication', read: '2026-11-27' },
  'vercel-connect': { url: 'https://www.npmjs.com/package/@vercel/connect', read: '2026-11-27' },
  webex: { url: 'https://developer.webex.com/blog/using-a-webhook-secret', read: '2026-11-27' },
  wise: {
    url: 'https://github.com/transferwise/digital-signatures-examples/tree/main/verify-webhook-signature',
    read: '2026-11-30',
  },
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
