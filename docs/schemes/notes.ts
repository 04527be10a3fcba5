/** What a sender's page says beyond its row, its docstring and its program. Texts are Markdown. */
export interface Notes {
  /** The environment variable of the program, and where its value comes from. */
  readonly secret: string
  /** What to do in the sender's console, after the program runs at a public URL. One step each. */
  readonly setUp: readonly string[]
  /** How to send a real event without a tunnel, if the sender has a tool for it. A command. */
  readonly cli?: string
  /** What `cli` changes, and where else to find a test delivery. */
  readonly test: string
  /** Each is a fault that people run into, and its remedy. */
  readonly mistakes: readonly string[]
  /** Another kind of event that needs a program of its own. `example` is its file below examples/, `install` what it imports. */
  readonly other?: {
    readonly title: string
    readonly before: string
    readonly install: string
    readonly example: string
    readonly after: string
  }
  /** What recognises a duplicate, if the row does not say it all. Ends without a stop. */
  readonly deduplicatedBy?: string
  /** The sender's own documentation. */
  readonly guide: string
  /** Where the sender lists its event types, among them those of the program. Read in November 2026. */
  readonly events: string
}

/** By the name of the scheme, in the order of use. */
export const NOTES: { readonly [scheme: string]: Notes } = {
  'standard-webhooks': {
    secret:
      "the endpoint's signing secret, which begins with `whsec_`. A public key begins with `whpk_`: pass it as `publicKeys`.",
    setUp: ["Add an endpoint in the sender's settings.", 'Copy its signing secret.'],
    test: 'Most senders have a button that sends an example.',
    mistakes: [
      'Your sender may have [its own scheme](../schemes.md), as Clerk and OpenAI have: import that one.',
      'Supabase shows its secret as `v1,whsec_…`: pass it as it is. While the hook has two secrets, Supabase joins two signatures by a comma: either is enough. A secret without the padding (`=`) at its end is refused, and the error says so.',
    ],
    guide: 'https://www.standardwebhooks.com',
    events: 'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
  },
  stripe: {
    secret: "the endpoint's signing secret, `whsec_…`",
    setUp: [
      'Open Workbench, Webhooks, and add a destination of the type "Webhook endpoint".',
      'Choose the events, and enter your URL.',
      'Reveal the signing secret of the new endpoint.',
    ],
    cli: 'stripe listen --forward-to localhost:3000/webhooks/stripe',
    test: '`stripe listen` prints a `whsec_…` of its own: start the program with that one. In another terminal, `stripe trigger invoice.paid` makes events.',
    mistakes: [
      'hookgate replaces [`stripe.webhooks.constructEvent`](../migrate/stripe.md): do not call both, and do not add `express.raw()` yourself. For types, write `stripe<Stripe.Event>({ … })`.',
      'Test mode and live mode have endpoints of their own. Pass several secrets as a list.',
    ],
    other: {
      title: 'Thin events',
      before:
        "Thin events, of Stripe's API v2, contain an ID and a type, but no data. `stripe()` verifies them, and Stripe's SDK fetches the rest. Their destination in Workbench has its own secret. Give it its own route.",
      install: 'hookgate express stripe',
      example: 'thin-events.ts',
      after: 'A fetch that fails throws, so Stripe retries.',
    },
    guide: 'https://docs.stripe.com/webhooks',
    events: 'https://docs.stripe.com/api/events/types',
  },
  github: {
    secret:
      "the secret that you enter in the webhook's settings. Make one with `npx --no-install hookgate secret`.",
    setUp: [
      "Open the repository's, organisation's or app's Settings, Webhooks, Add webhook.",
      'Enter your URL and the secret, with either content type, and choose the events. GitHub sends a `ping` at once.',
    ],
    cli: 'gh extension install cli/gh-webhook\ngh webhook forward --repo=OWNER/NAME --events=push \\\n  --secret=$GITHUB_WEBHOOK_SECRET \\\n  --url=http://localhost:3000/webhooks/github',
    test: "It forwards the repository's events.",
    mistakes: [
      '"Redeliver" runs an event that failed. One that succeeded is a duplicate.',
      'GitHub never retries, so put events into [an inbox](../inbox.md).',
      'If GitHub sends a form, the default of its API, `event.payload` is the event and `event.rawBody` the form. If you expect over 15 MB of JSON, raise [`maxBodyBytes`](../options.md).',
      'hookgate replaces [`@octokit/webhooks`](../migrate/octokit.md). For types, write [`github<EventPayloadMap>({ … })`](../types.md).',
    ],
    guide: 'https://docs.github.com/en/webhooks',
    events: 'https://docs.github.com/en/webhooks/webhook-events-and-payloads',
  },
  slack: {
    secret: "the app's signing secret, under Basic Information",
    setUp: [
      'Create an app, and copy its signing secret.',
      'Under Event Subscriptions, enter your URL. Slack verifies it at once, and hookgate answers.',
      'Subscribe to events, and install the app. Slash commands and interactivity take the same URL.',
    ],
    test: 'Mention the app in a channel, or run its command.',
    mistakes: [
      'Hand slow work to [a queue](../handoff.md).',
      'Commands and interactions have no `event.type`. `event.payload` holds the fields of a command; for an interaction, read `event.payload.payload`.',
      '`slack<SlackEnvelope<SlackEvent>>({ … })` types events, commands, interactions, and the `SlackRateLimit` beyond 30,000 events in an hour.',
    ],
    deduplicatedBy: 'the ID of an event, and the signed bytes of a command or an interaction',
    guide: 'https://docs.slack.dev/apis/events-api/',
    events: 'https://docs.slack.dev/reference/events',
  },
  shopify: {
    secret: "the app's client secret. For webhooks made in a shop's admin, the secret shown there.",
    setUp: [
      'List the topics in `shopify.app.toml`, or create subscriptions with the Admin API.',
      "Copy the client secret from the app's settings.",
    ],
    cli: 'shopify app webhook trigger --topic orders/create \\\n  --address http://localhost:3000/webhooks/shopify \\\n  --client-secret $SHOPIFY_CLIENT_SECRET',
    test: 'The command sends a signed example.',
    mistakes: [
      'One change can arrive under two topics: both run.',
      "Shopify's Events can repeat bodies, which count as duplicates: ask for `updatedAt` in the subscription's query, or pass `dedupe: 'id'`.",
      'Before you act on `shop/redact`, check that the merchant has not reinstalled the app.',
    ],
    deduplicatedBy: 'the signed body, once per topic',
    guide: 'https://shopify.dev/docs/apps/build/webhooks',
    events: 'https://shopify.dev/docs/api/webhooks',
  },
  twilio: {
    secret: "the account's primary auth token, on the Console's first page",
    setUp: [
      'Set `publicUrl` to the URL exactly as you enter it at Twilio. If its query differs from message to message, leave the query out.',
      'Enter the URL in the settings of the number or service, for incoming messages, calls or status callbacks.',
    ],
    test: 'Send a message to your number.',
    mistakes: [
      'A form without `AccountSid`, or with a field that sorts before it, needs its query in `publicUrl`. If that varies, [make a listener for each URL](../schemes.md#senders-that-sign-the-url).',
      'Write the parameters of a query in alphabetical order: Twilio [may sort them](https://github.com/twilio/twilio-php/issues/790) after it has signed.',
      'For GET webhooks, mount the route for all methods.',
    ],
    guide: 'https://www.twilio.com/docs/usage/webhooks',
    events: 'https://www.twilio.com/docs/messaging/api/message-resource#message-status-values',
  },
  meta: {
    secret:
      'the app secret, under App settings, Basic; for the Instagram API with Instagram Login, the Instagram app secret, in its API setup. `META_VERIFY_TOKEN` is a text of your choice.',
    setUp: [
      "In the app's dashboard, add the product (WhatsApp, Messenger, Instagram) and open its webhook settings.",
      'Enter your URL as the callback URL, and the same verify token. hookgate answers the GET that follows.',
      'Subscribe to fields.',
    ],
    test: 'Each field has a "Test" button.',
    mistakes: [
      'The GET fails if the route takes POST only.',
      'One delivery may hold up to 1,000 updates. Loop over `entry` and `changes`.',
      'Access tokens are not the secret.',
    ],
    guide: 'https://developers.facebook.com/docs/graph-api/webhooks/getting-started',
    events: 'https://developers.facebook.com/docs/graph-api/webhooks/reference',
  },
  line: {
    secret: "the channel secret, on the channel's Basic settings page",
    setUp: [
      'On the Messaging API page, enter your URL and turn on "Use webhook".',
      'Press "Verify". hookgate answers the delivery without events.',
      'Turn on "Webhook redelivery", or LINE never retries.',
    ],
    test: 'Send a message to the bot.',
    mistakes: [
      'The channel access token is another value.',
      'A delivery holds several events. Each has a `webhookEventId`, by which you recognise a redelivery.',
    ],
    guide: 'https://developers.line.biz/en/docs/messaging-api/receiving-messages/',
    events: 'https://developers.line.biz/en/reference/messaging-api/#webhook-event-objects',
  },
  telegram: {
    secret: 'the `secret_token` that you pass to `setWebhook`: 1 to 256 letters, digits, `_` and `-`',
    setUp: [
      'Call `https://api.telegram.org/bot<token>/setWebhook` with `url` and `secret_token`.',
      'Look at `getWebhookInfo`: it shows the last error and the waiting updates.',
    ],
    test: 'Write to the bot.',
    mistakes: [
      "The bot's token is not the secret. Never put it into the URL of the webhook.",
      'Nothing is signed. Limit the sources with `allowedCidrs`.',
      'IDs count per bot: give each bot a listener.',
    ],
    guide: 'https://core.telegram.org/bots/api#setwebhook',
    events: 'https://core.telegram.org/bots/api#update',
  },
  gitlab: {
    secret: "the webhook's secret token, which you choose",
    setUp: [
      "Open the project's or group's Settings, Webhooks, Add new webhook.",
      'Enter your URL and the secret token, and choose the triggers.',
    ],
    test: 'Each webhook has a "Test" menu and a list of its recent events.',
    mistakes: [
      'Nothing is signed. Where GitLab offers a signing token, use `hookgate/schemes/gitlab-signing`.',
      'GitLab before 17.4 sends no ID: equal bodies are then duplicates.',
    ],
    deduplicatedBy: '`Idempotency-Key`, which GitLab sends since 17.4, or else the body',
    guide: 'https://docs.gitlab.com/user/project/integrations/webhooks/',
    events: 'https://docs.gitlab.com/user/project/integrations/webhook_events/',
  },
  notion: {
    secret: 'the verification token, which Notion posts to your URL',
    setUp: [
      'Start the program without `NOTION_VERIFICATION_TOKEN`.',
      "In the integration's settings, open Webhooks and create a subscription with your URL. Notion posts the token, signed with the token itself, and the program prints it.",
      'Enter the token at Notion, set the variable, and start the program again. From then on, hookgate takes no other token.',
    ],
    test: 'Change a page that the integration can see.',
    mistakes: [
      'Until you set the variable, anyone can send a token: set it at once. Notion refuses a token that it has not sent.',
      'Without a program, `npx --no-install hookgate listen --scheme notion` behind a tunnel prints the token too.',
      'With both `secrets` and `onHandshake`, hookgate takes only a token that one of `secrets` signed. For another subscription, start a second listener without `secrets`.',
      'Events hold IDs only: fetch the page by the API.',
    ],
    guide: 'https://developers.notion.com/reference/webhooks',
    events: 'https://developers.notion.com/reference/webhooks-events-delivery',
  },
  hubspot: {
    secret: "the app's client secret, on its Auth page",
    setUp: [
      'Set `publicUrl` to the target URL exactly as you enter it at HubSpot.',
      "In the app's settings, open Webhooks, enter the target URL, and create subscriptions.",
    ],
    test: 'Each subscription has a test button.',
    mistakes: [
      'HubSpot signs the URL, as it is written in the app. [Its query](../schemes.md#senders-that-sign-the-url) may be that of the request; its path has no `%3F`.',
      "A private app's access token is not the secret.",
      'A retry has another body (`attemptNumber`), so it is not recognised as a duplicate: check `eventId` and `occurredAt` yourself.',
    ],
    guide: 'https://developers.hubspot.com/docs/api/webhooks',
    events:
      'https://developers.hubspot.com/docs/api-reference/legacy/webhooks/subscriptions/create-subscription',
  },
  workos: {
    secret: "the endpoint's signing secret",
    setUp: [
      'In the dashboard, open Webhooks and add an endpoint.',
      'Choose the events, and copy the signing secret.',
    ],
    test: "The endpoint's page can send a test event.",
    mistakes: [
      'The API key (`sk_…`) is not the secret.',
      "Actions are signed in the same way, but WorkOS's SDK accepts them for 30 seconds only.",
    ],
    guide: 'https://workos.com/docs/events/data-syncing/webhooks',
    events: 'https://workos.com/docs/events',
  },
  linear: {
    secret: "the webhook's signing secret, on its page",
    setUp: ['Open Settings, API, Webhooks, and create one with your URL.', 'Copy its signing secret.'],
    test: 'Change an issue.',
    mistakes: [
      'The time is in the body and may be 60 seconds off: keep the clock of your server right.',
      '`webhookId` names the webhook, not the event.',
      'Answer within 5 seconds: Linear waits no longer.',
    ],
    guide: 'https://linear.app/developers/webhooks',
    events: 'https://linear.app/developers/webhooks',
  },
  sendgrid: {
    secret: 'the verification key of the signed event webhook',
    setUp: [
      'Open Settings, Mail Settings, Event Webhooks, and create one with your URL.',
      'Turn on "Signed Event Webhook", save, and copy the verification key.',
    ],
    test: 'The settings have a "Test Your Integration" button.',
    mistakes: [
      'It is a public key: pass it as `publicKeys`.',
      'The body ends with CRLF. A parser that runs first loses it, and the signature fails.',
      'The payload is an array of events, each with `sg_event_id`.',
    ],
    guide: 'https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event',
    events: 'https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event',
  },
  mailgun: {
    secret: 'the HTTP webhook signing key, under API security',
    setUp: ['Open Sending, Webhooks, choose the domain, and add your URL for each event.'],
    test: 'Each webhook has a "Test webhook" button.',
    mistakes: [
      'An API key is not the signing key.',
      'Answer exactly 200: Mailgun retries after a 204.',
      "The event is not signed. Fetch what matters from Mailgun's API.",
    ],
    guide: 'https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhooks',
    events: 'https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhooks',
  },
  discord: {
    secret: "the app's public key, in hex, on its General Information page",
    setUp: [
      'Enter your URL as the Interactions Endpoint URL, or under Webhooks for events.',
      'Discord verifies it at once, with right and wrong signatures. hookgate answers both.',
    ],
    test: "Run one of the app's commands.",
    mistakes: [
      'It is a public key: pass it as `publicKeys`.',
      "The URLs under a channel's Integrations are for sending to Discord, not for receiving.",
      'Answer interactions within 3 seconds, and answer events with 204.',
    ],
    deduplicatedBy: 'the ID of an interaction, and the signed bytes of an event',
    guide: 'https://discord.com/developers/docs/events/webhook-events',
    events: 'https://discord.com/developers/docs/events/webhook-events',
  },
  intercom: {
    secret: "the app's client secret, on its Basic information page",
    setUp: [
      "In the Developer Hub, open the app's Webhooks page and enter your URL.",
      'Choose the topics, and save.',
    ],
    test: 'The page has a "Send a test request" button.',
    mistakes: [
      'Saving sends a HEAD request, so the route must not take POST only.',
      'Never answer 410: Intercom unsubscribes you.',
    ],
    guide: 'https://developers.intercom.com/docs/webhooks',
    events: 'https://developers.intercom.com/docs/references/webhooks/webhook-models',
  },
  square: {
    secret: "the subscription's signature key",
    setUp: [
      'Set `publicUrl` to the notification URL exactly as you enter it.',
      "In the Developer Console, open the app's Webhooks, Subscriptions, and add one with your URL.",
      'Copy the signature key.',
    ],
    test: 'The subscription has a "Send test event" action.',
    mistakes: [
      'Square signs the URL: `https`, host, path and any final slash must be the same. [The query](../schemes.md#senders-that-sign-the-url) may be that of the request.',
    ],
    guide: 'https://developer.squareup.com/docs/webhooks/overview',
    events: 'https://developer.squareup.com/docs/webhooks/v2webhook-events-tech-ref',
  },
  razorpay: {
    secret: 'the secret that you enter for the webhook',
    setUp: [
      'In the Dashboard, open Account & Settings, Webhooks, and add one.',
      'Enter your URL and a secret, and choose the events.',
    ],
    test: 'Pay in test mode.',
    mistakes: [
      "The API key's secret is another value.",
      'After a change of the secret, retries of older events are signed with the older one. Pass both for a day.',
      'Test and live mode have webhooks of their own.',
    ],
    guide: 'https://razorpay.com/docs/webhooks/',
    events: 'https://razorpay.com/docs/webhooks/payloads/',
  },
  paddle: {
    secret: 'the secret key of the notification destination, `pdl_ntfset_…`',
    setUp: [
      'Open Developer tools, Notifications, and create a destination of the type "URL".',
      'Choose the events, save, and copy the secret key.',
    ],
    test: 'Under Developer tools, Simulations, you can send events of your choice.',
    mistakes: ['The time may be 5 seconds off. If your clock is less accurate, set `toleranceSeconds: 30`.'],
    guide: 'https://developer.paddle.com/webhooks/overview',
    events: 'https://developer.paddle.com/webhooks/overview',
  },
  sns: {
    secret: 'not needed: pass the ARNs of your topics, because anyone can create a topic',
    setUp: [
      'Subscribe your URL to the topic with the protocol HTTPS, and leave raw message delivery off.',
      'hookgate confirms the subscription, with `confirmSubscriptions: true`.',
      "Set the topic's signature version to 2, and pass `signatureVersion: '2'`.",
    ],
    test: '`aws sns publish --topic-arn ARN --message \'{"notificationType":"Delivery"}\'`',
    mistakes: [
      'Raw messages are not signed, and are refused.',
      'Certificates are fetched only from hosts of SNS, in any partition of AWS.',
      'LocalStack signs with a certificate of its own: while you develop, pass the origin of its `SigningCertURL` as `emulatorOrigin`, e.g. `http://localhost.localstack.cloud:4566`. moto signs nothing, so its messages are refused.',
      "The payload is SNS's envelope. Your text is its `Message`.",
      'SNS never retries a 4xx. Attach a dead-letter queue.',
    ],
    guide: 'https://docs.aws.amazon.com/sns/latest/dg/sns-http-https-endpoint-as-subscriber.html',
    events: 'https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html',
  },
  zoom: {
    secret: "the app's secret token, on its Features page",
    setUp: [
      "In the app's Features, add an event subscription with your URL and events.",
      'Press "Validate". hookgate answers, and again every 72 hours.',
    ],
    test: 'Start a meeting.',
    mistakes: [
      'The verification token is the older way, and is not used.',
      'The client secret is another value.',
    ],
    guide: 'https://developers.zoom.us/docs/api/webhooks/',
    events: 'https://developers.zoom.us/docs/api/meetings/events/',
  },
  vercel: {
    secret: "the webhook's secret, shown once when you create it, or an integration's client secret",
    setUp: [
      "Open the team's Settings, Webhooks.",
      'Choose the events and projects, enter your URL, and copy the secret.',
    ],
    test: 'Deploy a project.',
    mistakes: [
      "Deployment protection answers in front of a preview's routes: see [in front of the route](../proxies.md).",
    ],
    guide: 'https://vercel.com/docs/webhooks',
    events: 'https://vercel.com/docs/webhooks/webhooks-api',
  },
  plaid: {
    secret:
      "your client ID at Plaid, and `PLAID_SECRET` the secret that goes with it. `findKey` asks for Plaid's public keys with them",
    setUp: ['Pass your URL as `webhook` to `/link/token/create`, or to `/item/webhook/update`.'],
    test: 'In the sandbox, `/sandbox/item/fire_webhook` sends one.',
    mistakes: [
      'The signature covers white space. Any parser in front of hookgate breaks it.',
      'Different events may have the same body, so each token is accepted once.',
    ],
    guide: 'https://plaid.com/docs/api/webhooks/webhook-verification/',
    events: 'https://plaid.com/docs/api/webhooks/',
  },
  x: {
    secret: "the app's consumer secret, which X also calls API secret key",
    setUp: [
      "Copy the consumer secret from the app's keys and tokens.",
      'Register your URL by `POST /2/webhooks`. X sends a GET with a `crc_token` at once, and hookgate answers.',
      'Subscribe a user to the webhook.',
    ],
    test: 'Post as the user.',
    mistakes: [
      'No body names its type, so `event.type` is empty. Route by the member that is there: `tweet_create_events`, or `data` of the X Activity API, whose `event_type` is the type.',
      'The GET fails if the route takes POST only.',
    ],
    guide: 'https://docs.x.com/x-api/webhooks/introduction',
    events: 'https://docs.x.com/x-api/account-activity/introduction',
  },
}
