import { randomBytes } from 'node:crypto'
import type { SenderScheme } from '../../src/schemes/kit/index.ts'
import { UsageError } from '../command-line/exit.ts'
import { nearest } from '../command-line/nearest.ts'
import { printable } from '../command-line/output.ts'
import { MADE_TYPE, madeBody } from './scheme-body.ts'

/** What makes each sample a new event. */
interface Fresh {
  /** 24 hexadecimal digits. */
  readonly id: string
  readonly now: Date
  readonly seconds: number
}

/** Small events in the form that the sender documents. */
interface Samples {
  /** The first is the default. None if the sender has no event types. */
  readonly types: readonly string[]
  body(fresh: Fresh, type: string): object
}

const SAMPLES: { readonly [scheme: string]: Samples } = {
  stripe: {
    types: ['invoice.paid', 'checkout.session.completed', 'customer.subscription.deleted'],
    body: ({ id, seconds }, type) => ({
      id: `evt_${id}`,
      object: 'event',
      type,
      created: seconds,
      livemode: false,
      data: { object: { id: `obj_${id}`, ...STRIPE_OBJECTS[type] } },
    }),
  },
  github: {
    types: ['push', 'pull_request', 'ping'],
    body: ({ id }, type) => ({
      ...githubEvent(type, id),
      repository: { id: 1, full_name: 'octocat/hello-world' },
    }),
  },
  slack: {
    types: ['app_mention', 'message'],
    body: ({ id, seconds }, type) => ({
      type: 'event_callback',
      event_id: `Ev${id}`,
      event_time: seconds,
      team_id: 'T0000000000',
      event: { type, user: 'U0000000000', text: 'Hello', ts: `${seconds}.000100`, channel: 'C0000000000' },
    }),
  },
  shopify: {
    types: ['orders/create', 'products/update'],
    body: ({ id, now }, type) =>
      type === 'orders/create'
        ? { id: numberOf(id), created_at: now, total_price: '20.00', currency: 'EUR' }
        : { id: numberOf(id), updated_at: now, ...(type === 'products/update' && { title: 'A product' }) },
  },
  twilio: {
    types: [],
    body: ({ id }) => ({
      MessageSid: `SM${id}00000000`,
      AccountSid: `AC${'0'.repeat(32)}`,
      From: '+15005550006',
      To: '+15005550009',
      Body: 'Hello',
      SmsStatus: 'received',
    }),
  },
  'standard-webhooks': { types: ['user.created', 'invoice.paid'], body: ofStandard },
  svix: { types: ['user.created', 'invoice.paid'], body: ofStandard },
  linear: {
    types: ['Issue', 'Comment'],
    body: ({ id, now }, type) => ({
      action: 'create',
      type,
      createdAt: now,
      data: { id, ...LINEAR_OBJECTS[type] },
      webhookTimestamp: now.getTime(),
    }),
  },
  discord: {
    types: ['APPLICATION_AUTHORIZED', 'ENTITLEMENT_CREATE'],
    body: ({ id, now }, type) => ({
      version: 1,
      application_id: `${numberOf(id)}`,
      type: 1,
      event: { type, timestamp: now, data: {} },
    }),
  },
  meta: {
    types: [],
    body: ({ id, seconds }) => ({
      object: 'page',
      entry: [{ id, time: seconds, changes: [{ field: 'feed', value: { item: 'post', verb: 'add' } }] }],
    }),
  },
  line: {
    types: [],
    body: ({ id, now }) => ({
      destination: `U${id}00000000`,
      events: [
        {
          type: 'message',
          mode: 'active',
          timestamp: now.getTime(),
          source: { type: 'user', userId: `U${'0'.repeat(32)}` },
          webhookEventId: id,
          deliveryContext: { isRedelivery: false },
          message: { id: `${numberOf(id)}`, type: 'text', text: 'Hello' },
        },
      ],
    }),
  },
  telegram: {
    types: [],
    body: ({ id, seconds }) => ({
      update_id: numberOf(id),
      message: { message_id: 1, date: seconds, chat: { id: 1, type: 'private' }, text: 'Hello' },
    }),
  },
  hubspot: {
    types: [],
    body: ({ id, now }) => [
      {
        eventId: numberOf(id),
        subscriptionType: 'contact.creation',
        portalId: 1,
        objectId: 1,
        occurredAt: now.getTime(),
        attemptNumber: 0,
      },
    ],
  },
  paddle: {
    types: ['transaction.completed', 'subscription.created'],
    body: ({ id, now }, type) => ({
      event_id: `evt_${id}`,
      event_type: type,
      occurred_at: now,
      notification_id: `ntf_${id}`,
      data: { id, status: 'active' },
    }),
  },
}

const STRIPE_OBJECTS: { readonly [type: string]: object } = {
  'invoice.paid': { object: 'invoice', amount_paid: 2000 },
  'checkout.session.completed': { object: 'checkout.session', payment_status: 'paid' },
  'customer.subscription.deleted': { object: 'subscription', status: 'canceled' },
}

const LINEAR_OBJECTS: { readonly [type: string]: object } = {
  Issue: { title: 'An issue' },
  Comment: { body: 'A comment' },
}

function githubEvent(type: string, id: string): object {
  if (type === 'push') return { ref: 'refs/heads/main', after: id, commits: [] }
  if (type === 'ping') return { zen: `Keep it simple. ${id}`, hook_id: 1 }
  if (type === 'pull_request') return { action: 'opened', number: 1, pull_request: { title: id } }
  return { sample: id } // makes the body a new one, because GitHub's ID is not signed
}

function ofStandard({ id, now }: Fresh, type: string): object {
  return { type, timestamp: now, data: { id } }
}

const numberOf = (id: string) => Number.parseInt(id.slice(0, 12), 16)

/** The option of `send` for a sample of this sender. */
export function sampleOption(scheme: string): string {
  const [type] = samplesOf(scheme)?.types ?? []
  return type === undefined ? '--sample' : `--type ${type}`
}

/**
 * A new sample event: in the form that the sender documents, or with the members that its row names. A type that has no sample
 * gets the members that all types of this sender have.
 */
export function sampleOf(scheme: SenderScheme, given?: string): string {
  const { name, content = [] } = scheme
  const samples = samplesOf(name)
  if (samples === undefined) return madeBody(scheme, given)
  const { types } = samples
  const type = given ?? types[0] ?? ''
  const now = new Date()
  const fresh = { id: randomBytes(12).toString('hex'), now, seconds: Math.floor(now.getTime() / 1000) }
  const body = samples.body(fresh, type)
  return content[0] === 'form' ? `${new URLSearchParams(Object.entries(body))}` : JSON.stringify(body)
}

/** The type that `--type`, or the sample without it, stands for. @throws UsageError if the sender names none. */
export function typeOf(
  { name, sender, eventType }: SenderScheme,
  type: string | undefined,
): string | undefined {
  if (type !== undefined && eventType === undefined) {
    throw new UsageError(`--type: ${sender} names no event type; use --sample`)
  }
  if (type !== undefined || eventType === undefined) return type
  const samples = samplesOf(name)
  return samples === undefined ? MADE_TYPE : samples.types[0]
}

/** What `--type` lacks: a remark that names the types with a sample, or undefined if this is one of them. */
export function aboutMinimal({ name, sender }: SenderScheme, type: string): string | undefined {
  const types = samplesOf(name)?.types ?? []
  if (types.length === 0 || types.includes(type)) return undefined
  const meant = nearest(type, types)
  const minimal = `${type} has a minimal body: hookgate has samples of ${sender}'s ${types.join(', ')}`
  return `${printable(minimal)}${meant ? `; did you mean ${meant}?` : '; give another body as --file FILE'}`
}

/** Undefined for a sender whose sample is made of its row. */
export function samplesOf(scheme: string): Samples | undefined {
  return Object.hasOwn(SAMPLES, scheme) ? SAMPLES[scheme] : undefined
}
