import type { FastifyInstance } from 'fastify'
import { Hono } from 'hono'
import { expectTypeOf, test } from 'vitest'
import { verifyWebhook as onExpress, webhookOf } from '../../adapters/express.ts'
import { verifyWebhook as onFastify, webhookOf as webhookOfFastify } from '../../adapters/fastify.ts'
import { verifyWebhook as onHono } from '../../adapters/hono.ts'
import { webhookHandler } from '../../adapters/web.ts'
import { toEnvelope } from '../../src/handoff/index.ts'
import {
  type Delivery,
  defineListener,
  type EventOf,
  hmac,
  type Json,
  type Listener,
  type PayloadOf,
  type PayloadSchema,
  route,
  type UntypedEvent,
  type Verdict,
  verify,
  type WebhookEvent,
} from '../../src/index.ts'
import { listeners } from '../../src/listeners.ts'
import { adyen } from '../../src/schemes/adyen.ts'
import { cloudevents } from '../../src/schemes/cloudevents.ts'
import { discord } from '../../src/schemes/discord.ts'
import { github } from '../../src/schemes/github.ts'
import { hubspot } from '../../src/schemes/hubspot.ts'
import { defineScheme } from '../../src/schemes/kit/index.ts'
import { line } from '../../src/schemes/line.ts'
import { sendgrid } from '../../src/schemes/sendgrid.ts'
import { shopify } from '../../src/schemes/shopify.ts'
import {
  type SlackCommand,
  type SlackEnvelope,
  type SlackInteraction,
  type SlackRateLimit,
  slack,
} from '../../src/schemes/slack.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs } from '../../src/testing/index.ts'

interface Invoice {
  readonly type: 'invoice.paid' | 'invoice.voided'
  readonly data: { readonly amount_paid: number }
}
interface Customer {
  readonly type: 'customer.created'
  readonly data: { readonly email: string }
}
interface Anything {
  readonly type: string
  readonly data: unknown
}
type Bodies = Invoice | Customer | Anything

interface Payloads {
  readonly push: { readonly ref: string }
  readonly issues: { readonly action: 'opened' }
}

const store = memoryStore()
const typed = defineListener({ id: 'stripe', auth: stripe<Bodies>({ secrets: 's' }), store })
const mapped = defineListener({ id: 'github', auth: github<Payloads>({ secrets: 's' }), store })
declare const delivery: Delivery
declare const app: FastifyInstance

test('event.type narrows event.payload where the body has the type', async () => {
  const verdict = await verify(delivery, typed)
  if (!verdict.ok) return
  const { event } = verdict
  expectTypeOf(event.type).toEqualTypeOf<'invoice.paid' | 'invoice.voided' | 'customer.created'>()
  if (event.type === 'customer.created') expectTypeOf(event.payload).toEqualTypeOf<Customer>()
  else expectTypeOf(event.payload).toEqualTypeOf<Invoice>()
  if (event.type === 'invoice.paid') expectTypeOf(event.payload.data.amount_paid).toEqualTypeOf<number>()
  await event.commit()
})

test('event.type narrows event.payload where a header has the type', async () => {
  const verdict = await verify(delivery, mapped)
  if (!verdict.ok) return
  const { type, payload } = verdict.event
  if (type === 'push') expectTypeOf(payload).toEqualTypeOf<{ readonly ref: string }>()
  else expectTypeOf(payload.action).toEqualTypeOf<'opened'>()
})

test('it does in every adapter', () => {
  new Hono().post('/', onHono(typed), (c) => {
    const event = c.var.webhook
    if (event.type === 'customer.created') expectTypeOf(event.payload.data.email).toEqualTypeOf<string>()
    return c.text('done')
  })
  webhookHandler(mapped, (event) => {
    if (event.type === 'issues') expectTypeOf(event.payload.action).toEqualTypeOf<'opened'>()
  })
  onExpress(typed)
  app.register(onFastify, { listener: mapped })
  app.post('/', (request) => {
    const event = webhookOfFastify(request, mapped)
    if (event.type === 'issues') expectTypeOf(event.payload.action).toEqualTypeOf<'opened'>()
  })
  const event = webhookOf({}, typed)
  if (event.type === 'customer.created') expectTypeOf(event.payload.data.email).toEqualTypeOf<string>()
})

test('differently typed listeners give the union of their events', async () => {
  type Either = WebhookEvent<PayloadOf<typeof typed>> | WebhookEvent<PayloadOf<typeof mapped>>
  const one = Math.random() < 0.5 ? typed : mapped
  const find = async (isStripe: boolean) => (isStripe ? typed : isStripe === undefined ? undefined : mapped)

  const verdict = await verify(delivery, one)
  if (!verdict.ok) return
  expectTypeOf(verdict.event).toEqualTypeOf<Either>()
  if (verdict.event.type === 'push') expectTypeOf(verdict.event.payload.ref).toEqualTypeOf<string>()

  new Hono().post(
    '/:sender',
    onHono((c) => find(c.req.param('sender') === 'stripe')),
    (c) => {
      expectTypeOf(c.var.webhook).toEqualTypeOf<Either>()
      return c.text('done')
    },
  )
  webhookHandler(
    (request) => (request.url.endsWith('/stripe') ? typed : mapped),
    (event) => expectTypeOf(event).toEqualTypeOf<Either>() as never,
  )
  onExpress((request) => find(request.url === '/stripe'))
  app.register(onFastify, { listener: ({ url }) => find(url === '/stripe') })
  expectTypeOf(webhookOf({}, one)).toEqualTypeOf<Either>()
  expectTypeOf(webhookOfFastify({}, one)).toEqualTypeOf<Either>()
  const tenants = listeners({ load: (id) => find(id === 'stripe') })
  webhookHandler(
    (request) => tenants.find(request.url),
    (event) => expectTypeOf(event).toEqualTypeOf<Either>() as never,
  )
  route(one, {
    push: (event) => expectTypeOf(event.payload.ref).toEqualTypeOf<string>(),
    'customer.*': (event) => expectTypeOf(event.payload).toEqualTypeOf<Customer>(),
    '*': (event) => expectTypeOf(event).toEqualTypeOf<Either>(),
  })
})

test('a scheme without a type argument gives events of any JSON', async () => {
  const plain = defineListener({ id: 'stripe', auth: stripe({ secrets: 's' }), store })
  const verdict = await verify(delivery, plain)
  if (verdict.ok) expectTypeOf(verdict.event).toEqualTypeOf<WebhookEvent<Json>>()
  const own = defineListener({ id: 'own', auth: hmac({ secrets: 's' }), store })
  expectTypeOf(own).toEqualTypeOf(plain)
})

test('Json stays one type', () => {
  expectTypeOf<WebhookEvent>().toEqualTypeOf<UntypedEvent<Json>>()
  expectTypeOf<WebhookEvent<string | number>>().toEqualTypeOf<UntypedEvent<string | number>>()
})

test('a scheme may be chosen by name', () => {
  const schemes = { github, slack, stripe }
  const auth = schemes[Math.random() < 0.5 ? 'github' : 'stripe']({ secrets: 's' })
  expectTypeOf(defineListener({ id: 'one', auth, store })).toEqualTypeOf<Listener<Json>>()
})

test('the payload of a sender that names no types is the type argument', async () => {
  const auth = line<{ readonly events: readonly unknown[] }>({ secrets: 's' })
  const verdict = await verify(delivery, defineListener({ id: 'line', auth, store }))
  if (verdict.ok) expectTypeOf(verdict.event.payload.events).toEqualTypeOf<readonly unknown[]>()
})

test('a payload schema wins, because it is checked', async () => {
  const payload = {} as PayloadSchema<{ readonly total: number }>
  const auth = stripe<Bodies>({ secrets: 's' })
  const verdict = await verify(delivery, defineListener({ id: 'stripe', auth, store, payload }))
  if (verdict.ok) expectTypeOf(verdict.event.payload).toEqualTypeOf<{ readonly total: number }>()
})

test('a type may still be named on defineListener', async () => {
  const auth = stripe({ secrets: 's' })
  const verdict = await verify(delivery, defineListener<Invoice>({ id: 'stripe', auth, store }))
  if (verdict.ok) expectTypeOf(verdict.event.payload).toEqualTypeOf<Invoice>()
})

test('a type argument without the member that names the event does not compile', () => {
  // @ts-expect-error Stripe names the event in `type`
  stripe<{ readonly eventType: 'invoice.paid' }>({ secrets: 's' })
  // @ts-expect-error
  discord<{ readonly event: { readonly kind: 'A' } }>({ publicKeys: 'k' })
  discord<{ readonly event: { readonly type: 'A' } }>({ publicKeys: 'k' })
})

test('a payload that is not in a map does not compile where a header names the event', () => {
  // @ts-expect-error the payload of one event
  shopify<{ readonly id: number; readonly total: string }>({ secrets: 's' })
  shopify<{ readonly 'orders/create': { readonly id: number; readonly total: string } }>({ secrets: 's' })
})

test("a scheme of one's own says where its sender names the event", async () => {
  const acme = defineScheme<{ secrets: string }, '/kind'>({
    name: 'acme',
    sender: 'Acme',
    secretName: 'key',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['x-acme'], spelling: 'hex' },
    signs: '{body}',
    eventType: { member: '/kind' },
    maxBodyBytes: 1024,
    limits: 'No time is signed.',
  })
  const auth = acme<{ readonly kind: 'a'; readonly n: number } | { readonly kind: 'b' }>({ secrets: 's' })
  const verdict = await verify(delivery, defineListener({ id: 'acme', auth, store }))
  if (verdict.ok && verdict.event.type === 'a') expectTypeOf(verdict.event.payload.n).toEqualTypeOf<number>()
})

test('route gives each handler the events of its key, and knows no other keys', () => {
  const handle = route(typed, {
    'invoice.paid': (event) => expectTypeOf(event.payload.data.amount_paid).toEqualTypeOf<number>(),
    'customer.*': (event) => expectTypeOf(event.payload).toEqualTypeOf<Customer>(),
    '*': (event) => expectTypeOf(event.type).toEqualTypeOf<Invoice['type'] | Customer['type']>(),
  })
  webhookHandler(typed, async (event) => {
    handle(event)
  })
  // @ts-expect-error no such event
  route(typed, { 'invoice.payed': () => {}, '*': () => {} })
  // @ts-expect-error no handler for everything else
  route(typed, { 'invoice.paid': () => {} })
})

test('route passes on what follows the event, once its types are named', () => {
  const handle = route<typeof typed, [status: number], Response | Promise<Response>>(typed, {
    'invoice.paid': async (event, status) => Response.json(event.payload.data.amount_paid, { status }),
    'customer.*': (_, status) => new Response(null, { status }),
    '*': () => new Response(),
  })
  expectTypeOf(handle).parameter(1).toEqualTypeOf<number>()
})

test('route takes any key of a listener without types, or of several listeners of which one has none', () => {
  const plain = defineListener({ id: 'stripe', auth: stripe({ secrets: 's' }), store })
  const handlers = { 'a.*': (event: WebhookEvent) => event.id, '*': (event: WebhookEvent) => event.id }
  expectTypeOf(route(plain, handlers)).parameter(0).toEqualTypeOf<WebhookEvent>()
  route(Math.random() < 0.5 ? plain : mapped, {
    push: (event) => expectTypeOf(event.payload).toEqualTypeOf<Json | { readonly ref: string }>(),
    anything: (event) => expectTypeOf(event.payload).toEqualTypeOf<Json>(),
    '*': () => {},
  })
})

test('route passes on the event and what follows it, and returns what its handlers do', () => {
  const handle = route(typed, { 'invoice.paid': () => 1, '*': (_event, tenant: string) => tenant.length })
  expectTypeOf(handle).parameter(1).toEqualTypeOf<string>()
  expectTypeOf(handle).returns.toEqualTypeOf<number>()
})

test('a typed event fits an envelope, and a typed body is signed', async () => {
  const verdict = await verify(delivery, typed)
  if (verdict.ok) toEnvelope(verdict.event)
  const body: Customer = { type: 'customer.created', data: { email: 'a@example.com' } }
  expectTypeOf((await signAs<Customer>(stripe, { secret: 's', body })).body).toEqualTypeOf<string>()
  // @ts-expect-error not a customer
  await signAs<Customer>(stripe, { secret: 's', body: { type: 'customer.created' } })
})

test('a hook whose verdict has a written type keeps the types of the events', () => {
  const auth = stripe<Bodies>({ secrets: 's' })
  const logged = defineListener({
    id: 'stripe',
    auth,
    store,
    onVerdict: (verdict: Verdict) => verdict.reason,
  })
  expectTypeOf(logged).toEqualTypeOf(typed)

  const schema = { '~standard': {} } as PayloadSchema<Customer>
  const checked = defineListener({ id: 'stripe', auth, store, payload: schema, onVerdict(_: Verdict) {} })
  expectTypeOf<PayloadOf<typeof checked>>().toEqualTypeOf<Customer>()

  // @ts-expect-error nothing says that the sender sends customers
  defineListener({ id: 'own', auth: hmac({ secrets: 's' }), store, onVerdict(_: Verdict<Customer>) {} })
})

interface Mention {
  readonly type: 'app_mention'
  readonly channel: string
}
interface BlockAction {
  readonly type: 'block_actions'
  readonly trigger_id: string
}

test("Slack's commands and interactions are events without a type, each told from the others", () => {
  type Body = SlackEnvelope<Mention> | SlackCommand | SlackInteraction<BlockAction>
  const listener = defineListener({ id: 'slack', auth: slack<Body>({ secrets: 's' }), store })
  const read = ({ type, payload }: EventOf<typeof listener>) => {
    expectTypeOf(type).toEqualTypeOf<'app_mention' | undefined>()
    if (type === 'app_mention') return expectTypeOf(payload.event.channel).toEqualTypeOf<string>()
    if (payload.type !== undefined) return expectTypeOf(payload).toEqualTypeOf<SlackRateLimit>()
    if (payload.command !== undefined) return expectTypeOf(payload).toEqualTypeOf<SlackCommand>()
    return expectTypeOf(payload.payload.trigger_id).toEqualTypeOf<string>()
  }
  route(listener, {
    app_mention: (event) => expectTypeOf(event.payload.event).toEqualTypeOf<Mention>(),
    '*': (event) => read(event),
  })
  // @ts-expect-error no such event
  route(listener, { app_mentioned: () => {}, '*': () => {} })
  // @ts-expect-error the inner event, not its envelope
  slack<Mention>({ secrets: 's' })
})

test('what else Slack sends to the URL is in the type, although the argument names only events', () => {
  type Others = SlackCommand | SlackInteraction | SlackRateLimit
  const events = defineListener({ id: 'slack', auth: slack<SlackEnvelope<Mention>>({ secrets: 's' }), store })
  const read = ({ type, payload }: EventOf<typeof events>) => {
    // @ts-expect-error a command has no event
    payload.event.channel
    if (type === 'app_mention') expectTypeOf(payload).toEqualTypeOf<SlackEnvelope<Mention>>()
    else expectTypeOf(payload).toEqualTypeOf<Others>()
  }
  route(events, { app_mention: (event) => event.payload.event.channel, '*': read })
  type Body = SlackEnvelope<Mention> | SlackInteraction<BlockAction>
  const more = defineListener({ id: 'slack', auth: slack<Body>({ secrets: 's' }), store })
  expectTypeOf<Exclude<EventOf<typeof more>['payload'], SlackEnvelope<Mention>>>().toEqualTypeOf<
    SlackCommand | SlackInteraction<BlockAction> | SlackRateLimit
  >()
})

test('the empty name stands for events without one among events by header', () => {
  interface Paid {
    readonly total: number
  }
  const auth = cloudevents<{ readonly paid: Paid; readonly '': readonly Paid[] }>({ secrets: 's' })
  const listener = defineListener({ id: 'cloudevents', auth, store })
  const read = ({ type, payload }: EventOf<typeof listener>) => {
    if (type === 'paid') expectTypeOf(payload).toEqualTypeOf<Paid>()
    else expectTypeOf(payload).toEqualTypeOf<readonly Paid[]>()
    if (type !== 'paid') expectTypeOf(type).toEqualTypeOf<undefined>()
  }
  route(listener, { paid: (event) => event.payload.total, '*': read })
  // @ts-expect-error events without a name are for '*'
  route(listener, { '': () => {}, '*': () => {} })
})

test('a name in a list is read of its elements', () => {
  interface Item<Code> {
    readonly NotificationRequestItem: { readonly eventCode: Code; readonly pspReference: string }
  }
  interface Notification<Code> {
    readonly live: string
    readonly notificationItems: Item<Code>[]
  }
  const auth = adyen<Notification<'AUTHORISATION'> | Notification<'REFUND'>>({ secrets: 's' })
  const listener = defineListener({ id: 'adyen', auth, store })
  const read = ({ type, payload }: EventOf<typeof listener>) => {
    expectTypeOf(type).toEqualTypeOf<'AUTHORISATION' | 'REFUND'>()
    if (type === 'REFUND') expectTypeOf(payload).toEqualTypeOf<Notification<'REFUND'>>()
  }
  route(listener, { '*': read })
  // @ts-expect-error
  adyen<{ readonly notificationItems: { readonly item: string }[] }>({ secrets: 's' })
})

test('a sender of batches has a list as its payload', () => {
  interface Change {
    readonly subscriptionType: string
  }
  const publicUrl = 'https://a.example'
  const hubspots = defineListener({
    id: 'hubspot',
    auth: hubspot<readonly Change[]>({ secrets: 's', publicUrl }),
    store,
  })
  expectTypeOf<EventOf<typeof hubspots>['payload']>().toEqualTypeOf<readonly Change[]>()
  const sendgrids = defineListener({
    id: 'sendgrid',
    auth: sendgrid<readonly { readonly event: string }[]>({ publicKeys: 'k' }),
    store,
  })
  expectTypeOf<EventOf<typeof sendgrids>['type']>().toEqualTypeOf<string | undefined>()
})
