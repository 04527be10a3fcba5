/**
 * The senders' own types: each listener is one that a user would write, and `told` is what its handler can read without a cast.
 * A `@ts-expect-error` fails where a type was silently `any`.
 */
import type { WebhookEvent as ClerkEvent } from '@clerk/backend'
import type { LinearWebhookPayload } from '@linear/sdk/webhooks'
import type { EventPayloadMap } from '@octokit/webhooks-types'
import type { IEvents as PaddleEvent, TransactionCompletedEvent } from '@paddle/paddle-node-sdk'
import type { BlockAction } from '@slack/bolt'
import type { SlackEvent } from '@slack/types'
import type { WebhookEventPayload as ResendEvent } from 'resend'
import type Stripe from 'stripe'
import { defineListener, type EventOf, route } from '../../../src/index.ts'
import { clerk } from '../../../src/schemes/clerk.ts'
import { github } from '../../../src/schemes/github.ts'
import { linear } from '../../../src/schemes/linear.ts'
import { paddle } from '../../../src/schemes/paddle.ts'
import { resend } from '../../../src/schemes/resend.ts'
import { type SlackEnvelope, type SlackInteraction, slack } from '../../../src/schemes/slack.ts'
import { stripe } from '../../../src/schemes/stripe.ts'
import { memoryStore } from '../../../src/stores/memory.ts'

const store = memoryStore()
/** For every sender: base64 behind `whsec_` is text to those that sign with text. */
export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

export const stripes = defineListener({
  id: 'stripe',
  auth: stripe<Stripe.Event>({ secrets: secret }),
  store,
})
export const toldByStripe = route(stripes, {
  'invoice.paid': (event) => event.payload.data.object.amount_paid.toFixed(),
  'product.*': (event) => event.payload.data.object.name,
  'plan.created': (event) => event.payload.data.object.interval,
  '*': (event) => event.type,
})
/** A type may also stand on the listener. */
export const untyped = defineListener<Stripe.Event>({
  id: 'stripe',
  auth: stripe({ secrets: secret }),
  store,
})
// @ts-expect-error no such event
route(stripes, { 'invoice.payed': () => '', '*': () => '' })

export const githubs = defineListener({
  id: 'github',
  auth: github<EventPayloadMap>({ secrets: secret }),
  store,
})
export const toldByGithub = route(githubs, {
  push: (event) => event.payload.ref,
  github_app_authorization: (event) => event.payload.sender.login,
  '*': (event) => event.type,
})
// @ts-expect-error no such event
route(githubs, { pushed: () => '', '*': () => '' })

export const slacks = defineListener({
  id: 'slack',
  auth: slack<SlackEnvelope<SlackEvent>>({ secrets: secret }),
  store,
})
export function toldBySlack({ type, payload }: EventOf<typeof slacks>): string | undefined {
  // @ts-expect-error no such event
  if (type === 'app_mentioned') return ''
  return type === 'app_mention' ? payload.event.text : undefined
}

/** With the types of interactions: commands need none. */
export const slackForms = defineListener({
  id: 'slack-forms',
  auth: slack<SlackEnvelope<SlackEvent> | SlackInteraction<BlockAction>>({ secrets: secret }),
  store,
})
export function toldBySlackForm({ type, payload }: EventOf<typeof slackForms>): string | undefined {
  if (type !== undefined) return type
  if (payload.payload !== undefined) return payload.payload.actions[0]?.action_id
  if (payload.command === undefined) return payload.type
  // @ts-expect-error a command has no envelope
  if (payload.event_id) return ''
  return payload.command
}

export const clerks = defineListener({ id: 'clerk', auth: clerk<ClerkEvent>({ secrets: secret }), store })
export function toldByClerk({ type, payload }: EventOf<typeof clerks>): string | undefined {
  // @ts-expect-error no such event
  if (type === 'user.removed') return ''
  return type === 'user.deleted' ? payload.data.id : undefined
}

export const linears = defineListener({
  id: 'linear',
  auth: linear<LinearWebhookPayload>({ secrets: secret }),
  store,
})
export function toldByLinear({ type, payload }: EventOf<typeof linears>): string | undefined {
  // @ts-expect-error no such event
  if (type === 'Emoji') return ''
  return type === 'Comment' ? payload.data.body : undefined
}

export const paddles = defineListener({ id: 'paddle', auth: paddle<PaddleEvent>({ secrets: secret }), store })
export function toldByPaddle({ type, payload }: EventOf<typeof paddles>): string | undefined {
  // @ts-expect-error no such event
  if (type === 'customer.removed') return ''
  return type === 'customer.created' ? payload.data.email : undefined
}
// @ts-expect-error what the SDK makes of a body has `eventType`, the body has `event_type`
paddle<TransactionCompletedEvent>({ secrets: secret })

export const resends = defineListener({ id: 'resend', auth: resend<ResendEvent>({ secrets: secret }), store })
export const toldByResend = route(resends, {
  'email.bounced': (event) => event.payload.data.bounce.type,
  'domain.*': (event) => event.payload.data.name,
  '*': (event) => event.type,
})
