import { inspect } from 'node:util'
import { expect } from 'vitest'
import { memoryStore } from '../../src/stores/memory.ts'
import {
  ACCEPTED,
  type Client,
  describeMatrix,
  refused,
  UNAUTHORIZED,
  UNAUTHORIZED_JWT,
  type Wire,
} from '../support/describe-matrix.ts'
import { SECRET } from '../support/hmac-listener.ts'
import { Log } from '../support/log.ts'
import { changed, hmacEndpoint, jwtEndpoint, sentHeader } from '../support/sender.ts'

/** Every way to fail the authentication of an HMAC listener. */
async function badSignatures({ send, request, clock }: Client): Promise<Wire[]> {
  const valid = await request()
  const signature = sentHeader(valid, 'webhook-signature')
  const wrong: readonly (string | readonly string[] | undefined)[] = [
    undefined,
    '',
    'x',
    'x'.repeat(43),
    `${signature}=`,
    signature.slice(0, 42),
    [signature, signature],
    Buffer.from(signature, 'base64url').toString('hex'),
  ]
  return Promise.all([
    ...wrong.map((header) => send(changed(valid, { 'webhook-signature': header }))),
    send({ ...valid, body: Buffer.from('{"a":2}') }),
    send(changed(valid, { 'webhook-timestamp': `${clock.seconds() + 1}` })),
    send(changed(valid, { 'webhook-event-id': crypto.randomUUID() })),
  ])
}

/** Every kind of failed authentication of a JWT listener. */
async function badTokens({ send, request, clock }: Client): Promise<Wire[]> {
  const valid = await request()
  const authorization = sentHeader(valid, 'authorization')
  const [header = '', payload = ''] = authorization.split('.')
  const unknownKey = Buffer.from('{"alg":"ES256","kid":"other"}').toString('base64url')
  const wrong: readonly (string | readonly string[] | undefined)[] = [
    undefined,
    '',
    'Basic x',
    'Bearer x',
    `${header}.${payload}.AAAA`,
    `Bearer ${unknownKey}.${payload}.AAAA`,
    [authorization, authorization],
  ]
  const claims = [
    { exp: clock.seconds() },
    { exp: clock.seconds() + 601 },
    { sub: 'x' },
    { aud: 'x' },
    { htm: 'GET' },
  ]
  return Promise.all([
    ...wrong.map((value) => send(changed(valid, { authorization: value }))),
    ...claims.map(async (wrongClaims) => send(await request({ claims: wrongClaims }))),
    send({ ...valid, body: Buffer.from('{"a":2}') }),
  ])
}

describeMatrix('the reply to a delivery that is not authentic', [
  {
    name: 'the reply is the same for each of 11 bad signatures',
    send: badSignatures,
    expected: Array<Wire>(11).fill(UNAUTHORIZED),
  },
  {
    name: 'the reply is the same for each of 13 bad tokens, and challenges with Bearer',
    endpoint: () => jwtEndpoint(),
    send: badTokens,
    expected: Array<Wire>(13).fill(UNAUTHORIZED_JWT),
  },
])

const MARK = 'the-body-is-private'
const FORGED = 'forged log line'

/** Everything that leaves the package: replies, arguments of hooks, and errors on the error path. */
function expectNothingOf(
  secrets: readonly string[],
  { errors }: Client,
  told: Log<unknown>,
  wires: readonly Wire[],
) {
  const everything = inspect([errors, told.entries, wires], { depth: Infinity, maxStringLength: Infinity })
  expect(secrets.filter((secret) => everything.includes(secret))).toEqual([])
}

const told = new WeakMap<object, Log<unknown>>()

/** Endpoints whose hooks record everything they get. */
function watching(create: typeof hmacEndpoint | typeof jwtEndpoint) {
  return async () => {
    const log = new Log<unknown>()
    const onVerdict = (...given: unknown[]) => log.add(given)
    const claim = () => {
      throw new Error('the store is down')
    }
    const endpoint = await create({
      onVerdict,
      onError: onVerdict,
      store: { ...memoryStore(), claim } as never,
    })
    told.set(endpoint.listener, log)
    return endpoint
  }
}

function toldTo({ listener }: Client): Log<unknown> {
  return told.get(listener) ?? new Log()
}

const UNAVAILABLE = refused(503, 'unavailable', { retryAfter: '5' })

describeMatrix('what a delivery leaves behind', [
  {
    name: 'a signed delivery leaves no secret, no signature and no body in replies and hooks',
    endpoint: watching(hmacEndpoint),
    setup: () => ({ options: { trustedProxies: ['127.0.0.0/8'] } }),
    send: async (client) => {
      const sent = await client.request({
        body: JSON.stringify(MARK),
        headers: { 'x-forwarded-for': FORGED },
      })
      const signature = sentHeader(sent, 'webhook-signature')
      const wires = [
        await client.send({ ...sent, body: Buffer.from(`{${MARK}`) }),
        await client.send({ ...sent, body: Buffer.from(`["${MARK}"]`) }),
        await client.send(changed(sent, { 'webhook-signature': `${signature}=` })),
        await client.send(changed(sent, { 'webhook-event-id': FORGED })),
        await client.send(changed(sent, { 'webhook-timestamp': FORGED })),
        await client.send(sent),
      ]
      const log = toldTo(client)
      expect(log.entries).toHaveLength(6)
      expectNothingOf([SECRET, signature, MARK, FORGED], client, log, wires)
      return wires
    },
    expected: [
      refused(400, 'body_not_json'),
      UNAUTHORIZED,
      UNAUTHORIZED,
      refused(400, 'event_id_not_uuid_v4'),
      refused(400, 'timestamp_malformed'),
      UNAVAILABLE,
    ],
    claims: 1,
  },
  {
    name: 'a delivery with a token leaves no token, no claim and no body in replies and hooks',
    endpoint: watching(jwtEndpoint),
    send: async (client) => {
      const sent = await client.request({ body: JSON.stringify(MARK) })
      const expired = await client.request({ body: JSON.stringify(MARK), claims: { exp: 1, sub: FORGED } })
      const token = sentHeader(sent, 'authorization').slice('Bearer '.length)
      const wires = [
        await client.send({ ...sent, body: Buffer.from(`["${MARK}"]`) }),
        await client.send(expired),
        await client.send(changed(sent, { authorization: `Bearer ${FORGED}` })),
        await client.send(sent),
      ]
      const log = toldTo(client)
      expect(log.entries).toHaveLength(4)
      expectNothingOf([...token.split('.'), MARK, FORGED], client, log, wires)
      return wires
    },
    expected: [UNAUTHORIZED_JWT, UNAUTHORIZED_JWT, UNAUTHORIZED_JWT, UNAVAILABLE],
    claims: 1,
  },
  {
    name: 'a hook that throws changes nothing',
    endpoint: () =>
      hmacEndpoint({
        onVerdict: () => {
          throw new Error('no log')
        },
      }),
    send: async ({ send, request }) => [
      await send(await request()),
      await send(await request({ headers: { 'webhook-signature': undefined } })),
    ],
    expected: [ACCEPTED, UNAUTHORIZED],
  },
])
