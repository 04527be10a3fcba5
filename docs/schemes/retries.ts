/** How a sender repeats a delivery that failed. The sources were read in November 2026. */
export interface Retries {
  /**
   * In words. `'undocumented'`: the source was read in full, and does not say. `'not read'`: the source, which may say it, could not
   * be read in full. In both cases the sender may retry.
   */
  readonly says: string
  /** From the first attempt to the last one. 0 if there is no second. Undefined if it is not documented. */
  readonly lastsSeconds?: number
  /** How long the sender waits for a response. */
  readonly timeoutSeconds?: number
  /** When the sender stops sending to the endpoint. */
  readonly disabled?: string
  /** The page of the sender, or of the one who describes it. */
  readonly source: string
}

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Svix sends for many: https://docs.svix.com/retries. */
const SVIX: Omit<Retries, 'source'> = {
  says: '7 times in 28 hours: after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h',
  lastsSeconds: 27 * HOUR + 35 * MINUTE + 5,
  timeoutSeconds: 15,
  disabled: 'after 5 days of failures',
}

const ADYEN: Retries = {
  says: '3 times within a minute, then at growing intervals of up to 8 hours, for 30 days',
  lastsSeconds: 30 * DAY,
  timeoutSeconds: 10,
  source: 'https://docs.adyen.com/development-resources/webhooks/troubleshoot',
}

const notRead = (source: string): Retries => ({ says: 'not read', source })

const GITLAB: Retries = {
  says: 'after a timeout; how often is not said',
  timeoutSeconds: 10,
  disabled: 'for a minute to a day after 4 failures in a row, for good after 40',
  source: 'https://docs.gitlab.com/user/project/integrations/webhooks/',
}

/** By the name of the scheme. A test holds that none is missing. */
export const RETRIES: { readonly [scheme: string]: Retries } = {
  acuity: notRead('https://developers.acuityscheduling.com/docs/webhooks'),
  adyen: ADYEN,
  'adyen-platform': ADYEN,
  aftership: {
    says: '13 times in 68 hours: after 30 s, 1 min, 2 min and so on, the last 34 hours after the one before',
    lastsSeconds: 30 * (2 ** 13 - 1),
    source:
      'https://github.com/hookdeck/webhook-skills/blob/main/skills/aftership-webhooks/references/overview.md',
  },
  airtable: {
    says: 'undocumented in number; the notification says whether it will be retried',
    source: 'https://airtable.com/developers/web/api/model/webhooks-notification',
  },
  airwallex: {
    says: 'after anything but a 200, at growing intervals for about 3 days',
    lastsSeconds: 3 * DAY,
    source: 'https://www.airwallex.com/docs/developer-tools/webhooks/webhooks-overview',
  },
  alchemy: {
    says: '3 times: after 15 s, 1 min and 10 min; for Enterprise customers within an hour',
    lastsSeconds: 10 * MINUTE,
    timeoutSeconds: 5,
    disabled: 'webhooks are paused after failures; when is not said',
    source: 'https://www.alchemy.com/docs/reference/notify-api-quickstart',
  },
  anthropic: {
    says: 'twice, at growing intervals',
    disabled: 'at once after a 3xx or if the URL resolves to a private address, and after long failure',
    source:
      'https://github.com/anthropics/skills/blob/main/skills/claude-api/shared/managed-agents-webhooks.md',
  },
  'app-store': {
    says: '5 times: after 1, 12, 24, 48 and 72 hours; never in the sandbox',
    lastsSeconds: 157 * HOUR,
    source:
      'https://developer.apple.com/documentation/appstoreservernotifications/responding-to-app-store-server-notifications',
  },
  asana: {
    says: 'for up to 24 hours',
    lastsSeconds: DAY,
    timeoutSeconds: 10,
    source: 'https://developers.asana.com/docs/webhooks-guide',
  },
  auth0: {
    says: '3 attempts, repeated until one succeeds or the stream is paused',
    lastsSeconds: 7 * DAY,
    disabled: 'after 7 days of failures',
    source: 'https://auth0.com/docs/customize/log-streams',
  },
  'authorize-net': notRead('https://developer.authorize.net/api/reference/features/webhooks.html'),
  bigcommerce: {
    says: '11 times in 48 hours: after 1, 3, 5, 10, 15 and 30 min, 1 h, 2 h, 6 h, 14 h and 24 h',
    lastsSeconds: 173_040,
    disabled:
      'after the last retry; a domain that answers less than 90 % with 2xx gets nothing for 3 minutes',
    source:
      'https://github.com/bigcommerce/docs/blob/main/docs/integrations/webhooks/https-webhook-overview.mdx',
  },
  bitbucket: {
    says: 'twice, only after a 5xx',
    timeoutSeconds: 10,
    source: 'https://support.atlassian.com/bitbucket-cloud/docs/troubleshoot-webhooks/',
  },
  box: {
    says: 'up to 12 times in 2 hours',
    lastsSeconds: 2 * HOUR,
    timeoutSeconds: 30,
    source: 'https://developer.box.com/guides/webhooks/v2/',
  },
  braintree: {
    says: 'hourly for up to 24 hours; in the sandbox for up to 3',
    lastsSeconds: DAY,
    timeoutSeconds: 30,
    source: 'https://developer.paypal.com/braintree/docs/guides/webhooks/parse',
  },
  buildkite: { says: 'undocumented', source: 'https://buildkite.com/docs/apis/webhooks/pipelines' },
  'cal-com': {
    says: 'undocumented',
    source: 'https://github.com/calcom/cal.com/blob/main/docs/developing/guides/automation/webhooks.mdx',
  },
  calendly: {
    says: 'less and less often for 24 hours',
    lastsSeconds: DAY,
    timeoutSeconds: 15,
    disabled: 'if another delivery fails after those 24 hours',
    source: 'https://developer.calendly.com/api-docs/overview/webhooks/webhook-errors',
  },
  chargebee: {
    says: 'at growing intervals for 2 days; the last one at most 3 days and 7 hours after the event',
    lastsSeconds: 2 * DAY,
    source: 'https://apidocs.chargebee.com/docs/api/events',
  },
  'checkout-com': {
    says: '8 times, each after the one before: 5, 10, 15 and 30 min, 1, 4, 12 and 12 hours',
    lastsSeconds: 30 * HOUR,
    source: 'https://www.checkout.com/docs/workflows',
  },
  circleci: {
    says: 'after a timeout or anything but a 2xx; how often is not said',
    timeoutSeconds: 10,
    source: 'https://circleci.com/docs/guides/integration/outbound-webhooks/',
  },
  clerk: { ...SVIX, source: 'https://clerk.com/docs/guides/development/webhooks/overview' },
  clickup: {
    says: 'up to 5 times for each event',
    timeoutSeconds: 7,
    disabled: 'after 100 events that failed, and at once after a 401 or 410',
    source: 'https://developer.clickup.com/docs/webhookhealth',
  },
  cloudevents: {
    says: 'each sender decides',
    disabled: 'each sender decides; a 410 asks it to stop',
    source: 'https://github.com/cloudevents/spec/blob/main/cloudevents/http-webhook.md',
  },
  cloudinary: {
    says: 'after a failure; how often is not said',
    source:
      'https://github.com/hookdeck/webhook-skills/blob/main/skills/cloudinary-webhooks/references/overview.md',
  },
  'coinbase-cdp': {
    says: 'not read',
    source: 'https://docs.cdp.coinbase.com/webhooks/verify-signatures',
  },
  'coinbase-commerce': {
    says: 'at growing intervals, of at most an hour, for up to 3 days',
    lastsSeconds: 3 * DAY,
    source: 'https://docs.cdp.coinbase.com/commerce/api-arcitecture/webhooks-overview',
  },
  'commerce-layer': {
    says: 'up to 10 times',
    timeoutSeconds: 5,
    disabled: 'after 30 failures in a row',
    source: 'https://docs.commercelayer.io/core/real-time-webhooks',
  },
  contentful: {
    says: 'twice, 30 seconds apart; a retry policy may ask for up to 99 retries within about 24 hours',
    lastsSeconds: MINUTE,
    source: 'https://www.contentful.com/developers/docs/webhooks/retry-policy/',
  },
  'customer-io': {
    says: 'at growing intervals for 7 days, after an hour at first if the server responds with an error; later events wait meanwhile',
    lastsSeconds: 7 * DAY,
    timeoutSeconds: 4,
    source: 'https://docs.customer.io/api/webhooks/',
  },
  deepgram: {
    says: 'up to 10 times, 30 s apart',
    lastsSeconds: 5 * MINUTE,
    source: 'https://developers.deepgram.com/docs/callback',
  },
  discord: {
    says: 'events several times within 10 minutes, interactions never',
    lastsSeconds: 10 * MINUTE,
    timeoutSeconds: 3,
    disabled: 'if you accept a wrong signature, which Discord sends on purpose',
    source: 'https://discord.com/developers/docs/events/webhook-events',
  },
  docusign: {
    says: 'at growing intervals for 15 days, from 5 minutes on',
    lastsSeconds: 15 * DAY,
    source: 'https://github.com/hookdeck/webhook-skills',
  },
  dodo: {
    says: '8 attempts in 28 hours, on the schedule of Svix',
    lastsSeconds: SVIX.lastsSeconds ?? 0,
    timeoutSeconds: 15,
    source: 'https://docs.dodopayments.com/developer-resources/webhooks',
  },
  dropbox: {
    says: 'at growing intervals for about 10 minutes, by an older version of the page',
    lastsSeconds: 10 * MINUTE,
    source: 'https://www.dropbox.com/developers/reference/webhooks',
  },
  'dropbox-sign': {
    says: 'at growing intervals for about 3 days',
    lastsSeconds: 3 * DAY,
    source: 'https://developers.hellosign.com/api/manual-reference-pages/glossary/callbacks-events',
  },
  easypost: {
    says: 'after anything but a 2xx; how often is not said',
    disabled: 'after repeated failures; when is not said',
    source: 'https://docs.easypost.com/docs/webhooks',
  },
  elevenlabs: {
    says: 'only if you turn retries on for the webhook',
    disabled: 'after 10 failures in a row, if no delivery succeeded for 7 days',
    source: 'https://elevenlabs.io/docs/eleven-api/resources/webhooks',
  },
  fastspring: {
    says: 'up to 12 times in 7 days: after 1, 2, 4, 6, 6 and 6 hours, then daily; a 202 must list the IDs of the events that were handled',
    lastsSeconds: 7 * DAY,
    source: 'https://developer.fastspring.com/reference/processed-and-unprocessed-webhook-events',
  },
  fireflies: {
    says: 'undocumented',
    timeoutSeconds: 10,
    source: 'https://docs.fireflies.ai/graphql-api/webhooks-v2',
  },
  front: {
    says: 'up to 3 times',
    timeoutSeconds: 10,
    source: 'https://dev.frontapp.com/docs/application-webhooks',
  },
  'front-rules': {
    says: 'never',
    lastsSeconds: 0,
    timeoutSeconds: 5,
    source: 'https://dev.frontapp.com/docs/rule-webhooks',
  },
  gateway: {
    says: 'as often as the sender, whose deliveries it passes on',
    timeoutSeconds: 10,
    source: 'https://github.com/hookgate/hookgate/blob/main/docs/forward.md',
  },
  gemini: {
    says: 'less and less often for 24 hours',
    lastsSeconds: DAY,
    source: 'https://ai.google.dev/gemini-api/docs/webhooks',
  },
  gitea: {
    says: 'never; redeliver from the page of the webhook',
    lastsSeconds: 0,
    timeoutSeconds: 5,
    source: 'https://github.com/go-gitea/gitea/blob/main/services/webhook/deliver.go',
  },
  github: {
    says: 'never; redeliver by hand or by the API, for 3 days',
    lastsSeconds: 0,
    timeoutSeconds: 10,
    source: 'https://docs.github.com/en/webhooks/using-webhooks/handling-failed-webhook-deliveries',
  },
  gitlab: GITLAB,
  'gitlab-signing': GITLAB,
  gocardless: {
    says: 'up to 8 times, at growing intervals, e.g. after 1, 2 and 10 minutes',
    timeoutSeconds: 10,
    source: 'https://support.gocardless.com/hc/en-nz/articles/360000989989-Webhook-retries-failures',
  },
  'google-channels': {
    says: 'only after a 500, 502, 503 or 504, at growing intervals; how often is not said',
    source: 'https://developers.google.com/workspace/calendar/api/guides/push',
  },
  graph: {
    says: 'for up to 4 hours',
    lastsSeconds: 4 * HOUR,
    timeoutSeconds: 3,
    source: 'https://github.com/hookdeck/webhook-skills',
  },
  'hcp-terraform': {
    says: 'undocumented',
    source:
      'https://github.com/hashicorp/web-unified-docs/blob/main/content/terraform-docs-common/docs/cloud-docs/workspaces/settings/notifications.mdx',
  },
  'help-scout': notRead('https://developer.helpscout.com/webhooks'),
  heroku: {
    says: 'for 72 hours if the level of the webhook is sync, never if it is notify; after 72 hours of failures, events are tried once',
    lastsSeconds: 72 * HOUR,
    source: 'https://devcenter.heroku.com/changelog-items/2525',
  },
  hubspot: {
    says: 'up to 10 times, at growing intervals; never after a 400, 401, 403, 404 or 405',
    source: 'https://community.hubspot.com/t5/APIs-Integrations/Webhooks-response/td-p/277558',
  },
  'hugging-face': {
    says: 'undocumented',
    source: 'https://github.com/huggingface/hub-docs/blob/main/docs/hub/webhooks.md',
  },
  hygraph: {
    says: '4 times',
    timeoutSeconds: 3,
    source: 'https://hygraph.com/docs/api-reference/basics/webhooks',
  },
  'incident-io': {
    says: 'less and less often for 24 hours',
    lastsSeconds: DAY,
    disabled: 'after 5 days of failures',
    source: 'https://github.com/incident-io/sdk-go/blob/main/openapi3.json',
  },
  intercom: {
    says: 'unless you answer 200 in time; how often is not said. After a 429 for up to 2 hours',
    timeoutSeconds: 5,
    disabled:
      'paused for 15 minutes after 1,000 failures in a row within 15 minutes; private apps are suspended after 7 days of failures',
    source: 'https://developers.intercom.com/docs/webhooks/webhook-notifications',
  },
  jira: {
    says: 'after a timeout, 408, 409, 425, 429 or 5xx, up to about 30 minutes after the event; how often is in a part that could not be read',
    source: 'https://community.developer.atlassian.com/t/new-jira-cloud-webhook-retry-policy/30554',
  },
  klarna: {
    says: 'after a timeout, 4xx or 5xx, at growing intervals of up to 12 hours',
    source:
      'https://docs.klarna.com/klarna-network-distribution/manage-partners/integration-setup-and-notifications/webhooks',
  },
  klaviyo: {
    says: 'at growing intervals of up to 1 hour',
    timeoutSeconds: 5,
    disabled: 'after more than 48 hours of failures',
    source: 'https://developers.klaviyo.com/en/docs/working_with_system_webhooks',
  },
  launchdarkly: {
    says: 'once',
    source: 'https://launchdarkly.com/docs/eu-docs/home/infrastructure/webhooks',
  },
  'lemon-squeezy': {
    says: '3 times, at growing intervals, e.g. 5, 25 and 125 seconds',
    lastsSeconds: 5 + 25 + 125,
    source: 'https://docs.lemonsqueezy.com/help/webhooks/webhook-requests',
  },
  line: {
    says: 'only if you turn redelivery on; LINE does not say how often',
    disabled: 'LINE may stop sending after long failure',
    source: 'https://developers.line.biz/en/docs/messaging-api/receiving-messages/',
  },
  linear: {
    says: 'after an error; users report 3 retries, after 1 minute, 1 hour and 6 hours',
    source: 'https://github.com/linear/linear/blob/master/packages/sdk/src/schema.graphql',
  },
  lithic: {
    says: 'unless you answer 2xx; how often is not said',
    source: 'https://github.com/lithic-com/lithic-node/blob/main/src/resources/events/subscriptions.ts',
  },
  livekit: {
    says: 'several times; how often is not said',
    source: 'https://docs.livekit.io/home/server/webhooks/',
  },
  loops: { says: 'undocumented', source: 'https://loops.so/docs/webhooks' },
  mailchimp: {
    says: 'at growing intervals over 75 minutes',
    lastsSeconds: 75 * MINUTE,
    timeoutSeconds: 10,
    source: 'https://mailchimp.com/developer/marketing/guides/sync-audience-data-webhooks/',
  },
  mailgun: {
    says: '6 times in 8 hours: after 5, 10 and 15 min, 1 h, 2 h and 4 h, for all but delivery events; never after a 406',
    lastsSeconds: 8 * HOUR,
    source: 'https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhook-retries',
  },
  mandrill: notRead(
    'https://mandrill.zendesk.com/hc/en-us/articles/360039232513-How-to-Authenticate-Webhook-Requests',
  ),
  'mcp-events': {
    says: 'each server decides; the draft suggests 3 to 5 attempts in 10 to 15 minutes, and none after a 410 or 413',
    source:
      'https://github.com/modelcontextprotocol/experimental-ext-triggers-events/blob/6104601d8768982d864f26f399d3576320f8bc0a/docs/design-sketch-proposal.md',
  },
  'mercado-pago': {
    says: 'after 5 min, 45 min, 6 h, 2 d and 4 d, until the answer is 200 or 201',
    timeoutSeconds: 22,
    source:
      'https://www.mercadopago.com.br/developers/en/docs/checkout-api/additional-content/notifications/ipn/online-payments/online-url-after-notification',
  },
  meta: {
    says: 'at once, then less and less often for 36 hours; WhatsApp for up to 7 days',
    lastsSeconds: 7 * DAY,
    source: 'https://developers.facebook.com/docs/graph-api/webhooks/getting-started',
  },
  'microsoft-teams': {
    says: 'undocumented',
    timeoutSeconds: 5,
    source:
      'https://github.com/MicrosoftDocs/msteams-docs/blob/main/msteams-platform/webhooks-and-connectors/how-to/add-outgoing-webhook.md',
  },
  'modern-treasury': {
    says: 'at growing intervals; for how long is not said',
    timeoutSeconds: 5,
    source: 'https://docs.moderntreasury.com/platform/reference/webhooks',
  },
  mollie: {
    says: 'after a timeout or anything but a success; how often is in a part that could not be read',
    timeoutSeconds: 15,
    source: 'https://docs.mollie.com/reference/webhooks-new',
  },
  monday: {
    says: 'once a minute for 30 minutes',
    lastsSeconds: 30 * MINUTE,
    source: 'https://developer.monday.com/api-reference/docs/webhooks',
  },
  mux: {
    says: 'less and less often for 24 hours',
    lastsSeconds: DAY,
    timeoutSeconds: 5,
    source: 'https://www.mux.com/docs/core/listen-for-webhooks',
  },
  netlify: notRead('https://docs.netlify.com/deploy/deploy-notifications/'),
  notion: notRead('https://developers.notion.com/reference/webhooks-events-delivery'),
  nylas: {
    says: 'twice; how soon is not said',
    timeoutSeconds: 10,
    source: 'https://developer.nylas.com/docs/cookbook/use-cases/build/handle-duplicate-webhooks/',
  },
  okta: {
    says: 'once, and never after a 4xx',
    timeoutSeconds: 3,
    source: 'https://developer.okta.com/docs/concepts/event-hooks/',
  },
  openai: {
    says: 'less and less often for up to 72 hours',
    lastsSeconds: 3 * DAY,
    source: 'https://hookdeck.com/webhooks/platforms/guide-to-openai-webhooks-features-and-best-practices',
  },
  orb: notRead('https://docs.withorb.com/integrations-and-exports/webhooks'),
  paddle: {
    says: '60 times in 3 days; in the sandbox 3 times in 15 minutes',
    lastsSeconds: 3 * DAY,
    timeoutSeconds: 5,
    source: 'https://developer.paddle.com/webhooks/respond-to-webhooks',
  },
  pagerduty: {
    says: 'for up to 48 hours after a timeout, a 429 or a 5xx; never after another 4xx',
    lastsSeconds: 2 * DAY,
    timeoutSeconds: 5,
    disabled: 'for 24 hours after 3 events in a row that PagerDuty gave up',
    source: 'https://github.com/hookdeck/webhook-skills',
  },
  pandadoc: {
    says: 'automatically and by hand; how often is not said',
    timeoutSeconds: 20,
    source: 'https://developers.pandadoc.com/docs/webhook-debugging',
  },
  paypal: {
    says: 'up to 25 times in 3 days',
    lastsSeconds: 3 * DAY,
    source: 'https://developer.paypal.com/api/rest/webhooks/',
  },
  paystack: {
    says: '4 times every 3 minutes, then hourly for 72 hours; in test mode hourly for 10 hours',
    lastsSeconds: 3 * DAY + 12 * MINUTE,
    timeoutSeconds: 30,
    source: 'https://paystack.com/docs/payments/webhooks/',
  },
  pipedrive: {
    says: '3 times: after 3, 30 and 150 s',
    lastsSeconds: 183,
    timeoutSeconds: 10,
    disabled: 'for 30 minutes after 10 first attempts that failed, for good after 3 days without a success',
    source: 'https://pipedrive.readme.io/docs/guide-for-webhooks-v2',
  },
  plaid: {
    says: 'for up to 24 hours: after 30 s, then each time after 4 times as long',
    lastsSeconds: DAY,
    timeoutSeconds: 10,
    source:
      'https://support.plaid.com/hc/en-us/articles/40390675922967-Can-Plaid-re-push-failed-or-missed-webhook-events',
  },
  pleo: notRead('https://developers.pleo.io/reference/overview-webhooks'),
  plivo: {
    says: 'as the fragment of the URL says: the parameters of callback retries',
    source: 'https://docs.plivo.com/docs/voice/concepts/callback-configurations/',
  },
  polar: {
    says: 'up to 10 times, at growing intervals',
    timeoutSeconds: 10,
    disabled: 'after 10 failed deliveries in a row',
    source: 'https://docs.polar.sh/integrate/webhooks/delivery',
  },
  postmark: {
    says: 'inbound messages 10 times in 10.5 hours, never after a 403; other events have other schedules',
    lastsSeconds: 10.5 * HOUR,
    source: 'https://postmarkapp.com/support/article/understanding-inbound-webhook-retries-in-postmark',
  },
  pubsub: {
    says: 'until it is acknowledged, at most for the retention of the subscription: 7 days by default, 31 at most',
    lastsSeconds: 7 * DAY,
    source: 'https://docs.cloud.google.com/pubsub/docs/subscription-properties',
  },
  qstash: {
    says: '3 times: after 12 s, 2.5 min and 30 min; each message may ask for another number',
    lastsSeconds: 12 + 148 + 1808,
    source: 'https://upstash.com/docs/qstash/features/retry',
  },
  razorpay: {
    says: 'less and less often for 24 hours',
    lastsSeconds: DAY,
    timeoutSeconds: 5,
    disabled: 'after 24 hours of failures',
    source: 'https://razorpay.com/docs/webhooks/',
  },
  'recall-ai': {
    ...SVIX,
    says: `${SVIX.says}; real-time endpoints have a schedule of their own`,
    source: 'https://docs.recall.ai/docs/faq-webhooks',
  },
  recurly: {
    says: '10 times, at intervals that grow from 10 s: 10 + x · 2^(x + 5) seconds',
    lastsSeconds: 262_308,
    timeoutSeconds: 5,
    source: 'https://docs.recurly.com/recurly-subscriptions/docs/automatic-retries',
  },
  render: {
    says: '7 times in about 33 hours, less and less often',
    lastsSeconds: 33 * HOUR,
    timeoutSeconds: 15,
    disabled: 'after 8 failed attempts of one notification',
    source: 'https://render.com/docs/webhooks',
  },
  replicate: {
    says: 'several times within about a minute, and only when a prediction has ended',
    lastsSeconds: MINUTE,
    source: 'https://replicate.com/docs/topics/webhooks/receive-webhook',
  },
  resend: { ...SVIX, source: 'https://resend.com/docs/webhooks/retries-and-replays' },
  retell: {
    says: 'up to 3 times, after a timeout or anything but a 2xx; the intervals are not said',
    timeoutSeconds: 10,
    source: 'https://docs.retellai.com/features/webhook-overview',
  },
  revenuecat: {
    says: 'after anything but a 200, 5 times: after 5, 10, 20, 40 and 80 min',
    lastsSeconds: 155 * MINUTE,
    timeoutSeconds: 60,
    source: 'https://www.revenuecat.com/docs/integrations/webhooks',
  },
  rfc9421: { says: 'each sender decides', source: 'https://www.rfc-editor.org/rfc/rfc9421' },
  ringcentral: {
    says: 'undocumented',
    timeoutSeconds: 3,
    disabled: 'for good after long failure',
    source: 'https://developers.ringcentral.com/guide/notifications/webhooks/troubleshooting',
  },
  safebase: { ...SVIX, source: 'https://docs.svix.com/retries' },
  sanity: {
    says: 'twice, 30 seconds apart, after a 429 or 5xx',
    lastsSeconds: MINUTE,
    timeoutSeconds: 30,
    source: 'https://www.sanity.io/docs/changelog/50ec6abf-fe0c-475b-ae72-314148860132',
  },
  sardine: {
    says: 'undocumented',
    source: 'https://docs.payments.sardine.ai/guides/integration/nftCheckout/webhooks',
  },
  segment: {
    says: 'for 4 hours, at growing intervals',
    lastsSeconds: 4 * HOUR,
    source: 'https://www.twilio.com/docs/segment/connections/destinations',
  },
  sendgrid: {
    says: 'at growing intervals for up to 24 hours after the event',
    lastsSeconds: DAY,
    source: 'https://docs.sendgrid.com/for-developers/tracking-events/troubleshooting',
  },
  sentry: {
    says: 'undocumented',
    source: 'https://docs.sentry.io/organization/integrations/integration-platform/webhooks/',
    timeoutSeconds: 1,
    disabled: 'after 1,000 timeouts in 24 hours',
  },
  shipbob: { ...SVIX, source: 'https://developer.shipbob.com/webhooks' },
  shopify: {
    says: '8 times in 4 hours, with the original body',
    lastsSeconds: 4 * HOUR,
    timeoutSeconds: 5,
    disabled: 'subscriptions made with the Admin API are deleted after 8 failures in a row',
    source: 'https://shopify.dev/changelog/updates-to-webhook-retry-mechanism',
  },
  slack: {
    says: '3 times: at once, after 1 minute and after 5 minutes',
    lastsSeconds: 6 * MINUTE,
    timeoutSeconds: 3,
    source: 'https://docs.slack.dev/apis/events-api/',
  },
  sns: {
    says: '3 times, 20 seconds apart, only after server errors; a delivery policy may ask for more, within an hour',
    lastsSeconds: MINUTE,
    source: 'https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html',
  },
  square: {
    says: 'for up to 24 hours',
    lastsSeconds: DAY,
    timeoutSeconds: 10,
    source: 'https://developer.squareup.com/docs/webhooks/troubleshooting',
  },
  'standard-webhooks': {
    says: 'each sender decides; the specification suggests 9 times in 3 days',
    lastsSeconds: 75 * HOUR + 35 * MINUTE + 5,
    disabled: 'each sender decides; after a 410 it should stop',
    source: 'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
  },
  stripe: {
    says: 'less and less often for up to 3 days; in a sandbox 3 times in a few hours',
    lastsSeconds: 3 * DAY,
    source: 'https://docs.stripe.com/webhooks/process-undelivered-events',
  },
  stytch: { ...SVIX, source: 'https://docs.svix.com/retries' },
  supabase: {
    says: 'twice within 5 seconds, after a failed connection, or a 429 or 503 with Retry-After',
    lastsSeconds: 5,
    timeoutSeconds: 5,
    source: 'https://github.com/supabase/auth/blob/master/internal/hooks/hookshttp/hookshttp.go',
  },
  surveymonkey: {
    says: 'undocumented',
    source: 'https://github.com/SurveyMonkey/public_api_docs/blob/main/includes/_webhooks.md',
  },
  svix: { ...SVIX, source: 'https://docs.svix.com/retries' },
  tally: {
    says: '5 times: after 5 min, 30 min, 1 h, 6 h and 1 day',
    lastsSeconds: 31 * HOUR + 35 * MINUTE,
    timeoutSeconds: 10,
    source: 'https://tally.so/help/webhooks',
  },
  telegram: {
    says: '"a reasonable amount of attempts"; updates are kept for at most 24 hours',
    lastsSeconds: DAY,
    source: 'https://core.telegram.org/bots/api#setwebhook',
  },
  telnyx: {
    says: 'messages up to 3 attempts per URL, then 3 to the failover URL',
    timeoutSeconds: 2,
    source: 'https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks',
  },
  tiktok: {
    says: 'at growing intervals for up to 72 hours, after anything but a 200',
    lastsSeconds: 3 * DAY,
    source: 'https://developers.tiktok.com/doc/webhooks-overview',
  },
  todoist: {
    says: 'after 15 minutes, at most 3 attempts',
    source:
      'https://raw.githubusercontent.com/api-evangelist/todoist/refs/heads/main/openapi/todoist-asyncapi.yml',
  },
  trello: {
    says: '3 times, by an older version of the page',
    disabled: 'for good after a 410',
    source: 'https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks/',
  },
  twilio: {
    says: 'never, unless the URL asks for it, e.g. with #rc=3',
    lastsSeconds: 0,
    source: 'https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides',
  },
  twitch: {
    says: 'if Twitch is not sure that you received it; how often is not said',
    disabled: 'after too many failures',
    source: 'https://dev.twitch.tv/docs/eventsub/',
  },
  typeform: {
    says: 'for 10 hours after a 408, 423, 429 or 503, otherwise 5 times',
    lastsSeconds: 10 * HOUR,
    disabled: 'at once after a 404 or 410, and after 24 hours of nothing but failures',
    source: 'https://github.com/hookdeck/webhook-skills',
  },
  vapi: {
    says: 'never, unless the server has a backoffPlan',
    timeoutSeconds: 20,
    source: 'https://www.npmjs.com/package/@vapi-ai/server-sdk',
  },
  vercel: {
    says: 'less and less often for up to 24 hours',
    lastsSeconds: DAY,
    source: 'https://github.com/hookdeck/webhook-skills',
  },
  'vercel-connect': {
    says: 'up to 3 attempts, only after a 500, 502, 503 or 504; how far apart is not said',
    source: 'https://vercel.com/docs/connect/concepts/triggers',
  },
  webex: notRead('https://developer.webex.com/docs/receive-and-verify-webhooks'),
  webflow: {
    says: '2 times',
    source: 'https://developers.webflow.com/data/changelog/webhook-retries',
  },
  wise: {
    says: 'at most 25 times in two weeks: after 1, 2, 4 minutes and so on, and daily in the end',
    lastsSeconds: 14 * DAY,
    timeoutSeconds: 5,
    source: 'https://docs.wise.com/guides/developer/webhooks/event-handling.md',
  },
  wix: {
    says: 'up to 12 times in 47 hours: after 1 and 10 minutes, then 1 to 12 hours',
    lastsSeconds: 47 * HOUR + 11 * MINUTE,
    timeoutSeconds: 1.25,
    source: 'https://dev.wix.com/docs/rest/articles/getting-started/webhook-resend-policy',
  },
  woocommerce: {
    says: 'never',
    lastsSeconds: 0,
    timeoutSeconds: 60,
    disabled: 'after more than 5 failures in a row',
    source:
      'https://github.com/woocommerce/woocommerce/blob/trunk/plugins/woocommerce/includes/class-wc-webhook.php',
  },
  workos: {
    says: 'up to 6 times in 3 days',
    lastsSeconds: 3 * DAY,
    source: 'https://github.com/workos/skills',
  },
  x: {
    says: 'the page promises retries and describes none; a replay job repeats up to 5 days of the Account Activity API',
    timeoutSeconds: 10,
    disabled: 'when the answer to a challenge is wrong, or after more than 28 hours without a right one',
    source: 'https://github.com/xdevplatform/docs/blob/main/x-api/webhooks/introduction.mdx',
  },
  xero: {
    says: 'less and less often for up to 24 hours',
    lastsSeconds: DAY,
    timeoutSeconds: 5,
    disabled: 'after 24 hours of failures',
    source: 'https://developer.xero.com/documentation/webhooks/configuring-your-server',
  },
  zendesk: {
    says: '3 times after a 409, 5 times after a timeout, and after a 429 or 503 with Retry-After under 60 s',
    timeoutSeconds: 12,
    source: 'https://github.com/hookdeck/webhook-skills',
  },
  zoom: {
    says: '3 times: after 5, 20 and 60 minutes',
    lastsSeconds: 85 * MINUTE,
    timeoutSeconds: 3,
    source: 'https://developers.zoom.us/blog/webhook-delays/',
  },
}
