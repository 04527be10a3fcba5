/** Compiled, never run: the senders' own types narrow `event.payload`. */
import type { LinearWebhookPayload } from '@linear/sdk/webhooks'
import type { SlackEvent } from '@slack/types'
import type { WebhookEventPayload } from 'resend'
import type Stripe from 'stripe'
import { linear } from '../../schemes/linear.ts'
import { resend } from '../../schemes/resend.ts'
import { type SlackEnvelope, slack } from '../../schemes/slack.ts'
import { stripe } from '../../schemes/stripe.ts'
import { type Delivery, defineListener, route, verify } from '../../src/index.ts'
import { memoryStore } from '../../stores/memory.ts'

const store = memoryStore()

export async function stripes(delivery: Delivery): Promise<number | undefined> {
  const auth = stripe<Stripe.Event>({ secrets: 'whsec_' })
  const listener = defineListener({ id: 'stripe', auth, store })
  const handle = route(listener, {
    'customer.*': (event) => event.payload.data.object.id,
    '*': (event) => event.type,
  })
  const verdict = await verify(delivery, listener)
  if (!verdict.ok) return undefined
  handle(verdict.event)
  return verdict.event.type === 'invoice.paid' ? verdict.event.payload.data.object.amount_paid : undefined
}

export async function slacks(delivery: Delivery): Promise<string | undefined> {
  const listener = defineListener({
    id: 'slack',
    auth: slack<SlackEnvelope<SlackEvent>>({ secrets: 's' }),
    store,
  })
  const verdict = await verify(delivery, listener)
  if (verdict.ok && verdict.event.type === 'app_mention') return verdict.event.payload.event.text
  return undefined
}

export async function resends(delivery: Delivery): Promise<string[] | undefined> {
  const listener = defineListener({ id: 'r', auth: resend<WebhookEventPayload>({ secrets: 's' }), store })
  const verdict = await verify(delivery, listener)
  return verdict.ok && verdict.event.type === 'email.sent' ? verdict.event.payload.data.to : undefined
}

export async function linears(delivery: Delivery): Promise<string | undefined> {
  const listener = defineListener({ id: 'l', auth: linear<LinearWebhookPayload>({ secrets: 's' }), store })
  const verdict = await verify(delivery, listener)
  return verdict.ok && verdict.event.type === 'Issue' ? verdict.event.payload.data.title : undefined
}
