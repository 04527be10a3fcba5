import { createHmac } from 'node:crypto'
import type { SchemeOptions } from '../../src/schemes/kit/index.ts'
import type { SchemeName } from '../suites/runtimes/wire/schemes.ts'
import {
  ACCEPTED,
  answered,
  closing,
  describeMatrix,
  FAILED,
  IN_PROGRESS,
  type Row,
  refused,
  UNAUTHORIZED,
  type Wire,
} from '../support/describe-matrix.ts'
import { changed, type Given, type HeaderChanges, sentHeader } from '../support/sender.ts'
import { schemeEndpoint } from './scheme-sender.ts'

/** A sender's own deliveries. */
interface Sender {
  readonly name: SchemeName
  readonly body: string
  readonly signature: string
  readonly timestamp?: string
  readonly options?: SchemeOptions
}

const SENDERS: readonly Sender[] = [
  {
    name: 'stripe',
    body: '{"id":"evt_1","type":"invoice.paid","note":"Grüße"}',
    signature: 'stripe-signature',
  },
  { name: 'github', body: '{"zen":"Keep it logically awesome."}', signature: 'x-hub-signature-256' },
  {
    name: 'slack',
    body: '{"type":"event_callback","event_id":"Ev1","event":{"type":"message"}}',
    signature: 'x-slack-signature',
    timestamp: 'x-slack-request-timestamp',
  },
  { name: 'shopify', body: '{"id":820982911946154500}', signature: 'x-shopify-hmac-sha256' },
  {
    name: 'standard-webhooks',
    body: '{"type":"user.created"}',
    signature: 'webhook-signature',
    timestamp: 'webhook-timestamp',
  },
  {
    name: 'discord',
    body: '{"id":"846462639134605312","type":2}',
    signature: 'x-signature-ed25519',
    timestamp: 'x-signature-timestamp',
  },
  {
    name: 'twilio',
    body: 'MessageSid=SM0123&Body=Hi+there&From=%2B15017122661&To=Z%C3%BCrich',
    signature: 'x-twilio-signature',
    options: { publicUrl: 'https://receiver.example/hook' },
  },
]

/** These senders would retry a 409, so a duplicate is answered with 200. */
const DUPLICATE = emptied(200, 'OK')
const WRONG_METHOD = refused(405, 'method_not_post', { others: { allow: 'POST' } })

function emptied(status: number, phrase: string): Wire {
  return { ...ACCEPTED, statusLine: `HTTP/1.1 ${status} ${phrase}`, contentType: undefined, body: '' }
}

function rowsFor({ name, body, signature, timestamp, options = {} }: Sender): readonly Row[] {
  const row = (title: string, expected: Wire, given: Given): Row => ({
    name: title,
    endpoint: () => schemeEndpoint(name, options),
    send: async ({ send, request }) => send(await request({ body, ...given })),
    expected,
  })
  const rows: Row[] = [
    {
      name: 'a delivery is accepted once, and answered 200 without a body when it comes again',
      endpoint: () => schemeEndpoint(name, options),
      send: async ({ send, request }) => {
        const sent = await request({ body, eventId: 'msg_1' })
        return [await send(sent), await send(sent)]
      },
      expected: [ACCEPTED, DUPLICATE],
      claims: 2,
    },
    {
      name: 'a delivery is refused with 401 when its body was changed',
      endpoint: () => schemeEndpoint(name, options),
      send: async ({ send, request }) =>
        send({ ...(await request({ body })), body: Buffer.from(`${body} `) }),
      expected: UNAUTHORIZED,
    },
    row('a missing signature is refused with 401', UNAUTHORIZED, { headers: { [signature]: undefined } }),
    {
      name: 'a delivery is refused with 401 when its signature comes twice',
      endpoint: () => schemeEndpoint(name, options),
      send: async ({ send, request }) => {
        const sent = await request({ body })
        const value = sentHeader(sent, signature)
        return send(changed(sent, { [signature]: [value, value] }))
      },
      expected: UNAUTHORIZED,
    },
    row('a method other than POST is refused with 405', WRONG_METHOD, { method: 'PUT' }),
    {
      name: 'a delivery is refused over the limit before any lookup, and the connection is closed',
      endpoint: () => schemeEndpoint(name, options, { maxBodyBytes: body.length + 10 }),
      send: async ({ send, request }) => send(await request({ body: `${body}${' '.repeat(20)}` })),
      expected: refused(400, 'body_too_large', closing),
    },
    {
      name: 'a delivery is answered 503 while its handler may still run',
      endpoint: () => schemeEndpoint(name, options),
      setup: () => ({ handle: () => 503 }),
      send: async ({ send, request }) => {
        const sent = await request({ body, eventId: 'msg_1' })
        return [await send(sent), await send(sent)]
      },
      expected: [answered(503, 'Service Unavailable'), IN_PROGRESS],
      handled: 1,
      claims: 2,
    },
    {
      name: 'a delivery runs again when its handler has failed',
      endpoint: () => schemeEndpoint(name, options),
      setup: () => ({ handle: statuses(500, 200) }),
      send: async ({ send, request, calls }) => {
        const sent = await request({ body, eventId: 'msg_1' })
        const first = await send(sent)
        await calls.reaches(2)
        return [first, await send(sent)]
      },
      expected: [FAILED, ACCEPTED],
      handled: 2,
    },
  ]
  if (timestamp === undefined) return rows
  const missing = refused(400, 'header_missing')
  return [...rows, row('a missing time is refused', missing, { headers: { [timestamp]: undefined } })]
}

/** Returns these statuses in turn, then 200. */
function statuses(...rest: readonly number[]): () => number {
  const left = [...rest]
  return () => left.shift() ?? 200
}

for (const sender of SENDERS) describeMatrix(`a delivery of ${sender.name}`, rowsFor(sender))

const FORM = 'token=x&command=%2Fdeploy&text=to+staging&text=twice'
const INTERACTION = `payload=${encodeURIComponent('{"type":"block_actions","user":{"id":"U1"}}')}`
const FORM_TYPE: HeaderChanges = { 'content-type': 'application/x-www-form-urlencoded' }

function formRow(name: string, body: string, payload: unknown, expected: Wire): Row {
  return {
    name,
    endpoint: () => schemeEndpoint('slack'),
    send: async (client) => {
      const wire = await client.send(await client.request({ body, headers: FORM_TYPE }))
      const seen = JSON.stringify(client.handled.map((event) => event.payload))
      if (seen !== JSON.stringify(expected === ACCEPTED ? [payload] : [])) throw new Error(seen)
      return wire
    },
    expected,
  }
}

describeMatrix('a form', [
  formRow(
    'a form reaches the handler as its fields, with repeated ones in order',
    FORM,
    { token: 'x', command: '/deploy', text: ['to staging', 'twice'] },
    ACCEPTED,
  ),
  formRow(
    'a form with a payload of JSON reaches the handler parsed',
    INTERACTION,
    { payload: { type: 'block_actions', user: { id: 'U1' } } },
    ACCEPTED,
  ),
  formRow(
    'a form with percent codes that are no UTF-8 is refused',
    'text=%ff',
    undefined,
    refused(400, 'body_malformed'),
  ),
])

/** `Headers` joins repeated values with `, `, and WorkOS writes the same between its items. */
describeMatrix('a signature header that is a list with spaces', [
  {
    name: 'a signature header that is a list with spaces is accepted',
    endpoint: () => schemeEndpoint('workos'),
    send: async ({ send, request }) => {
      const sent = await request({ body: '{"id":"event_1"}' })
      if (!/^t=\d{13}, v1=/.test(sentHeader(sent, 'workos-signature'))) throw new Error('no such list')
      return send(sent)
    },
    expected: ACCEPTED,
  },
  {
    name: 'a signature header is refused when it comes twice, because it then has two times',
    endpoint: () => schemeEndpoint('workos'),
    send: async ({ send, request }) => {
      const sent = await request({ body: '{"id":"event_1"}' })
      const value = sentHeader(sent, 'workos-signature')
      return send(changed(sent, { 'workos-signature': [value, value] }))
    },
    expected: UNAUTHORIZED,
  },
])

const AT = 'https://receiver.example/hook'
const QUERY = 'CallSid=CA1&From=%2B15017122661&SpeechResult=it%27s+%C3%BC'

/** As Twilio sends it: signed with its full URL, and without a body. */
function getRequest(method: string, query: string) {
  const signature = createHmac('sha1', 'a token').update(`${AT}?${QUERY}`).digest('base64')
  const headers = [['X-Twilio-Signature', signature]] as const
  return { method, path: `/hook?${query}`, headers, body: Buffer.from('') }
}

function getRow(name: string, requests: readonly ReturnType<typeof getRequest>[], expected: Wire[]): Row {
  return {
    name,
    endpoint: () => schemeEndpoint('twilio', { secrets: 'a token', publicUrl: AT }),
    send: async (client) => {
      const wires: Wire[] = []
      for (const request of requests) wires.push(await client.send(request))
      for (const { payload } of client.handled) {
        const seen = JSON.stringify(payload)
        if (seen !== '{"CallSid":"CA1","From":"+15017122661","SpeechResult":"it\'s ü"}') throw new Error(seen)
      }
      return wires
    },
    expected,
    claims: requests.filter(({ method, path }) => method === 'GET' && path.endsWith(QUERY)).length,
  }
}

const GET = getRequest('GET', QUERY)

describeMatrix('a delivery of Twilio by GET', [
  getRow('a GET reaches the handler with its query as its payload, once', [GET, GET], [ACCEPTED, DUPLICATE]),
  getRow(
    'a GET is refused with 401 when its query was changed',
    [getRequest('GET', `${QUERY}&a=b`)],
    [UNAUTHORIZED],
  ),
  getRow(
    'a HEAD of Twilio is refused with 405, although its query is signed',
    [getRequest('HEAD', QUERY)],
    [{ ...WRONG_METHOD, body: '' }],
  ),
])
