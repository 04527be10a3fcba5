import { expect } from 'vitest'
import {
  ACCEPTED,
  DUPLICATE,
  describeMatrix,
  type Row,
  refused,
  UNAUTHORIZED_JWT,
} from '../support/describe-matrix.ts'
import { toBytes } from '../support/raw-http.ts'
import { AUDIENCE, changed, hmacEndpoint, jwtEndpoint, sentHeader } from '../support/sender.ts'

/** Rewrites the Authorization header of a valid delivery. */
function row(
  name: string,
  rewrite: (token: string) => string | readonly string[] | undefined,
  expected: Row['expected'],
): Row {
  return {
    name,
    endpoint: () => jwtEndpoint(),
    send: async ({ send, request }) => {
      const valid = await request()
      const token = sentHeader(valid, 'authorization').slice('Bearer '.length)
      return send(changed(valid, { authorization: rewrite(token) }))
    },
    expected,
  }
}

const FORMS: readonly (readonly [what: string, rewrite: (token: string) => string])[] = [
  ['two spaces', (token) => `Bearer  ${token}`],
  ['a tab', (token) => `Bearer\t${token}`],
  ['text after the token', (token) => `Bearer ${token} y`],
  ['two tokens in one header', (token) => `Bearer ${token}, Bearer ${token}`],
  ['the scheme Basic', (token) => `Basic ${token}`],
  ['no token', () => 'Bearer'],
  ['no scheme', (token) => token],
  ['nothing', () => ''],
]

describeMatrix('the bearer token', [
  ...['Bearer', 'bearer', 'BEARER', 'bEaReR'].map((scheme) =>
    row(`a listener accepts the scheme ${scheme}`, (token) => `${scheme} ${token}`, ACCEPTED),
  ),
  ...FORMS.map(([what, rewrite]) =>
    row(`a listener refuses an Authorization with ${what}`, rewrite, UNAUTHORIZED_JWT),
  ),
  row(
    'a listener refuses two Authorization headers, the right one first',
    (token) => [`Bearer ${token}`, 'Bearer x'],
    UNAUTHORIZED_JWT,
  ),
  row(
    'a listener refuses two Authorization headers, the right one last',
    (token) => ['Bearer x', `Bearer ${token}`],
    UNAUTHORIZED_JWT,
  ),
  row(
    'a listener refuses the right Authorization twice',
    (token) => [`Bearer ${token}`, `Bearer ${token}`],
    UNAUTHORIZED_JWT,
  ),
  row('a listener answers 401, not 400, if there is no Authorization', () => undefined, UNAUTHORIZED_JWT),
])

/** Puts a valid token somewhere else than in Authorization. */
function elsewhere(
  name: string,
  place: (token: string) => Parameters<typeof changed>[1],
  path = (_: string) => '/hook',
): Row {
  return {
    name,
    endpoint: () => jwtEndpoint(),
    send: async ({ send, request }) => {
      const valid = await request()
      const token = sentHeader(valid, 'authorization').slice('Bearer '.length)
      return send({ ...changed(valid, { authorization: undefined, ...place(token) }), path: path(token) })
    },
    expected: UNAUTHORIZED_JWT,
  }
}

describeMatrix('a token in the wrong place', [
  elsewhere(
    'a listener refuses a token in the URL',
    () => ({}),
    (token) => `/hook?access_token=${token}`,
  ),
  elsewhere('a token in a cookie is refused', (token) => ({ cookie: `Authorization=Bearer ${token}` })),
  elsewhere('a listener refuses a token in Webhook-Signature', (token) => ({ 'webhook-signature': token })),
  elsewhere('a listener refuses a token in Proxy-Authorization', (token) => ({
    'proxy-authorization': `Bearer ${token}`,
  })),
  {
    name: 'a listener refuses a token in the body',
    endpoint: () => jwtEndpoint(),
    send: async ({ send, request }) => {
      const eventId = crypto.randomUUID()
      const token = sentHeader(await request({ eventId }), 'authorization')
      const body = JSON.stringify({ authorization: token, access_token: token })
      return send(await request({ eventId, body, headers: { authorization: undefined } }))
    },
    expected: UNAUTHORIZED_JWT,
  },
  {
    name: 'a listener refuses a right signature if a token is required',
    endpoint: () => jwtEndpoint(),
    send: async ({ send, clock }) =>
      send(await hmacEndpoint({ clock }).request({ timestamp: clock.seconds() })),
    expected: UNAUTHORIZED_JWT,
  },
])

function longHeaderRow(shown: string, header: string): Row {
  return {
    name: `a listener refuses ${shown} in a moment`,
    endpoint: () => jwtEndpoint(),
    send: async ({ send, request, durations }) => {
      const bytes = toBytes(await request({ headers: { authorization: header } }))
      for (let count = 0; count < 5; count += 1) await send(bytes)
      // the fastest, because the others may have waited for the machine
      expect(Math.min(...durations.entries)).toBeLessThan(5)
      return send(bytes)
    },
    expected: UNAUTHORIZED_JWT,
  }
}

const SPACES = ' '.repeat(15_000)

describeMatrix('the cost of a token', [
  longHeaderRow('15 KB of spaces behind Bearer', `Bearer${SPACES}`),
  longHeaderRow('15 KB of spaces between Bearer and a token', `Bearer${SPACES}a.b.c`),
  longHeaderRow('15 KB of spaces in a token', `Bearer a.b${SPACES}.c`),
  longHeaderRow('15 KB of dots', `Bearer ${'.'.repeat(15_000)}`),
])

/** The server's own refusal has no body. */
const REFUSED_BY_SERVER = { ...refused(400, '', { connectionClose: true }), contentType: undefined, body: '' }

describeMatrix('a delivery with a token', [
  {
    name: 'a delivery with a token is refused the second time, even if the case of the event ID changed',
    endpoint: () => jwtEndpoint(),
    send: async ({ send, request }) => {
      const sent = await request()
      const eventId = sentHeader(sent, 'webhook-event-id').toUpperCase()
      return [await send(sent), await send(changed(sent, { 'webhook-event-id': eventId }))]
    },
    expected: [ACCEPTED, DUPLICATE],
  },
  {
    name: 'a delivery with a token is judged by the configured audience, not by Host or X-Forwarded-Host',
    endpoint: () => jwtEndpoint(),
    send: async ({ send, request }) => {
      const { origin, host } = new URL('https://attacker.example')
      const forged = {
        host,
        forwarded: `host=${host};proto=https`,
        'x-forwarded-host': host,
        'x-forwarded-proto': 'https',
        'x-original-url': '/other',
      }
      const path = new URL(AUDIENCE).pathname
      return [
        await send(await request({ path, headers: forged })),
        await send(await request({ path, headers: forged, claims: { aud: origin + path } })),
      ]
    },
    expected: [ACCEPTED, UNAUTHORIZED_JWT],
    differs: { 'two hosts': [REFUSED_BY_SERVER, REFUSED_BY_SERVER] },
  },
  {
    name: 'a payload that does not fit the schema is 400, but only for an authentic sender',
    endpoint: () => jwtEndpoint({ payload: acceptsNothing }),
    send: async ({ send, request }) => [
      await send(await request()),
      await send(await request({ headers: { authorization: undefined } })),
    ],
    expected: [refused(400, 'payload_invalid'), UNAUTHORIZED_JWT],
  },
])

const acceptsNothing = {
  '~standard': { version: 1 as const, vendor: 'test', validate: () => ({ issues: [{ message: 'no' }] }) },
}
