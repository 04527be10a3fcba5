import { type PubsubOptions, pubsub } from '../../src/schemes/pubsub.ts'
import type { SchemeName } from '../suites/runtimes/wire/schemes.ts'
import { fakeClock } from '../support/clock.ts'
import { ACCEPTED, describeMatrix, type Row, refused, type Wire } from '../support/describe-matrix.ts'
import { compactToken, newKey } from '../support/keys.ts'
import { toBytes } from '../support/raw-http.ts'
import { type Endpoint, endpoint, type HeaderChanges } from '../support/sender.ts'
import { schemeEndpoint } from './scheme-sender.ts'

type Type = string | readonly string[] | undefined

/** Types that no check looks at, because the sender's bodies may have any. */
const ANY_TYPES: readonly Type[] = [
  undefined,
  '',
  'json',
  '/',
  ';',
  'application/',
  '/json',
  'application/json garbage',
  'application/json\ta',
  'application/json/x',
  'a b/c',
  'undefined',
  '*/*',
  'multipart/mixed; boundary="a, b"',
  'application/json, text/plain',
  'é',
  'text/plain; charset',
  'application/json; charset=utf-16',
  `a${'/'.repeat(4000)}`,
  ['application/json', 'text/plain'],
  ['application/json', 'application/json'],
]

const QSTASH = { publicUrl: 'https://receiver.example/hook' }
const PUBSUB = { audience: 'https://receiver.example/hook', email: 'push@project.iam.gserviceaccount.com' }
const KEY = newKey('RS256', 'google-1')

function pubsubEndpoint(): Endpoint {
  const clock = fakeClock()
  const fetch = async () => Response.json({ keys: [KEY.publicKey] })
  const options: PubsubOptions = { ...PUBSUB, fetch, clock }
  return endpoint(
    pubsub(options),
    async ({ body, eventId = 'm-1' }) => {
      const { audience: aud, email } = PUBSUB
      const times = { iat: clock.seconds(), exp: clock.seconds() + 3600 }
      const claims = { iss: 'https://accounts.google.com', aud, email, email_verified: true, ...times }
      const token = compactToken({ alg: 'RS256', kid: KEY.keyId }, claims, KEY.sign)
      const headers = { authorization: `Bearer ${token}`, 'x-goog-pubsub-message-id': `${eventId}` }
      return { method: 'POST', headers, body: body as string }
    },
    { clock },
  )
}

function row(create: () => Endpoint, type: Type, expected: Wire, body = 'any text'): Row {
  const headers: HeaderChanges = { 'content-type': type }
  return {
    name: `${JSON.stringify(type)?.slice(0, 40) ?? 'none'}${body === '' ? ', without a body' : ''}`,
    endpoint: create,
    send: async ({ send, request }) => send(await request({ body, headers })),
    expected,
  }
}

function anyRows(create: () => Endpoint, claims: number): readonly Row[] {
  const headers = { 'content-type': undefined }
  const rows: readonly Row[] = [
    ...ANY_TYPES.map((type) => row(create, type, ACCEPTED)),
    ...ANY_TYPES.map((type) => row(create, type, ACCEPTED, '')),
    {
      name: 'none, with neither a body nor a length',
      endpoint: create,
      send: async ({ send, request }) => send(toBytes(await request({ body: '', headers }), { framing: [] })),
      expected: ACCEPTED,
    },
  ]
  return rows.map((each) => ({ ...each, claims }))
}

// The token and the message ID are claimed.
describeMatrix(
  'a body of QStash may have any type:',
  anyRows(() => schemeEndpoint('qstash', QSTASH), 2),
)

// A worker cannot get the function that fetches the keys.
if (process.env.HOOKGATE_RUNTIME !== 'workerd') {
  describeMatrix('a body of Pub/Sub may have any type:', anyRows(pubsubEndpoint, 1))
}

const UNUSED = refused(400, 'content_type_not_accepted')
const REPEATED = refused(400, 'header_repeated')

/** The type is not signed, so it may be missing. */
const OTHERS: readonly (readonly [SchemeName, body: string])[] = [
  ['github', '{"zen":"Keep it logically awesome."}'],
  ['slack', '{"type":"event_callback","event_id":"Ev1"}'],
  ['gitlab', '{"object_kind":"push"}'],
  ['cloudevents', '{"order":1}'],
]

for (const [name, body] of OTHERS) {
  const typed = (type: Type, expected: Wire) => row(() => schemeEndpoint(name), type, expected, body)
  describeMatrix(`the type of a body of ${name}`, [
    typed(undefined, ACCEPTED),
    typed('', ACCEPTED),
    typed('application/json; charset="utf-8"; ;', ACCEPTED),
    typed('APPLICATION/JSON ;profile=x', ACCEPTED),
    typed('application/json;charset=UTF8', ACCEPTED),
    ...[
      'json',
      '/',
      ';',
      'application/',
      'application/json garbage',
      'text/html',
      'é',
      'application/json; utf-8',
    ].map((type) => typed(type, UNUSED)),
    typed(['application/json', 'application/json'], REPEATED),
  ])
}
