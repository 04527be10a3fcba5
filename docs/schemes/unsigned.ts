/** A sender of which no scheme can verify a signature, and what its own page says. */
export interface Unsigned {
  readonly sender: string
  /** What it sends in place of a signature: nothing, or a token or password that you choose. */
  readonly sends: 'nothing' | 'a token'
  /** One sentence or two: what is not signed, and how to be sure. Markdown. */
  readonly says: string
  /** The sender's own page. */
  readonly url: string
  /** When it was read. */
  readonly read: string
}

/** In alphabetical order. */
export const UNSIGNED: readonly Unsigned[] = [
  {
    sender: 'Amazon EventBridge (API destinations)',
    sends: 'a token',
    says: 'The connection adds an API key, a user with a password, or an OAuth token to each request. The body is not signed.',
    url: 'https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_CreateConnection.html',
    read: '2026-11-27',
  },
  {
    sender: 'Brevo',
    sends: 'a token',
    says: 'Webhooks carry a user and password, a bearer token or headers that you choose. The page lists its addresses too.',
    url: 'https://developers.brevo.com/docs/secured-webhooks',
    read: '2026-11-27',
  },
  {
    sender: 'Cloudflare Notifications',
    sends: 'a token',
    says: 'A generic webhook with a secret carries it in `cf-webhook-auth`, and is not signed.',
    url: 'https://developers.cloudflare.com/notifications/reference/webhook-payload-schema/',
    read: '2026-11-27',
  },
  {
    sender: 'Datadog',
    sends: 'a token',
    says: 'Add a header with a token of your own (`custom_headers`) to the webhook. The body is not signed.',
    url: 'https://docs.datadoghq.com/api/latest/webhooks-integration/',
    read: '2026-11-27',
  },
  {
    sender: 'Docker Hub',
    sends: 'nothing',
    says: 'A webhook has a name and a URL, and no secret. Ask the registry for the tag before you deploy it.',
    url: 'https://docs.docker.com/docker-hub/repos/manage/webhooks/',
    read: '2026-11-27',
  },
  {
    sender: 'Gumroad (Ping)',
    sends: 'nothing',
    says: 'The ping is a form without a signature. Fetch the sale by its `sale_id`.',
    url: 'https://www.gumroad.com/ping',
    read: '2026-11-27',
  },
  {
    sender: 'Mollie (classic webhooks)',
    sends: 'nothing',
    says: 'A form with an `id` and no status. Fetch the payment: a forged call changes nothing.',
    url: 'https://docs.mollie.com/reference/webhooks',
    read: '2026-11-27',
  },
  {
    sender: 'PayPal (IPN)',
    sends: 'nothing',
    says: 'Post the exact bytes back to PayPal behind `cmd=_notify-validate&`: it answers `VERIFIED` or `INVALID`. PayPal’s newer webhooks are signed: `paypal`.',
    url: 'https://developer.paypal.com/api/nvp-soap/ipn/IPNImplementation/',
    read: '2026-11-27',
  },
  {
    sender: 'Prometheus Alertmanager',
    sends: 'a token',
    says: 'Give the receiver a `basic_auth` or `authorization` in its `http_config`. The body is not signed.',
    url: 'https://prometheus.io/docs/alerting/latest/configuration/#webhook_config',
    read: '2026-11-27',
  },
  {
    sender: 'RunPod',
    sends: 'nothing',
    says: 'The request gives a webhook URL, and the finished job is posted there. Fetch `/status/{job_id}`, which returns the same.',
    url: 'https://docs.runpod.io/serverless/endpoints/send-requests',
    read: '2026-11-27',
  },
  {
    sender: 'Salesforce (outbound messages)',
    sends: 'nothing',
    says: 'SOAP without a signature. Allow only its addresses, compare `OrganizationId` with yours, and fetch the record: other customers send from the same addresses.',
    url: 'https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/sforce_api_om_outboundmessaging_security.htm',
    read: '2026-11-27',
  },
  {
    sender: 'Strava',
    sends: 'nothing',
    says: 'The verify token is sent only when you subscribe; events have none. Compare `subscription_id` with yours, and fetch the activity.',
    url: 'https://developers.strava.com/docs/webhooks/',
    read: '2026-11-27',
  },
]
