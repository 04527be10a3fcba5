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
    name: `${expected === ACCEPTED ? 'a listener accepts' : 'a listener refuses'} a timestamp ${seconds} seconds from now`,
    send: async ({ send, request, clock }) => send(await request({ timestamp: clock.seconds() + seconds })),
    expected,
  }
}

describeMatrix('the timestamp', [
  ...[-300, -1, 0, 300].map((seconds) => skewed(seconds, ACCEPTED)),
  ...[-301, 301].map((seconds) => skewed(seconds, OUT_OF_RANGE)),
  changedRow(
    'a listener refuses two timestamps',
    twice('webhook-timestamp', (value) => [value, '1']),
    REPEATED,
  ),
  changedRow(
    'a listener refuses the same timestamp twice',
    twice('webhook-timestamp', (value) => [value, value]),
    REPEATED,
  ),
  changedRow(
    'a listener refuses a timestamp and another in capital letters',
    (request) => ({ ...request, headers: [...request.headers, ['WEBHOOK-TIMESTAMP', '1']] }),
    REPEATED,
  ),
  changedRow(
    "a listener does not mistake a header's value for a header's name",
    (request) => changed(request, { vary: 'content-encoding' }),
    ACCEPTED,
  ),
  joined(
    changedRow(
      'a listener refuses two timestamps in one header',
      twice('webhook-timestamp', (value) => [`${value}, 1`]),
      MALFORMED,
    ),
  ),
  row('a missing timestamp is refused', { headers: { 'webhook-timestamp': undefined } }, MISSING),
  row('an empty timestamp is refused', { headers: { 'webhook-timestamp': '' } }, MISSING),
])

describeMatrix('the event ID', [
  {
    name: 'a listener accepts an upper-case event ID once, and recognises it in lower case',
    send: async ({ send, request }) => [
      await send(await request({ eventId: EVENT_ID.toUpperCase() })),
      await send(await request({ eventId: EVENT_ID })),
    ],
    expected: [ACCEPTED, DUPLICATE],
  },
  changedRow(
    'a listener refuses an event ID whose case was changed after signing',
    (request) =>
      changed(request, { 'webhook-event-id': sentHeader(request, 'webhook-event-id').toUpperCase() }),
    UNAUTHORIZED,
  ),
  changedRow(
    'a listener refuses two event IDs',
    twice('webhook-event-id', (value) => [value, EVENT_ID]),
    REPEATED,
  ),
  changedRow(
    'a listener refuses the same event ID twice',
    twice('webhook-event-id', (value) => [value, value]),
    REPEATED,
  ),
  joined(
    changedRow(
      'a listener refuses two event IDs in one header',
      twice('webhook-event-id', (value) => [`${value}, ${value}`]),
      NOT_UUID,
    ),
  ),
  row('a missing event ID is refused', { headers: { 'webhook-event-id': undefined } }, MISSING),
  row('an empty event ID is refused', { headers: { 'webhook-event-id': '' } }, MISSING),
  row('an event ID of 14 KB is refused', { headers: { 'webhook-event-id': 'a'.repeat(14_000) } }, NOT_UUID),
])

describeMatrix('the signature', [
  changedRow(
    'a listener refuses two signatures, the right one first',
    twice('webhook-signature', (value) => [value, 'x'.repeat(43)]),
    UNAUTHORIZED,
  ),
  changedRow(
    'a listener refuses two signatures, the right one last',
    twice('webhook-signature', (value) => ['x'.repeat(43), value]),
    UNAUTHORIZED,
  ),
  changedRow(
    'a listener refuses the right signature twice',
    twice('webhook-signature', (value) => [value, value]),
    UNAUTHORIZED,
  ),
  changedRow(
    'a listener refuses 14 KB of right signatures',
    twice('webhook-signature', (value) => [Array(300).fill(value).join(' ')]),
    UNAUTHORIZED,
  ),
  row(
    'a listener refuses a signature of Latin-1 bytes',
    { headers: { 'webhook-signature': 'é'.repeat(43) } },
    UNAUTHORIZED,
  ),
  row(
    'a listener refuses a bearer token if a signature is required',
    { headers: { 'webhook-signature': undefined, authorization: 'Bearer a.b.c' } },
    UNAUTHORIZED,
  ),
  row(
    'a listener answers 401, not 400, if there is no signature',
    { headers: { 'webhook-signature': undefined } },
    UNAUTHORIZED,
  ),
  row(
    'a listener answers 401, not 400, if the signature is empty',
    { headers: { 'webhook-signature': '' } },
    UNAUTHORIZED,
  ),
  row(
    'a listener ignores the authentication header that it does not use',
    { headers: { authorization: ['Bearer a.b.c', 'Basic x'] } },
    ACCEPTED,
  ),
  {
    name: 'a listener tells a stranger nothing about a finished event: 401, not 409',
    send: async ({ send, request }) => {
      const known = await request()
      return [await send(known), await send(changed(known, { 'webhook-signature': 'x'.repeat(43) }))]
    },
    expected: [ACCEPTED, UNAUTHORIZED],
  },
  {
    name: 'a listener refuses the same bytes a second time',
    send: async ({ send, request }) => {
      const sent = await request()
      return [await send(sent), await send(sent), await send(sent)]
    },
    expected: [ACCEPTED, DUPLICATE, DUPLICATE],
  },
  {
    name: 'an unsigned delivery does not use up the event ID',
    send: async ({ send, request }) => {
      const sent = await request()
      return [await send(changed(sent, { 'webhook-signature': undefined })), await send(sent)]
    },
    expected: [UNAUTHORIZED, ACCEPTED],
  },
])

describeMatrix('header names', [
  row(
    'a listener accepts a delivery with a header named __proto__',
    { headers: { ['__proto__']: 'x', constructor: 'y' } },
    ACCEPTED,
  ),
  row(
    'a listener ignores headers named like members of objects',
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
    'a listener reads header names in any case',
    (request) => ({
      ...request,
      headers: request.headers.map(([name, value]) => [name.toUpperCase(), value]),
    }),
    ACCEPTED,
  ),
  changedRow(
    'a listener reads values without the spaces around them',
    (request) => ({ ...request, headers: request.headers.map(([name, value]) => [name, `  ${value}\t `]) }),
    ACCEPTED,
  ),
])

describeMatrix('the method', [
  ...['PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method) =>
    row(
      `a listener refuses ${method} although everything else is right`,
      { method },
      refused(400, 'method_not_post'),
    ),
  ),
  {
    name: 'a listener refuses GET',
    send: async ({ send, request }) => send({ ...(await request({ method: 'GET' })), body: Buffer.alloc(0) }),
    expected: refused(400, 'method_not_post'),
  },
  {
    name: 'a listener refuses HEAD, with the headers of the answer alone',
    send: async ({ send, request }) =>
      send({ ...(await request({ method: 'HEAD' })), body: Buffer.alloc(0) }),
    expected: { ...refused(400, 'method_not_post'), body: '' },
  },
  row(
    'a listener refuses a PUT with X-HTTP-Method-Override: POST',
    { method: 'PUT', headers: { 'x-http-method-override': 'POST' } },
    refused(400, 'method_not_post'),
  ),
  row(
    'a listener accepts a POST whatever its method overrides say',
    { headers: { 'x-http-method-override': 'DELETE', 'x-http-method': 'PUT', 'x-method-override': 'GET' } },
    ACCEPTED,
  ),
  row(
    'a listener refuses PUT with ?_method=POST in its URL',
    { method: 'PUT', path: '/hook?_method=POST' },
    refused(400, 'method_not_post'),
  ),
])
