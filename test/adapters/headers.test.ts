import {
  ACCEPTED,
  DUPLICATE,
  describeMatrix,
  type Row,
  refused,
  UNAUTHORIZED,
} from '../support/describe-matrix.ts'
import type { RawRequest } from '../support/raw-http.ts'
import { changed, type Given, sentHeader } from '../support/sender.ts'

const MISSING = refused(400, 'header_missing')
const REPEATED = refused(400, 'header_repeated')
const OUT_OF_RANGE = refused(400, 'timestamp_out_of_range')
const MALFORMED = refused(400, 'timestamp_malformed')
const NOT_UUID = refused(400, 'event_id_not_uuid_v4')
const EVENT_ID = 'a0b1c2d3-e4f5-4678-9abc-def012345678'

function row(name: string, given: Given, expected: Row['expected']): Row {
  return { name, expected, send: async ({ send, request }) => send(await request(given)) }
}

/** Changes the request after it was signed. */
function changedRow(
  name: string,
  change: (request: RawRequest) => RawRequest,
  expected: Row['expected'],
): Row {
  return { name, expected, send: async ({ send, request }) => send(change(await request())) }
}

/** The same row for a value with a comma, which some targets read as a repeated header. */
function joined(ordinary: Row): Row {
  return { ...ordinary, differs: { 'joined headers': REPEATED } }
}

function twice(header: string, values: (value: string) => readonly string[]) {
  return (request: RawRequest) => changed(request, { [header]: values(sentHeader(request, header)) })
}

/** A delivery signed this many seconds from now. */
function skewed(seconds: number, expected: Row['expected']): Row {
  return {
    name: `${expected === ACCEPTED ? 'T01 accepts' : 'T02 refuses'} a timestamp ${seconds} seconds from now`,
    send: async ({ send, request, clock }) => send(await request({ timestamp: clock.seconds() + seconds })),
    expected,
  }
}

describeMatrix('the timestamp', [
  ...[-300, -1, 0, 300].map((seconds) => skewed(seconds, ACCEPTED)),
  ...[-301, 301].map((seconds) => skewed(seconds, OUT_OF_RANGE)),
  changedRow(
    'T09 refuses two timestamps',
    twice('webhook-timestamp', (value) => [value, '1']),
    REPEATED,
  ),
  changedRow(
    'T09 refuses the same timestamp twice',
    twice('webhook-timestamp', (value) => [value, value]),
    REPEATED,
  ),
  changedRow(
    'T09 refuses a timestamp and another in capital letters',
    (request) => ({ ...request, headers: [...request.headers, ['WEBHOOK-TIMESTAMP', '1']] }),
    REPEATED,
  ),
  changedRow(
    "does not mistake a header's value for a header's name",
    (request) => changed(request, { vary: 'content-encoding' }),
    ACCEPTED,
  ),
  joined(
    changedRow(
      'T09 refuses two timestamps in one header',
      twice('webhook-timestamp', (value) => [`${value}, 1`]),
      MALFORMED,
    ),
  ),
  row('T10 refuses a delivery without a timestamp', { headers: { 'webhook-timestamp': undefined } }, MISSING),
  row('T10 refuses an empty timestamp', { headers: { 'webhook-timestamp': '' } }, MISSING),
])

describeMatrix('the event ID', [
  {
    name: 'U03 accepts an upper-case event ID once, and recognises it in lower case',
    send: async ({ send, request }) => [
      await send(await request({ eventId: EVENT_ID.toUpperCase() })),
      await send(await request({ eventId: EVENT_ID })),
    ],
    expected: [ACCEPTED, DUPLICATE],
  },
  changedRow(
    'U05 refuses an event ID whose case was changed after signing',
    (request) =>
      changed(request, { 'webhook-event-id': sentHeader(request, 'webhook-event-id').toUpperCase() }),
    UNAUTHORIZED,
  ),
  changedRow(
    'U08 refuses two event IDs',
    twice('webhook-event-id', (value) => [value, EVENT_ID]),
    REPEATED,
  ),
  changedRow(
    'U08 refuses the same event ID twice',
    twice('webhook-event-id', (value) => [value, value]),
    REPEATED,
  ),
  joined(
    changedRow(
      'U08 refuses two event IDs in one header',
      twice('webhook-event-id', (value) => [`${value}, ${value}`]),
      NOT_UUID,
    ),
  ),
  row('U09 refuses a delivery without an event ID', { headers: { 'webhook-event-id': undefined } }, MISSING),
  row('U09 refuses an empty event ID', { headers: { 'webhook-event-id': '' } }, MISSING),
  row('U10 refuses an event ID of 14 KB', { headers: { 'webhook-event-id': 'a'.repeat(14_000) } }, NOT_UUID),
])

describeMatrix('the signature', [
  changedRow(
    'H16 refuses two signatures, the right one first',
    twice('webhook-signature', (value) => [value, 'x'.repeat(43)]),
    UNAUTHORIZED,
  ),
  changedRow(
    'H16 refuses two signatures, the right one last',
    twice('webhook-signature', (value) => ['x'.repeat(43), value]),
    UNAUTHORIZED,
  ),
  changedRow(
    'H16 refuses the right signature twice',
    twice('webhook-signature', (value) => [value, value]),
    UNAUTHORIZED,
  ),
  changedRow(
    'H17 refuses 14 KB of right signatures',
    twice('webhook-signature', (value) => [Array(300).fill(value).join(' ')]),
    UNAUTHORIZED,
  ),
  row(
    'H18 refuses a signature of Latin-1 bytes',
    { headers: { 'webhook-signature': 'é'.repeat(43) } },
    UNAUTHORIZED,
  ),
  row(
    'H25 refuses a bearer token if a signature is required',
    { headers: { 'webhook-signature': undefined, authorization: 'Bearer a.b.c' } },
    UNAUTHORIZED,
  ),
  row(
    'H26 answers 401, not 400, if there is no signature',
    { headers: { 'webhook-signature': undefined } },
    UNAUTHORIZED,
  ),
  row(
    'H26 answers 401, not 400, if the signature is empty',
    { headers: { 'webhook-signature': '' } },
    UNAUTHORIZED,
  ),
  row(
    'ignores the authentication header that it does not use',
    { headers: { authorization: ['Bearer a.b.c', 'Basic x'] } },
    ACCEPTED,
  ),
  {
    name: 'D05 tells a stranger nothing about a finished event: 401, not 409',
    send: async ({ send, request }) => {
      const known = await request()
      return [await send(known), await send(changed(known, { 'webhook-signature': 'x'.repeat(43) }))]
    },
    expected: [ACCEPTED, UNAUTHORIZED],
  },
  {
    name: 'H27 refuses the same bytes a second time',
    send: async ({ send, request }) => {
      const sent = await request()
      return [await send(sent), await send(sent), await send(sent)]
    },
    expected: [ACCEPTED, DUPLICATE, DUPLICATE],
  },
  {
    name: 'D03 an unsigned delivery does not use up the event ID',
    send: async ({ send, request }) => {
      const sent = await request()
      return [await send(changed(sent, { 'webhook-signature': undefined })), await send(sent)]
    },
    expected: [UNAUTHORIZED, ACCEPTED],
  },
])

describeMatrix('header names', [
  row(
    'P03 accepts a delivery with a header named __proto__',
    { headers: { ['__proto__']: 'x', constructor: 'y' } },
    ACCEPTED,
  ),
  row(
    'P03 ignores headers named like members of objects',
    {
      headers: {
        'webhook-signature': undefined,
        ['__proto__']: 'webhook-signature',
        hasownproperty: 'x',
        tostring: 'y',
      },
    },
    UNAUTHORIZED,
  ),
  changedRow(
    'reads header names in any case',
    (request) => ({
      ...request,
      headers: request.headers.map(([name, value]) => [name.toUpperCase(), value]),
    }),
    ACCEPTED,
  ),
  changedRow(
    'reads values without the spaces around them',
    (request) => ({ ...request, headers: request.headers.map(([name, value]) => [name, `  ${value}\t `]) }),
    ACCEPTED,
  ),
])

describeMatrix('the method', [
  ...['PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method) =>
    row(
      `P12 refuses ${method} although everything else is right`,
      { method },
      refused(400, 'method_not_post'),
    ),
  ),
  {
    name: 'P12 refuses GET',
    send: async ({ send, request }) => send({ ...(await request({ method: 'GET' })), body: Buffer.alloc(0) }),
    expected: refused(400, 'method_not_post'),
  },
  {
    name: 'P12 refuses HEAD, with the headers of the answer alone',
    send: async ({ send, request }) =>
      send({ ...(await request({ method: 'HEAD' })), body: Buffer.alloc(0) }),
    expected: { ...refused(400, 'method_not_post'), body: '' },
  },
  row(
    'P12 refuses a PUT with X-HTTP-Method-Override: POST',
    { method: 'PUT', headers: { 'x-http-method-override': 'POST' } },
    refused(400, 'method_not_post'),
  ),
  row(
    'P12 accepts a POST whatever its method overrides say',
    { headers: { 'x-http-method-override': 'DELETE', 'x-http-method': 'PUT', 'x-method-override': 'GET' } },
    ACCEPTED,
  ),
  row(
    'P12 refuses PUT with ?_method=POST in its URL',
    { method: 'PUT', path: '/hook?_method=POST' },
    refused(400, 'method_not_post'),
  ),
])
