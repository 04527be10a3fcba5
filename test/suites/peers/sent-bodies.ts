/**
 * A body of each sender, as the sender publishes it. The compiler holds each to the payload that our factory infers from the
 * sender's type, and typed-events.test.ts delivers it. `@ts-expect-error` marks a type that is not true of the body, and fails
 * when the sender mends it.
 */
import type Stripe from 'stripe'
import type { EventOf, Listener } from '../../../src/index.ts'
import type { clerks, githubs, linears, paddles, resends, slacks, stripes } from './typed-events.ts'

/** `event.payload` in a handler, once it knows `event.type`. */
type Payload<Given extends Listener<unknown>, Type> = Extract<
  EventOf<Given>,
  { readonly type: Type }
>['payload']

/** Holds a body to a payload. Members that the type does not know are allowed, as on the wire. */
const sentAs =
  <Known>() =>
  <const Body extends Known>(body: Body): Body =>
    body

/** A type as JSON has it: text, where the senders' types have a `Date`, an enum or Stripe's `Decimal`. */
type Wire<Type> = Type extends string
  ? `${Type}`
  : Type extends Date | Stripe.Decimal
    ? string
    : Type extends object
      ? { [Name in keyof Type]: Wire<Type[Name]> }
      : Type

/** The event of openapi/fixtures3.json in github.com/stripe/openapi. */
export const stripeBody = sentAs<Wire<Payload<typeof stripes, 'plan.created'>>>()({
  api_version: null,
  created: 1234567890,
  data: {
    object: {
      active: true,
      aggregate_usage: null,
      amount: 2000,
      amount_decimal: '2000',
      billing_scheme: 'per_unit',
      created: 1721948530,
      currency: 'usd',
      id: 'price_1PgafmB7WZ01zgkW6dKueIc5',
      interval: 'month',
      interval_count: 1,
      livemode: false,
      metadata: {},
      meter: null,
      nickname: null,
      object: 'plan',
      product: 'prod_QXg1hqf4jFNsqG',
      tiers_mode: null,
      transform_usage: null,
      trial_period_days: null,
      usage_type: 'licensed',
    },
  },
  id: 'evt_1Pgc76B7WZ01zgkWwyRHS12y',
  livemode: false,
  object: 'event',
  pending_webhooks: 0,
  request: { id: null, idempotency_key: null },
  type: 'plan.created',
})
// @ts-expect-error amount_decimal: the type has the `Decimal` that Stripe's package makes of the text
sentAs<Payload<typeof stripes, 'plan.created'>>()(stripeBody)

/** The same event with the product of that file, and `tax_details`, which is newer. */
export const stripeProductBody = sentAs<Payload<typeof stripes, 'product.created'>>()({
  ...stripeBody,
  type: 'product.created',
  data: {
    object: {
      active: true,
      created: 1234567890,
      default_price: 'price_1PgafmB7WZ01zgkW02Hf9z6c',
      description: 'Comfortable gray cotton t-shirt',
      id: 'prod_QXg1hqf4jFNsqG',
      images: [],
      livemode: false,
      marketing_features: [],
      metadata: {},
      name: 'T-shirt',
      object: 'product',
      package_dimensions: { height: 1221029593, length: 1106363674, weight: 791592328, width: 113126854 },
      shippable: null,
      statement_descriptor: null,
      tax_code: null,
      tax_details: null,
      unit_label: null,
      updated: 1234567890,
      url: null,
      type: 'good',
    },
  },
})

/** payload-examples/api.github.com/github_app_authorization in github.com/octokit/webhooks. */
export const githubBody = sentAs<Payload<typeof githubs, 'github_app_authorization'>>()({
  action: 'revoked',
  sender: {
    login: 'octocat',
    id: 1,
    node_id: 'MDQ6VXNlcjIxMDMxMDY3',
    avatar_url: 'https://github.com/images/error/octocat_happy.gif',
    gravatar_id: '',
    url: 'https://api.github.com/users/octocat',
    html_url: 'https://github.com/octocat',
    followers_url: 'https://api.github.com/users/octocat/followers',
    following_url: 'https://api.github.com/users/octocat/following{/other_user}',
    gists_url: 'https://api.github.com/users/octocat/gists{/gist_id}',
    starred_url: 'https://api.github.com/users/octocat/starred{/owner}{/repo}',
    subscriptions_url: 'https://api.github.com/users/octocat/subscriptions',
    organizations_url: 'https://api.github.com/users/octocat/orgs',
    repos_url: 'https://api.github.com/users/octocat/repos',
    events_url: 'https://api.github.com/users/octocat/events{/privacy}',
    received_events_url: 'https://api.github.com/users/octocat/received_events',
    type: 'User',
    site_admin: false,
  },
})

/** docs.slack.dev/reference/events/app_mention. */
export const slackBody = sentAs<Payload<typeof slacks, 'app_mention'>>()({
  token: 'XXYYZZ',
  team_id: 'T123ABC456',
  api_app_id: 'A123ABC456',
  event: {
    type: 'app_mention',
    user: 'U061F7AUR',
    text: '<@U0LAN0Z89> is it everything a river should be?',
    ts: '1515449522.000016',
    channel: 'C123ABC456',
    event_ts: '1515449522000016',
  },
  type: 'event_callback',
  authorizations: [
    { team_id: 'T123ABC456', user_id: 'U123ABC456', is_bot: false, is_enterprise_install: false },
  ],
  event_id: 'Ev123ABC456',
  event_time: 123456789,
})

/** The event catalog of Clerk's dashboard, and the `instance_id` that clerk.com/docs/guides/development/webhooks/overview adds. */
export const clerkBody = sentAs<Payload<typeof clerks, 'user.deleted'>>()({
  data: { deleted: true, id: 'user_29wBMCtzATuFJut8jO2VNTVekS4', object: 'user' },
  event_attributes: {
    http_request: {
      client_ip: '0.0.0.0',
      user_agent:
        'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 Safari/537.36',
    },
  },
  instance_id: 'ins_123',
  object: 'event',
  timestamp: 1661861640000,
  type: 'user.deleted',
})

type Comment = Payload<typeof linears, 'Comment'>
/** linear.app/developers/webhooks. It has no `reactionData`, which the type requires. */
export const linearBody = sentAs<
  Wire<Omit<Comment, 'data'> & { data: Omit<Comment['data'], 'reactionData'> }>
>()({
  action: 'create',
  type: 'Comment',
  actor: {
    id: 'b5ea5f1f-8adc-4f52-b4bd-ab4e84cf51ba',
    type: 'user',
    name: 'Linear Orbit',
    email: 'orbit@linear.app',
    url: 'https://linear.app/company/profiles/orbit',
  },
  createdAt: '2020-01-23T12:53:18.084Z',
  data: {
    id: '2174add1-f7c8-44e3-bbf3-2d60b5ea8bc9',
    createdAt: '2020-01-23T12:53:18.084Z',
    updatedAt: '2020-01-23T12:53:18.084Z',
    archivedAt: null,
    body: 'Indeed, I think this is definitely an improvement over the previous version.',
    edited: false,
    issueId: '539068e2-ae88-4d09-bd75-22eb4a59612f',
    userId: 'aacdca22-6266-4c0a-ab3c-8fa70a26765c',
  },
  url: 'https://linear.app/issue/LIN-1778/foo-bar#comment-77217de3-fb52-4dad-bb9a-b356beb93de8',
  organizationId: 'dc844923-f9a4-40a3-825c-dea7747e57d6',
  webhookTimestamp: 1676056940508,
  webhookId: '000042e3-d123-4980-b49f-8e140eef9329',
})
// @ts-expect-error createdAt: the type has a `Date`
sentAs<Pick<Comment, 'createdAt'>>()(linearBody)

/** src/__tests__/mocks/notifications/customer-created.mock.ts in github.com/PaddleHQ/paddle-node-sdk. */
export const paddleBody = sentAs<Wire<Payload<typeof paddles, 'customer.created'>>>()({
  event_id: 'evt_01h8441jx8x1q971q9ksksqh82',
  event_type: 'customer.created',
  occurred_at: '2023-08-18T10:46:18.792661Z',
  notification_id: 'ntf_01h8441jz6fr97hv7zemswj8cw',
  data: {
    id: 'ctm_01h8441jn5pcwrfhwh78jqt8hk',
    name: 'Sam Miller',
    email: 'sam@example.com',
    locale: 'en',
    status: 'active',
    custom_data: { customer_reference_id: 'abcd1234' },
    created_at: '2023-08-18T10:46:18.533Z',
    updated_at: '2023-08-18T10:46:18.533Z',
    marketing_consent: false,
  },
})
// @ts-expect-error event_type: the type has an enum, which no text fits
sentAs<Payload<typeof paddles, 'customer.created'>>()(paddleBody)

/** resend.com/docs/webhooks/introduction. */
export const resendBody = sentAs<Payload<typeof resends, 'email.bounced'>>()({
  type: 'email.bounced',
  created_at: '2026-11-22T23:41:12.126Z',
  data: {
    broadcast_id: '8b146471-e88e-4322-86af-016cd36fd216',
    created_at: '2026-11-22T23:41:11.894Z',
    email_id: '56761188-7520-42d8-8898-ff6fc54ce618',
    message_id: '<111-222-333@email.example.com>',
    from: 'Acme <onboarding@resend.dev>',
    to: ['delivered@resend.dev'],
    subject: 'Sending this example',
    template_id: '43f68331-0622-4e15-8202-246a0388854b',
    bounce: {
      message:
        "The recipient's email address is on the suppression list because it has a recent history of producing hard bounces.",
      subType: 'Suppressed',
      type: 'Permanent',
    },
    tags: { category: 'confirm_email' },
  },
})
