/**
 * A complete body of each sender, as it is sent: held by the compiler to the sender's own type, and delivered in
 * typed-events.test.ts. The smallest that the sender has.
 */
import type { WebhookEvent as ClerkEvent } from '@clerk/backend'
import type { LinearWebhookPayload } from '@linear/sdk/webhooks'
import type { EventPayloadMap } from '@octokit/webhooks-types'
import type { EventName, IEvents as PaddleEvent } from '@paddle/paddle-node-sdk'
import type { SlackEvent } from '@slack/types'
import type { WebhookEventPayload as ResendEvent } from 'resend'
import type Stripe from 'stripe'
import type { SlackEnvelope } from '../../schemes/slack.ts'

/** Holds a body to a type without widening its texts. Members that the type does not know are allowed, as on the wire. */
const sentBy =
  <Type>() =>
  <const Body extends Type>(body: Body): Body =>
    body

/** A type as JSON has it: Linear's types say `Date`, and Paddle's are enums, where the wire has text. */
type Wire<Type> = Type extends string
  ? `${Type}`
  : Type extends Date
    ? string
    : Type extends object
      ? { [Name in keyof Type]: Wire<Type[Name]> }
      : Type

export const stripeBody = sentBy<Stripe.Event>()({
  id: 'evt_1SVa2bCZ6qsJgndJ8sMvqvXZ',
  object: 'event',
  api_version: '2026-10-28.dahlia',
  created: 1763639998,
  livemode: false,
  pending_webhooks: 1,
  request: { id: 'req_8P5kKqG6zD3rTl', idempotency_key: null },
  type: 'product.deleted',
  data: {
    object: {
      id: 'prod_TSXYZ4f0pS9q2r',
      object: 'product',
      active: true,
      created: 1763630000,
      default_price: null,
      description: null,
      images: [],
      livemode: false,
      marketing_features: [],
      metadata: {},
      name: 'Gold Plan',
      package_dimensions: null,
      shippable: null,
      statement_descriptor: null,
      tax_code: null,
      tax_details: null,
      type: 'service',
      unit_label: null,
      updated: 1763630000,
      url: null,
    },
  },
})

const account = 'https://api.github.com/users/octocat'
export const githubBody = sentBy<EventPayloadMap['github_app_authorization']>()({
  action: 'revoked',
  sender: {
    login: 'octocat',
    id: 21031067,
    node_id: 'MDQ6VXNlcjIxMDMxMDY3',
    avatar_url: 'https://avatars.githubusercontent.com/u/21031067?v=4',
    gravatar_id: '',
    url: account,
    html_url: 'https://github.com/octocat',
    followers_url: `${account}/followers`,
    following_url: `${account}/following{/other_user}`,
    gists_url: `${account}/gists{/gist_id}`,
    starred_url: `${account}/starred{/owner}{/repo}`,
    subscriptions_url: `${account}/subscriptions`,
    organizations_url: `${account}/orgs`,
    repos_url: `${account}/repos`,
    events_url: `${account}/events{/privacy}`,
    received_events_url: `${account}/received_events`,
    type: 'User',
    site_admin: false,
  },
})

export const slackBody = sentBy<SlackEnvelope<SlackEvent>>()({
  token: 'ZZZZZZWSxiZZZ2yIvs3peJ',
  team_id: 'T061EG9R6',
  api_app_id: 'A0MDYCDME',
  event: {
    type: 'app_mention',
    user: 'W021FGA1Z',
    text: 'You can count on <@U0LAN0Z89> for an honorable mention.',
    ts: '1515449483.000108',
    channel: 'C123ABC456',
    event_ts: '1515449483000108',
  },
  type: 'event_callback',
  event_id: 'Ev0MDYHUEL',
  event_time: 1515449483000108,
})

export const clerkBody = sentBy<ClerkEvent>()({
  data: { deleted: true, id: 'user_29wBMCtzATuFJut8jO2VNTVekS4', object: 'user' },
  event_attributes: { http_request: { client_ip: '0.0.0.0', user_agent: 'Mozilla/5.0' } },
  instance_id: 'ins_2c0ZBpQdD0PxVzAXCm0V4rWg2lC',
  object: 'event',
  timestamp: 1661861640000,
  type: 'user.deleted',
})

export const linearBody = sentBy<Wire<Extract<LinearWebhookPayload, { type: 'Reaction' }>>>()({
  action: 'create',
  type: 'Reaction',
  createdAt: '2025-11-20T12:00:00.000Z',
  data: {
    id: '2174add1-f7c8-44e3-bbf3-2d60b5ea8bc9',
    createdAt: '2025-11-20T12:00:00.000Z',
    updatedAt: '2025-11-20T12:00:00.000Z',
    emoji: 'thumbsup',
    userId: 'aacdca22-6266-4c0a-ab3c-8fa70a26765c',
    issueId: '539068e2-ae88-4d09-bd75-22eb4a59612f',
  },
  url: 'https://linear.app/acme/issue/LIN-1778',
  organizationId: '9cd2a1b3-2b7c-4e3a-9a3a-8f1f1f3b7a10',
  webhookTimestamp: 1763640000000,
  webhookId: '000042e3-d123-4980-b49f-8e140eef9329',
})

export const paddleBody = sentBy<Wire<Extract<PaddleEvent, { event_type: EventName.CustomerCreated }>>>()({
  event_id: 'evt_01hv6y1jf3v5d1xq8rvbx0rsvz',
  event_type: 'customer.created',
  occurred_at: '2024-04-11T15:57:24.813Z',
  notification_id: 'ntf_01hv6y1jg2h1mgh1yaz3xh0zkd',
  data: {
    id: 'ctm_01hv6y1jedq4p1n0yqn5ba3ky4',
    name: null,
    email: 'jo@example.com',
    status: 'active',
    locale: 'en',
    marketing_consent: false,
    custom_data: null,
    import_meta: null,
    created_at: '2024-04-11T15:57:24.813Z',
    updated_at: '2024-04-11T15:57:24.813Z',
  },
})

export const resendBody = sentBy<ResendEvent>()({
  type: 'email.sent',
  created_at: '2026-02-22T23:41:12.126Z',
  data: {
    created_at: '2026-02-22T23:41:11.894719+00:00',
    email_id: '56761188-7520-42d8-8898-ff6fc54ce618',
    message_id: '<111-222-333@email.example.com>',
    from: 'Acme <onboarding@resend.dev>',
    to: ['delivered@resend.dev'],
    subject: 'Sending this example',
  },
})
