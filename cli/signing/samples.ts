import { randomBytes } from 'node:crypto'
import type { SenderScheme } from '../../src/scheme/index.ts'
import { UsageError } from '../command-line/exit.ts'

/** What makes each sample a new event. */
interface Fresh {
  /** 24 hexadecimal digits. */
  readonly id: string
  readonly now: Date
  readonly seconds: number
}

type Body = (fresh: Fresh) => object

/** Small events in the form that the sender documents, by type. One without a type is a `Body` of its own. */
const SAMPLES: { readonly [scheme: string]: Body | { readonly [type: string]: Body } } = {
  stripe: {
    'invoice.paid': (fresh) => ofStripe(fresh, 'invoice.paid', { object: 'invoice', amount_paid: 2000 }),
    'checkout.session.completed': (fresh) =>
      ofStripe(fresh, 'checkout.session.completed', { object: 'checkout.session', payment_status: 'paid' }),
    'customer.subscription.deleted': (fresh) =>
      ofStripe(fresh, 'customer.subscription.deleted', { object: 'subscription', status: 'canceled' }),
  },
  github: {
    push: ({ id }) => ({ ref: 'refs/heads/main', after: id, repository: REPOSITORY, commits: [] }),
    pull_request: ({ id }) => ({
      action: 'opened',
      number: 1,
      pull_request: { title: id },
      repository: REPOSITORY,
    }),
    ping: ({ id }) => ({ zen: `Keep it simple. ${id}`, hook_id: 1, repository: REPOSITORY }),
  },
  slack: {
    app_mention: (fresh) => ofSlack(fresh, 'app_mention'),
    message: (fresh) => ofSlack(fresh, 'message'),
  },
  shopify: {
    'orders/create': ({ id, now }) => ({
      id: numberOf(id),
      created_at: now,
      total_price: '20.00',
      currency: 'EUR',
    }),
    'products/update': ({ id, now }) => ({ id: numberOf(id), updated_at: now, title: 'A product' }),
  },
  twilio: ({ id }) => ({
    MessageSid: `SM${id}00000000`,
    AccountSid: `AC${'0'.repeat(32)}`,
    From: '+15005550006',
    To: '+15005550009',
    Body: 'Hello',
  }),
  'standard-webhooks': {
    'user.created': (fresh) => ofStandard(fresh, 'user.created'),
    'invoice.paid': (fresh) => ofStandard(fresh, 'invoice.paid'),
  },
  svix: {
    'user.created': (fresh) => ofStandard(fresh, 'user.created'),
    'invoice.paid': (fresh) => ofStandard(fresh, 'invoice.paid'),
  },
  linear: {
    Issue: (fresh) => ofLinear(fresh, 'Issue', { title: 'An issue' }),
    Comment: (fresh) => ofLinear(fresh, 'Comment', { body: 'A comment' }),
  },
  discord: {
    APPLICATION_AUTHORIZED: (fresh) => ofDiscord(fresh, 'APPLICATION_AUTHORIZED'),
    ENTITLEMENT_CREATE: (fresh) => ofDiscord(fresh, 'ENTITLEMENT_CREATE'),
  },
  meta: ({ id, seconds }) => ({
    object: 'page',
    entry: [{ id, time: seconds, changes: [{ field: 'feed', value: { item: 'post', verb: 'add' } }] }],
  }),
  paddle: {
    'transaction.completed': (fresh) => ofPaddle(fresh, 'transaction.completed'),
    'subscription.created': (fresh) => ofPaddle(fresh, 'subscription.created'),
  },
}

const REPOSITORY = { id: 1, full_name: 'octocat/hello-world' }

const numberOf = (id: string) => Number.parseInt(id.slice(0, 12), 16)

const ofStripe = ({ id, seconds }: Fresh, type: string, object: object) => ({
  id: `evt_${id}`,
  object: 'event',
  type,
  created: seconds,
  livemode: false,
  data: { object: { id: `obj_${id}`, ...object } },
})

const ofSlack = ({ id, seconds }: Fresh, type: string) => ({
  type: 'event_callback',
  event_id: `Ev${id}`,
  event_time: seconds,
  team_id: 'T0000000000',
  event: { type, user: 'U0000000000', text: 'Hello', ts: `${seconds}.000100`, channel: 'C0000000000' },
})

const ofStandard = ({ id, now }: Fresh, type: string) => ({ type, timestamp: now, data: { id } })

const ofLinear = ({ id, now }: Fresh, type: string, data: object) => ({
  action: 'create',
  type,
  createdAt: now,
  data: { id, ...data },
  webhookTimestamp: now.getTime(),
})

const ofDiscord = ({ id, now }: Fresh, type: string) => ({
  version: 1,
  application_id: `${numberOf(id)}`,
  type: 1,
  event: { type, timestamp: now, data: {} },
})

const ofPaddle = ({ id, now }: Fresh, type: string) => ({
  event_id: `evt_${id}`,
  event_type: type,
  occurred_at: now,
  notification_id: `ntf_${id}`,
  data: { id, status: 'active' },
})

/** The options of `send` that choose a sample for this scheme. Undefined if there is none. */
export function sampleOption(scheme: string): string | undefined {
  const samples = SAMPLES[scheme]
  if (samples === undefined) return undefined
  return typeof samples === 'function' ? '--sample' : `--type ${Object.keys(samples)[0]}`
}

/** A new sample event. @throws UsageError if the scheme has none, or none of this type. */
export function sampleOf({ name, sender, content = [] }: SenderScheme, type: string | undefined): string {
  const samples = Object.hasOwn(SAMPLES, name) ? SAMPLES[name] : undefined
  if (samples === undefined)
    throw new UsageError(`there is no sample event of ${sender}: give --data or --file`)
  const now = new Date()
  const fresh = { id: randomBytes(12).toString('hex'), now, seconds: Math.floor(now.getTime() / 1000) }
  if (typeof samples === 'function') {
    return content[0] === 'form'
      ? `${new URLSearchParams(Object.entries(samples(fresh)))}`
      : JSON.stringify(samples(fresh))
  }
  const chosen = type ?? Object.keys(samples)[0] ?? ''
  const body = Object.hasOwn(samples, chosen) ? samples[chosen] : undefined
  if (body === undefined) {
    throw new UsageError(
      `--type: ${sender} has samples of ${Object.keys(samples).join(', ')}; for another, give --data`,
    )
  }
  return JSON.stringify(body(fresh))
}

/** The type that `--type`, or the sample without it, stands for. @throws UsageError if the sender names none. */
export function typeOf(
  { name, sender, eventType }: SenderScheme,
  type: string | undefined,
): string | undefined {
  if (type !== undefined && eventType === undefined) {
    throw new UsageError(`--type: ${sender} names no event type; use --sample`)
  }
  const samples = SAMPLES[name]
  return type ?? (typeof samples === 'object' ? Object.keys(samples)[0] : undefined)
}
