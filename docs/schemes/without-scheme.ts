/** A sender without a scheme, because it does not sign, or because nobody could confirm how it does. */
export interface WithoutScheme {
  readonly sender: string
  /** Names by which it is also looked for. */
  readonly otherNames?: readonly string[]
  /**
   * `token`: it sends a token or password that you choose. `otherwise`: it signs in a way that no scheme has. `not confirmed`: no page
   * or SDK of its own says how it signs.
   */
  readonly signs: 'no' | 'token' | 'otherwise' | 'not confirmed'
  /** What it sends, and how to be sure; or what was looked at. One sentence or two, as Markdown. */
  readonly says: string
  /** The sender's own page. */
  readonly url: string
  /** When it was read. */
  readonly read: string
}

/** In alphabetical order. */
export const WITHOUT_SCHEME: readonly WithoutScheme[] = [
  {
    sender: 'Amazon EventBridge (API destinations)',
    signs: 'token',
    says: 'The connection adds an API key, a user with a password, or an OAuth token to each request. The body is not signed.',
    url: 'https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_CreateConnection.html',
    read: '2026-11-27',
  },
  {
    sender: 'Beehiiv',
    signs: 'not confirmed',
    says: "Use `svix`, according to the list of Svix's ingest. Its own pages name no signature.",
    url: 'https://github.com/svix/svix-webhooks/blob/main/javascript/src/models/ingestSourceIn.ts',
    read: '2026-11-30',
  },
  {
    sender: 'Brevo',
    signs: 'token',
    says: 'Webhooks carry a user and password, a bearer token or headers that you choose. The page lists its addresses too.',
    url: 'https://developers.brevo.com/docs/secured-webhooks',
    read: '2026-11-27',
  },
  {
    sender: 'Brex',
    signs: 'not confirmed',
    says: "Use `svix`, or `standardWebhooks` if the headers begin with `webhook-`, according to the list of Svix's ingest. Its own OpenAPI document names `Webhook-Signature` and two signatures during a rotation, but not what is signed.",
    url: 'https://github.com/svix/svix-webhooks/blob/main/javascript/src/models/ingestSourceIn.ts',
    read: '2026-11-30',
  },
  {
    sender: 'Cloudflare Notifications',
    signs: 'token',
    says: 'A generic webhook with a secret carries it in `cf-webhook-auth`, and is not signed.',
    url: 'https://developers.cloudflare.com/notifications/reference/webhook-payload-schema/',
    read: '2026-11-27',
  },
  {
    sender: 'Datadog',
    signs: 'token',
    says: 'Add a header with a token of your own (`custom_headers`) to the webhook. The body is not signed.',
    url: 'https://docs.datadoghq.com/api/latest/webhooks-integration/',
    read: '2026-11-27',
  },
  {
    sender: 'Docker Hub',
    signs: 'no',
    says: 'A webhook has a name and a URL, and no secret. Ask the registry for the tag before you deploy it.',
    url: 'https://docs.docker.com/docker-hub/repos/manage/webhooks/',
    read: '2026-11-27',
  },
  {
    sender: 'Eventbrite',
    signs: 'no',
    says: 'The body is an `api_url`. Compare its host with that of the API, and fetch it with your token. The page asks you to keep the URL of the webhook private.',
    url: 'https://www.eventbrite.com/developer/v3/api_overview/webhooks/',
    read: '2026-11-30',
  },
  {
    sender: 'Figma',
    signs: 'token',
    says: 'The body repeats the `passcode` that you chose: compare it in constant time. A 400 stops the webhook for good.',
    url: 'https://developers.figma.com/docs/rest-api/webhooks-security',
    read: '2026-11-30',
  },
  {
    sender: 'Freshdesk',
    signs: 'token',
    says: 'The action of an automation rule sends a user and password, or headers of your own: add one with a token.',
    url: 'https://support.freshdesk.com/support/solutions/articles/132589-using-webhooks-in-automation-rules',
    read: '2026-11-30',
  },
  {
    sender: 'Gemini (dynamic webhooks)',
    signs: 'otherwise',
    says: 'Webhooks that one request configures (`webhook_config`) carry a token of Google, signed with RS256, in `Webhook-Signature`. Only those of a project have the scheme `gemini`.',
    url: 'https://ai.google.dev/gemini-api/docs/webhooks',
    read: '2026-11-27',
  },
  {
    sender: 'Guesty',
    signs: 'not confirmed',
    says: "Use `svix`, according to the list of Svix's ingest. Its own pages that could be read name no signature.",
    url: 'https://github.com/svix/svix-webhooks/blob/main/javascript/src/models/ingestSourceIn.ts',
    read: '2026-11-30',
  },
  {
    sender: 'Gumroad (Ping)',
    signs: 'no',
    says: 'The ping is a form without a signature. Fetch the sale by its `sale_id`.',
    url: 'https://www.gumroad.com/ping',
    read: '2026-11-27',
  },
  {
    sender: 'Jotform',
    signs: 'no',
    says: 'A form with parts. Fetch the submission by its `submissionID` from the API.',
    url: 'https://api.jotform.com/docs/',
    read: '2026-11-30',
  },
  {
    sender: 'Klaviyo (webhook action of a flow)',
    signs: 'no',
    says: 'Add a header with a token of your own to the action. System webhooks are signed: `klaviyo`.',
    url: 'https://developers.klaviyo.com/en/docs/how_to_add_a_webhook_action_to_a_flow',
    read: '2026-11-27',
  },
  {
    sender: 'Mercury',
    signs: 'not confirmed',
    says: 'It does not follow Standard Webhooks: by others, `Mercury-Signature` holds `t=…,v1=…`, an HMAC-SHA256 in hex over the time, a dot and the body. Whether the secret is text or base64, none of its pages that could be read says.',
    url: 'https://docs.mercury.com/reference/webhooks',
    read: '2026-11-27',
  },
  {
    sender: 'Mollie (classic webhooks)',
    signs: 'no',
    says: 'A form with an `id` and no status. Fetch the payment: a forged call changes nothing.',
    url: 'https://docs.mollie.com/reference/webhooks',
    read: '2026-11-27',
  },
  {
    sender: 'Nash',
    signs: 'not confirmed',
    says: "Use `svix`, according to the list of Svix's ingest. Its own page could not be read.",
    url: 'https://github.com/svix/svix-webhooks/blob/main/javascript/src/models/ingestSourceIn.ts',
    read: '2026-11-30',
  },
  {
    sender: 'Nylas (API v2)',
    signs: 'otherwise',
    says: 'It signs with the client secret of the application, and is deprecated since January 2025. API v3 has the scheme `nylas`.',
    url: 'https://developer.nylas.com/docs/new/release-notes/2025-03-05-new-in-nylas/',
    read: '2026-11-27',
  },
  {
    sender: 'PayPal (IPN)',
    signs: 'no',
    says: 'Post the exact bytes back to PayPal behind `cmd=_notify-validate&`: it answers `VERIFIED` or `INVALID`. PayPal’s newer webhooks are signed: `paypal`.',
    url: 'https://developer.paypal.com/api/nvp-soap/ipn/IPNImplementation/',
    read: '2026-11-27',
  },
  {
    sender: 'Prometheus Alertmanager',
    signs: 'token',
    says: 'Give the receiver a `basic_auth` or `authorization` in its `http_config`. The body is not signed.',
    url: 'https://prometheus.io/docs/alerting/latest/configuration/#webhook_config',
    read: '2026-11-27',
  },
  {
    sender: 'PsiFi',
    signs: 'not confirmed',
    says: "Use `svix`, according to the list of Svix's ingest. Its own pages could not be read.",
    url: 'https://github.com/svix/svix-webhooks/blob/main/javascript/src/models/ingestSourceIn.ts',
    read: '2026-11-30',
  },
  {
    sender: 'RunPod',
    signs: 'no',
    says: 'The request gives a webhook URL, and the finished job is posted there. Fetch `/status/{job_id}`, which returns the same.',
    url: 'https://docs.runpod.io/serverless/endpoints/send-requests',
    read: '2026-11-27',
  },
  {
    sender: 'Salesforce (outbound messages)',
    signs: 'no',
    says: 'SOAP without a signature. Allow only its addresses, compare `OrganizationId` with yours, and fetch the record: other customers send from the same addresses.',
    url: 'https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/sforce_api_om_outboundmessaging_security.htm',
    read: '2026-11-27',
  },
  {
    sender: 'ShipStation',
    otherNames: ['ShipEngine'],
    signs: 'not confirmed',
    says: '`x-shipengine-rsa-sha256-signature` is RSA-SHA256 in base64, by a key of https://api.shipengine.com/jwks that `x-shipengine-rsa-sha256-key-id` names. By others, it covers the time in ISO 8601, a dot and the body; its own page could be read only up to there.',
    url: 'https://docs.shipstation.com/apis/docs/guides/webhooks-validation',
    read: '2026-11-30',
  },
  {
    sender: 'Strava',
    signs: 'no',
    says: 'The verify token is sent only when you subscribe; events have none. Compare `subscription_id` with yours, and fetch the activity.',
    url: 'https://developers.strava.com/docs/webhooks/',
    read: '2026-11-27',
  },
  {
    sender: 'TikTok Shop',
    signs: 'not confirmed',
    says: 'Others compute the `Authorization` header as a hex HMAC-SHA256 of the app key and the body, with the app secret. Its own pages could not be read. TikTok for Developers has the scheme `tiktok`.',
    url: 'https://partner.tiktokshop.com/docv2',
    read: '2026-11-27',
  },
  {
    sender: 'Vapi (HMAC credential)',
    signs: 'otherwise',
    says: 'You choose the header, the algorithm and what is signed: [describe them](own-scheme.md). A Bearer Token credential has the scheme `vapi`.',
    url: 'https://docs.vapi.ai/server-url/server-authentication',
    read: '2026-11-27',
  },
  {
    sender: 'Vonage',
    otherNames: ['Nexmo'],
    signs: 'not confirmed',
    says: 'A token by HS256 in `Authorization` has a `payload_hash`, but its pages differ on what that covers: the payload, or its JSON written again without white space. Its SDK for Node.js (July 2026) checks the token only.',
    url: 'https://api.support.vonage.com/hc/en-us/articles/19033783342876-How-do-I-verify-that-the-Voice-API-Webhook-request-and-it-s-payload-has-not-been-tampered-during-transit',
    read: '2026-11-30',
  },
]
