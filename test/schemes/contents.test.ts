import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Authenticator, defineListener, type Json, verify, type WebhookEvent } from '../../src/index.ts'
import { adyen } from '../../src/schemes/adyen.ts'
import { appStore } from '../../src/schemes/app-store.ts'
import { auth0 } from '../../src/schemes/auth0.ts'
import { calCom } from '../../src/schemes/cal-com.ts'
import { cloudevents } from '../../src/schemes/cloudevents.ts'
import { deepgram } from '../../src/schemes/deepgram.ts'
import { docusign } from '../../src/schemes/docusign.ts'
import { dropboxSign } from '../../src/schemes/dropbox-sign.ts'
import { gateway } from '../../src/schemes/gateway.ts'
import { github } from '../../src/schemes/github.ts'
import { googleChannels } from '../../src/schemes/google-channels.ts'
import type { SchemeOptions, SenderScheme } from '../../src/schemes/kit/index.ts'
import { mandrill } from '../../src/schemes/mandrill.ts'
import { pubsub } from '../../src/schemes/pubsub.ts'
import { qstash } from '../../src/schemes/qstash.ts'
import {
  type SlackCommand,
  type SlackEnvelope,
  type SlackInteraction,
  slack,
} from '../../src/schemes/slack.ts'
import { sns } from '../../src/schemes/sns.ts'
import { twilio } from '../../src/schemes/twilio.ts'
import { vercelConnect } from '../../src/schemes/vercel-connect.ts'
import { wix } from '../../src/schemes/wix.ts'
import { x } from '../../src/schemes/x.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import type { EventTypes } from '../../src/typed-events.ts'
import { SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'
import { type VectorFetches, vectorFetch } from '../support/vector-fetch.ts'

interface Vectors {
  readonly options: SchemeOptions
  readonly now: number
  readonly fetches?: VectorFetches
  readonly cases: readonly {
    readonly name: string
    readonly method: string
    readonly requestUrl?: string
    readonly headers: readonly (readonly [string, string])[]
    readonly body?: string
    readonly bodyBase64?: string
  }[]
}

/** What a handler may read of an event, by the type that the factory promises. */
type Read<Event> = Event extends { readonly payload: infer Payload }
  ? {
      readonly type: Event extends { readonly type: infer Type } ? Type : undefined
      readonly payload: Payload
    }
  : never

type EventsOfAuth<Auth> = Auth extends EventTypes<infer Events> ? WebhookEvent<Events> : WebhookEvent<Json>

/** A genuine delivery of one content, and what its event must be: a value of the promised type. */
type Held<Event> = Read<Event> & {
  /** The name of the vector. */
  readonly vector: string
  /** Headers that the sender does not sign, in place of the vector's. */
  readonly headers?: { readonly [name: string]: string }
  /** A body that the sender's token does not cover, in place of the vector's. */
  readonly body?: string | Uint8Array
}

const GENUINE = 'a delivery as the sender makes it'

type Forwarded =
  | { readonly type: 'invoice.paid'; readonly id: string }
  | { readonly type: 'message'; readonly Body: string; readonly AccountSid: string }

const MANDRILL = [
  {
    event: 'send',
    ts: 1_763_639_999,
    _id: '72cf50b4fb9b4d3a',
    msg: { subject: 'Grüße, 🚀 & more', email: 'a+b@example.com' },
  },
] as const

/** As the gateway passes it on. */
const INVOICE = {
  id: 'evt_1',
  type: 'invoice.paid',
  data: { object: { id: 'in_1', amount_paid: 1250 } },
} as const

/** Compiles only if each event is one of those that the factory promises by its type argument. */
function promised<Auth extends Authenticator>(
  factory: ((options: never) => Auth) & { readonly scheme: SenderScheme },
  vectors: { readonly [content: string]: Held<EventsOfAuth<Auth>> },
) {
  return { scheme: factory.scheme, vectors }
}

interface Issues {
  readonly issues: {
    readonly action: 'opened'
    readonly issue: { readonly number: number; readonly title?: string }
  }
}
interface Mention {
  readonly type: 'app_mention'
  readonly text: string
}
type SlackBody =
  | (Omit<SlackEnvelope<Mention>, 'api_app_id'> & { readonly token: string })
  | Pick<SlackCommand, 'command' | 'text' | 'trigger_id' | 'team_id' | 'token' | 'event'>
  | SlackInteraction<{ readonly type: 'block_actions'; readonly trigger_id: string }>
interface Notification {
  readonly Type: 'Notification'
  readonly MessageId: string
}
interface Item {
  readonly NotificationRequestItem: { readonly eventCode: 'AUTHORISATION' }
}
interface Renewal {
  readonly notificationType: 'DID_RENEW'
  readonly data: { readonly bundleId: string }
}
interface Contact {
  readonly eventType: 'wix.contacts.v4.contact_created'
  readonly data: { readonly slug: string }
  readonly identity: { readonly identityType: string }
}
/** Binary mode, structured mode, and a batch. */
interface CloudEvents {
  readonly 'com.example.paid': CloudEvent | CloudEvent['data']
  readonly '': readonly CloudEvent[]
}
interface CloudEvent {
  readonly type: string
  readonly data: { readonly a: number }
}

const OCTOCAT = { action: 'opened', issue: { number: 1 } } as const
const MENTION = { type: 'app_mention', text: 'hello' } as const
const NOTIFIED = { Type: 'Notification', MessageId: '165545c9-2a5c-472c-8df2-7ff2be2b3b1b' } as const
const LOG = { log_id: '90020251120115959' }
const LINES = { vector: 'JSON Lines under a type of their own', payload: [{ log_id: '1' }, { log_id: '2' }] }
const PAID = { specversion: '1.0', type: 'com.example.paid', source: '/a', id: '1', data: { a: 1 } } as const
const CONNECT_XML =
  '<?xml version="1.0" encoding="utf-8"?>\r\n<DocuSignEnvelopeInformation><Status>Completed</Status></DocuSignEnvelopeInformation>'
const NOT_UTF8 = Uint8Array.of(0x22, 0xff, 0x22)
const RENEWAL = { notificationType: 'DID_RENEW', data: { bundleId: 'com.example.app' } } as const
const CONTACT = {
  eventType: 'wix.contacts.v4.contact_created',
  data: { slug: 'created' },
  identity: { identityType: 'WIX_USER' },
} as const
const untyped = { type: undefined }

/**
 * A vector for each content of each sender of several, by the media type, or by what else tells the contents apart. The last two
 * have one media type, but a list in their bodies.
 */
const held = [
  promised(gateway<Forwarded>, {
    'application/json': { vector: GENUINE, type: 'invoice.paid', payload: INVOICE },
    'a form': {
      vector: 'a form',
      type: 'message',
      payload: { AccountSid: 'AC1', Body: 'Hi there', type: 'message' },
    },
    'a form that is called text': {
      vector: 'a form that is called text',
      type: 'message',
      payload: { AccountSid: 'AC1', Body: 'Hi there', type: 'message' },
    },
    'a text that is called a form': {
      vector: 'a text that is called a form',
      ...untyped,
      payload: 'Hi there&type=message',
    },
    'what cannot be decoded as a form': {
      vector: 'what cannot be decoded as a form',
      ...untyped,
      payload: 'type=message&rate=7%',
    },
    'a string of JSON that holds a form': {
      vector: 'a string of JSON that holds a form',
      ...untyped,
      payload: 'a=1&type=message',
    },
    JSON: {
      vector: GENUINE,
      headers: { 'content-type': 'text/plain' },
      type: 'invoice.paid',
      payload: INVOICE,
    },
    text: { vector: 'XML', ...untyped, payload: '<?xml version="1.0"?><note/>' },
    bytes: { vector: 'bytes that are not UTF-8, correctly signed', ...untyped, payload: null },
  }),
  promised(github<Issues>, {
    'application/json': { vector: GENUINE, type: 'issues', payload: OCTOCAT },
    'application/x-www-form-urlencoded': {
      vector: 'a form with the JSON in its payload field',
      type: 'issues',
      payload: OCTOCAT,
    },
  }),
  promised(slack<SlackBody>, {
    'application/json': {
      vector: GENUINE,
      type: 'app_mention',
      payload: {
        token: 'not-used',
        team_id: 'T061EG9R6',
        type: 'event_callback',
        event_id: 'Ev0PV52K21',
        event_time: 1763639999,
        event: MENTION,
      },
    },
    'application/x-www-form-urlencoded': {
      vector: 'a slash command',
      ...untyped,
      payload: {
        token: 'not-used',
        team_id: 'T061EG9R6',
        command: '/weather',
        text: '94070 today',
        trigger_id: '13345224609.1',
      },
    },
    'a form with JSON in payload': {
      vector: 'an interaction, whose form has one JSON field',
      ...untyped,
      payload: { payload: { type: 'block_actions', trigger_id: '1.2' } },
    },
  }),
  promised(twilio<{ readonly MessageSid: string } | { readonly CallSid: string } | { readonly id: string }>, {
    'application/x-www-form-urlencoded': { vector: GENUINE, ...untyped, payload: { MessageSid: 'SM0123' } },
    'application/json': {
      vector: 'JSON: a delivery as the sender makes it',
      ...untyped,
      payload: { id: 'EZ1' },
    },
    'the query of a GET': {
      vector: 'GET: a delivery as the sender makes it',
      ...untyped,
      payload: { CallSid: 'CA0123' },
    },
  }),
  promised(docusign<{ readonly event: 'envelope-completed' }>, {
    'application/json': {
      vector: GENUINE,
      type: 'envelope-completed',
      payload: { event: 'envelope-completed' },
    },
    'text/xml': { vector: 'XML, the older format', ...untyped, payload: CONNECT_XML },
    'application/xml': { vector: 'XML under its other type', ...untyped, payload: CONNECT_XML },
  }),
  promised(sns<Notification>, {
    'text/plain': { vector: GENUINE, type: 'Notification', payload: NOTIFIED },
    'application/json': {
      vector: GENUINE,
      headers: { 'content-type': 'application/json' },
      type: 'Notification',
      payload: NOTIFIED,
    },
  }),
  promised(auth0<{ readonly log_id: string } | readonly { readonly log_id: string }[]>, {
    'application/json': { vector: GENUINE, ...untyped, payload: [LOG] },
    'application/x-ndjson': { ...LINES, ...untyped },
    'application/jsonl': { ...LINES, headers: { 'content-type': 'application/jsonl' }, ...untyped },
    'application/x-jsonlines': {
      ...LINES,
      headers: { 'content-type': 'application/x-jsonlines' },
      ...untyped,
    },
  }),
  promised(pubsub<{ readonly message: { readonly messageId: string } } | string | null>, {
    JSON: { vector: GENUINE, ...untyped, payload: { message: { messageId: '136969346945' } } },
    text: { vector: 'a body that is not JSON, unwrapped', ...untyped, payload: 'hello' },
    bytes: { vector: GENUINE, body: NOT_UTF8, ...untyped, payload: null },
  }),
  promised(qstash<{ readonly order: number } | string | null>, {
    JSON: { vector: GENUINE, ...untyped, payload: { order: 1 } },
    text: { vector: 'a text', ...untyped, payload: 'hello, world' },
    bytes: { vector: 'bytes that are not UTF-8', ...untyped, payload: null },
  }),
  promised(
    mandrill<{ readonly mandrill_events: readonly { readonly event: 'send'; readonly _id: string }[] }>,
    {
      'application/x-www-form-urlencoded': {
        vector: GENUINE,
        ...untyped,
        payload: { mandrill_events: MANDRILL },
      },
      'a form with JSON in mandrill_events': {
        vector: GENUINE,
        ...untyped,
        payload: { mandrill_events: MANDRILL },
      },
    },
  ),
  promised(dropboxSign<{ readonly event: { readonly event_type: 'signature_request_signed' } }>, {
    'multipart/form-data': {
      vector: GENUINE,
      type: 'signature_request_signed',
      payload: { event: { event_type: 'signature_request_signed' } },
    },
  }),
  promised(cloudevents<CloudEvents>, {
    structured: { vector: GENUINE, body: JSON.stringify(PAID), type: 'com.example.paid', payload: PAID },
    binary: {
      vector: GENUINE,
      headers: { 'content-type': 'application/json', 'ce-type': PAID.type, 'ce-id': '1', 'ce-source': '/a' },
      body: '{"a":1}',
      type: 'com.example.paid',
      payload: { a: 1 },
    },
    batch: {
      vector: GENUINE,
      headers: { 'content-type': 'application/cloudevents-batch+json' },
      body: JSON.stringify([PAID]),
      ...untyped,
      payload: [PAID],
    },
  }),
  promised(calCom<{ readonly triggerEvent: 'BOOKING_CREATED' }>, {
    'application/json': {
      vector: GENUINE,
      type: 'BOOKING_CREATED',
      payload: { triggerEvent: 'BOOKING_CREATED' },
    },
    'application/x-www-form-urlencoded': {
      vector: 'a form, which a payload template may make',
      type: 'BOOKING_CREATED',
      payload: { triggerEvent: 'BOOKING_CREATED' },
    },
  }),
  promised(adyen<{ readonly live: string; readonly notificationItems: readonly Item[] }>, {
    'application/json': {
      vector: GENUINE,
      type: 'AUTHORISATION',
      payload: {
        live: 'false',
        notificationItems: [{ NotificationRequestItem: { eventCode: 'AUTHORISATION' } }],
      },
    },
  }),
  promised(appStore<Renewal>, {
    'application/json': { vector: GENUINE, type: 'DID_RENEW', payload: RENEWAL },
  }),
  promised(deepgram<{ readonly metadata: { readonly duration: number } } | string | null>, {
    JSON: { vector: GENUINE, ...untyped, payload: { metadata: { duration: 25.9 } } },
    text: { vector: GENUINE, body: 'a text', ...untyped, payload: 'a text' },
    bytes: { vector: 'speech, which is not JSON', ...untyped, payload: null },
  }),
  {
    // Its types promise objects only: the body of a real notification is empty.
    scheme: googleChannels.scheme,
    vectors: {
      'no body': { vector: GENUINE, type: 'exists', payload: null },
      JSON: { vector: 'an empty object', type: 'exists', payload: {} },
      text: { vector: GENUINE, body: 'a text', type: 'exists', payload: 'a text' },
      bytes: { vector: GENUINE, body: NOT_UTF8, type: 'exists', payload: null },
    },
  },
  promised(vercelConnect<{ readonly event_id: string } | { readonly payload: string }>, {
    'application/json': { vector: GENUINE, ...untyped, payload: { event_id: 'Ev9UQ52YNA' } },
    'application/x-www-form-urlencoded': {
      vector: 'a form, as Slack sends interactions',
      ...untyped,
      payload: { payload: '{"type":"block_actions"}' },
    },
  }),
  promised(wix<Contact>, {
    JSON: { vector: GENUINE, type: CONTACT.eventType, payload: CONTACT },
  }),
  promised(x<{ readonly for_user_id: string }>, {
    'application/json': { vector: GENUINE, ...untyped, payload: { for_user_id: '2244994945' } },
  }),
]

/** The contents that a row says that its sender has, by which the handler's payload may differ. */
function contentsOf({ content = ['json'], jsonField, methods = [] }: SenderScheme): readonly string[] {
  const named = content.flatMap((kind) => {
    if (kind === 'json') return ['application/json']
    if (kind === 'json-as-text') return ['text/plain']
    if (kind === 'form') return ['application/x-www-form-urlencoded']
    const any = kind.is === undefined ? ['JSON', 'text', 'bytes'] : ['JSON']
    return kind.mediaTypes.flatMap((type) => (type === '*' ? any : [type]))
  })
  const inField = jsonField === undefined ? [] : [`a form with JSON in ${jsonField}`]
  return [...named, ...inField, ...(methods.includes('GET') ? ['the query of a GET'] : [])]
}

const read = (scheme: string): Vectors =>
  JSON.parse(readFileSync(new URL(`../vectors/schemes/${scheme}.json`, import.meta.url), 'utf8'))

async function eventOf(
  scheme: string,
  { vector, headers, body }: Omit<Held<WebhookEvent>, 'type' | 'payload'>,
) {
  const { options, now, fetches, cases } = read(scheme)
  const found = cases.find(({ name }) => name === vector)
  if (found === undefined) throw new Error(`no such vector of ${scheme}: ${vector}`)
  const clock = { now: () => now * 1000 }
  const auth = (await schemeFactory(scheme))({ ...options, ...(fetches && vectorFetch(fetches)) })
  const listener = defineListener({ id: scheme, auth, store: memoryStore({ clock }), clock })
  const sent: { readonly [name: string]: string } = {
    ...Object.fromEntries(found.headers.map(([name, value]) => [name.toLowerCase(), value])),
    ...headers,
  }
  const raw = Buffer.from(found.bodyBase64 ?? found.body ?? '', found.bodyBase64 ? 'base64' : 'utf8')
  const exact = body === undefined ? raw : Buffer.from(body)
  const { method, requestUrl: url } = found
  const verdict = await verify(
    { method, url, header: (name) => sent[name], body: exact, sourceIp: undefined },
    listener,
  )
  if (!verdict.ok) throw new Error(`${verdict.reason}: ${verdict.detail}`)
  const { type, payload, rawBody } = verdict.event
  return { type, payload, rawBody, exact, method }
}

const cases = held.flatMap(({ scheme, vectors }) =>
  Object.entries(vectors).map(([content, given]) => ({ name: scheme.name, content, given })),
)

describe.each(cases)('an event of $name as $content', ({ name, given }) => {
  it('an event has the payload that the factory’s type promises', async () => {
    const { type, payload } = await eventOf(name, given)
    expect({ type, payload }).toMatchObject({ type: given.type, payload: given.payload })
  })

  it('an event keeps the exact bytes that were sent', async () => {
    const { rawBody, exact, method } = await eventOf(name, given)
    if (method === 'POST') expect(Buffer.from(rawBody)).toEqual(exact)
  })
})

it('every content of every sender of several, or of a format of its own, has a vector', async () => {
  const rows = await Promise.all(SCHEME_NAMES.map(async (name) => (await schemeFactory(name)).scheme))
  const several = rows.filter(
    (row) =>
      contentsOf(row).length > 1 || row.jsonField !== undefined || typeof row.content?.[0] === 'object',
  )
  const missing = several.flatMap((row) => {
    const vectors = held.find(({ scheme }) => scheme.name === row.name)?.vectors ?? {}
    return contentsOf(row).flatMap((content) => (content in vectors ? [] : [`${row.name}: ${content}`]))
  })
  expect(missing, 'add each to `held`').toEqual([])
  expect(several.length).toBeGreaterThan(5)
})
