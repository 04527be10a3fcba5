/** Stripe, GitHub and Slack in one app. Every handler below reads its payload by the sender's own type, without a cast. */
import type { EventPayloadMap } from '@octokit/webhooks-types'
import type { SlackEvent } from '@slack/types'
import { Hono } from 'hono'
import { defineListener, route } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { github } from 'hookgate/schemes/github'
import { type SlackEnvelope, slack } from 'hookgate/schemes/slack'
import { stripe } from 'hookgate/schemes/stripe'
import { memoryStore } from 'hookgate/stores/memory'
import type Stripe from 'stripe'

const {
  STRIPE_WEBHOOK_SECRET,
  GITHUB_WEBHOOK_SECRET,
  SLACK_SIGNING_SECRET,
} = process.env
const store = memoryStore() // one process only; otherwise a shared store, e.g. Redis

const payments = defineListener({
  id: 'stripe',
  auth: stripe<Stripe.Event>({ secrets: STRIPE_WEBHOOK_SECRET }),
  store,
})
const code = defineListener({
  id: 'github',
  auth: github<EventPayloadMap>({ secrets: GITHUB_WEBHOOK_SECRET }),
  store,
})
const chat = defineListener({
  id: 'slack',
  auth: slack<SlackEnvelope<SlackEvent>>({
    secrets: SLACK_SIGNING_SECRET,
  }),
  store,
})

const onPayment = route(payments, {
  'invoice.paid': ({ payload }) =>
    `paid: ${payload.data.object.amount_paid}`,
  'product.*': ({ type, payload }) =>
    `${type}: ${payload.data.object.name}`,
  '*': () => 'ignored', // with 2xx: senders add events whenever they like
})

const onCode = route(code, {
  push: ({ payload }) =>
    `${payload.ref}: ${payload.commits.length} commits`,
  issues: ({ payload: { action, issue } }) =>
    `${action}: ${issue.title}`,
  github_app_authorization: ({ payload }) =>
    `${payload.action}: ${payload.sender.login}`,
  '*': () => 'ignored',
})

const onChat = route(chat, {
  app_mention: ({ payload }) => `mentioned in ${payload.event.channel}`,
  reaction_added: ({ payload }) => payload.event.reaction,
  '*': () => 'ignored',
})

const app = new Hono()
app.post('/webhooks/stripe', verifyWebhook(payments), (c) =>
  c.text(onPayment(c.var.webhook)),
)
app.post('/webhooks/github', verifyWebhook(code), (c) =>
  c.text(onCode(c.var.webhook)),
)
app.post('/webhooks/slack', verifyWebhook(chat), (c) =>
  c.text(onChat(c.var.webhook)),
)

export default app // runs on Bun, Deno and Workers as it is, and on Node with @hono/node-server
