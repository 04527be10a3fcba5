import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type Authenticator, defineListener, replyTo, verify } from '../../src/index.ts'
import { memberAt } from '../../src/lib/json.ts'
import { STATUS } from '../../src/reason.ts'
import { asana } from '../../src/schemes/asana.ts'
import { emptyReply } from '../../src/schemes/kit/handshake-answers.ts'
import { defineScheme } from '../../src/schemes/kit/index.ts'
import { notion } from '../../src/schemes/notion.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { fakeClock } from '../support/clock.ts'
import { spyStore } from '../support/spy-store.ts'

const ALLOWED = '10.0.0.1'
const STRANGER = '192.0.2.1'
const SECRET = 'a secret of this test'

/** A sender with every check, and with a handshake of the given kind: a GET, or a signed body that asks. */
const sender = (signed: boolean) =>
  defineScheme({
    name: 'acme',
    sender: 'Acme',
    secretName: 'signing key',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['x-signature'], spelling: 'hex' },
    signs: '{timestamp}.{body}',
    timestamp: { header: 'x-time', unit: 'seconds', of: 'attempt', toleranceSeconds: 300 },
    eventId: { member: '/id' },
    handshake: {
      signed,
      answer: ({ method, payload }) =>
        (signed ? memberAt(payload(), ['asks']) !== undefined : method === 'GET')
          ? emptyReply(204)
          : undefined,
    },
    maxBodyBytes: 1000,
    limits: 'The headers are not signed.',
  })

/** A delivery before it is signed. The signature covers what the faults have left, so each fault is the only one. */
interface Plan {
  method: string
  body: { [name: string]: unknown }
  /** Appended to the body. */
  end: string
  time: string
  sourceIp: string
  secret: string
  headers: { [name: string]: string | readonly string[] | undefined }
}

interface Fault {
  readonly name: string
  /** Only one fault of the same field applies at a time. */
  readonly field: string
  readonly spoil: (plan: Plan, now: number) => void
}

/** Every fault, and the two kinds of handshake, in the order in which the checks find them. */
const faults = (signed: boolean): readonly Fault[] => [
  { name: '400 body_too_large', field: 'size', spoil: (plan) => (plan.end += ' '.repeat(1000)) },
  { name: '403 source_ip_not_allowed', field: 'source', spoil: (plan) => (plan.sourceIp = STRANGER) },
  ...(signed ? [] : [{ name: 'handshake', field: 'method', spoil: (plan: Plan) => (plan.method = 'GET') }]),
  { name: '405 method_not_post', field: 'method', spoil: (plan) => (plan.method = 'PUT') },
  { name: '400 header_missing', field: 'time', spoil: (plan) => (plan.headers['x-time'] = undefined) },
  {
    name: '400 header_repeated',
    field: 'type',
    spoil: (plan) => (plan.headers['content-type'] = ['application/json', 'text/plain']),
  },
  {
    name: '400 content_type_not_accepted',
    field: 'type',
    spoil: (plan) => (plan.headers['content-type'] = 'text/plain'),
  },
  {
    name: '400 content_encoding_not_identity',
    field: 'encoding',
    spoil: (plan) => (plan.headers['content-encoding'] = 'gzip'),
  },
  {
    name: '401 auth_missing',
    field: 'secret',
    spoil: (plan) => (plan.headers['x-signature'] = undefined),
  },
  { name: '401 signature_mismatch', field: 'secret', spoil: (plan) => (plan.secret = 'another') },
  { name: '400 body_not_json', field: 'body', spoil: (plan) => (plan.end += '}') },
  ...(signed ? [{ name: 'handshake', field: 'body', spoil: (plan: Plan) => (plan.body.asks = true) }] : []),
  { name: '400 timestamp_malformed', field: 'time', spoil: (plan) => (plan.time = '1e9') },
  { name: '400 timestamp_out_of_range', field: 'time', spoil: (plan, now) => (plan.time = `${now - 301}`) },
  { name: '400 event_id_malformed', field: 'body', spoil: (plan) => (plan.body.id = 'i'.repeat(257)) },
  { name: '400 payload_invalid', field: 'body', spoil: (plan) => (plan.body.a = 'text') },
]

/** Reasons that are found elsewhere: in hookgate's scheme, by adapters, in tokens, and by the claim. */
const ELSEWHERE = [
  'body_incomplete',
  'content_type_not_json',
  'body_malformed',
  'event_id_not_uuid_v4',
  'token_invalid',
  'token_expired',
  'event_duplicate',
  'event_in_progress',
]

it('every reason is in the order, or is found elsewhere', () => {
  const found = faults(false).flatMap(({ name }) => name.split(' ')[1] ?? [])
  expect([...found, ...ELSEWHERE].toSorted(), 'faults() in test/checks/sender-order.test.ts').toEqual(
    Object.keys(STATUS).toSorted(),
  )
})

async function send(signed: boolean, spoiling: readonly Fault[]) {
  const clock = fakeClock()
  const { store, calls } = spyStore(memoryStore({ clock, maxRecords: 10 }))
  const told: string[] = []
  const listener = defineListener({
    id: 'acme',
    auth: sender(signed)({ secrets: SECRET }),
    allowedCidrs: ['10.0.0.0/8'],
    payload: z.object({ a: z.number() }),
    onVerdict: (verdict) => told.push(verdict.ok ? 'accepted' : (verdict.reason ?? 'handshake')),
    store,
    clock,
  })
  const plan: Plan = {
    method: 'POST',
    body: { id: 'evt_1', a: 1 },
    end: '',
    time: `${clock.seconds()}`,
    sourceIp: ALLOWED,
    secret: SECRET,
    headers: {},
  }
  for (const { spoil } of spoiling) spoil(plan, clock.seconds())
  const body = JSON.stringify(plan.body) + plan.end
  const signature = createHmac('sha256', plan.secret).update(`${plan.time}.${body}`).digest('hex')
  const headers: Plan['headers'] = {
    'content-type': 'application/json',
    'x-time': plan.time,
    'x-signature': signature,
    ...plan.headers,
  }
  const verdict = await verify(
    {
      method: plan.method,
      header: (name) => headers[name],
      body: Buffer.from(body),
      sourceIp: plan.sourceIp,
    },
    listener,
  )
  const words = verdict.ok
    ? 'accepted'
    : verdict.handshake
      ? 'handshake'
      : `${verdict.status} ${verdict.reason}`
  expect(told).toEqual([words.split(' ').at(-1)])
  return { words, calls }
}

describe.each([
  ['whose handshake is not signed', false],
  ['whose handshake is signed', true],
])("another sender's delivery, %s", (_, signed) => {
  const each = faults(signed)
  const pairs = each.flatMap((earlier, index) =>
    each
      .slice(index + 1)
      .filter((later) => later.field !== earlier.field)
      .map((later) => ({ earlier, later })),
  )

  it('a delivery without a fault is accepted', async () => {
    expect((await send(signed, [])).words).toBe('accepted')
  })

  it.each(each)('a delivery is $name, and asks the store nothing', async (fault) => {
    expect(await send(signed, [fault])).toEqual({ words: fault.name, calls: [] })
  })

  it.each(pairs)('a delivery is $earlier.name before $later.name', async ({ earlier, later }) => {
    expect(await send(signed, [earlier, later])).toEqual({ words: earlier.name, calls: [] })
  })
})

type Heard = (given: { readonly secret: string }) => void

describe('a handshake that brings a secret', () => {
  const shake = async (
    make: (onHandshake: Heard) => Authenticator,
    request: { readonly headers: { readonly [name: string]: string }; readonly body: string },
    sourceIp: string | undefined,
  ) => {
    const brought: string[] = []
    const listener = defineListener({
      id: 'L1',
      auth: make(({ secret }) => brought.push(secret)),
      allowedCidrs: ['10.0.0.0/8'],
      store: memoryStore({ maxRecords: 10 }),
    })
    const { headers } = request
    const verdict = await verify(
      { method: 'POST', header: (name) => headers[name], body: Buffer.from(request.body), sourceIp },
      listener,
    )
    return { status: verdict.ok ? 0 : replyTo(verdict).status, brought }
  }

  it.each([
    [
      'Asana',
      (onHandshake: Heard) => asana({ onHandshake }),
      { headers: { 'x-hook-secret': 'a-secret' }, body: '{}' },
    ],
    [
      'Notion',
      (onHandshake: Heard) => notion({ onHandshake }),
      { headers: {}, body: JSON.stringify({ verification_token: 'a-secret' }) },
    ],
  ])('a handshake of %s is heard from an allowed network, and from no other', async (_, make, request) => {
    const from = (sourceIp?: string) => shake(make, request, sourceIp)
    expect(await from(ALLOWED)).toEqual({ status: 200, brought: ['a-secret'] })
    expect(await from(STRANGER)).toEqual({ status: 403, brought: [] })
    expect(await from()).toEqual({ status: 403, brought: [] })
  })
})
