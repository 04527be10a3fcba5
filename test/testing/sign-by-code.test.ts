import { describe, expect, it } from 'vitest'
import { defineListener, verify } from '../../src/index.ts'
import type { SchemeOptions } from '../../src/schemes/kit/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { type SignAsOptions, signAs, toDelivery } from '../../src/testing/index.ts'
import { SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'

const PUBLIC_URL = 'https://receiver.example/hooks?id=%2F1'
const SECRET = 'a secret of this test'
const HEX = 'a1'.repeat(32)

interface Sample {
  readonly options: SchemeOptions & { readonly apiKey?: string; readonly publicKey?: string }
  readonly sign: Omit<SignAsOptions, 'body'>
  readonly body: SignAsOptions['body']
  /** The expected content of `event`. */
  readonly event: object
  /** The body is not signed. */
  readonly isToken?: true
}

const plain = { options: { secrets: SECRET }, sign: { secret: SECRET } }

const SAMPLES: { readonly [scheme: string]: Sample } = {
  adyen: {
    options: { secrets: HEX },
    sign: { secret: HEX },
    body: {
      notificationItems: [
        {
          NotificationRequestItem: {
            pspReference: '1',
            amount: { value: 5, currency: 'EUR' },
            eventCode: 'AUTHORISATION',
            success: 'true',
          },
        },
      ],
    },
    event: { type: 'AUTHORISATION' },
  },
  braintree: {
    options: { secrets: SECRET, publicKey: 'public' },
    sign: { secret: SECRET, keyId: 'public' },
    body: '<notification><kind>check</kind></notification>',
    event: {
      payload: { bt_payload: `${btoa('<notification><kind>check</kind></notification>')}\n` },
    },
  },
  chargebee: {
    options: { secrets: 'user:pässword' },
    sign: { secret: 'user:pässword' },
    body: { id: 'ev_1', event_type: 'plan_created' },
    event: { id: 'ev_1', type: 'plan_created' },
    isToken: true,
  },
  cloudevents: {
    ...plain,
    sign: { secret: SECRET, eventId: 'one', eventType: 'made.up' },
    body: { a: 1 },
    event: { id: 'one', type: 'made.up', payload: { a: 1 } },
    isToken: true,
  },
  cloudinary: { ...plain, body: { notification_type: 'upload' }, event: { type: 'upload' } },
  'coinbase-cdp': {
    ...plain,
    sign: { secret: SECRET, eventId: 'one', eventType: 'wallet.activity.detected' },
    body: { a: 1 },
    event: { id: 'one', type: 'wallet.activity.detected', payload: { a: 1 } },
  },
  deepgram: {
    options: { secrets: 'user:pässword' },
    sign: { secret: 'user:pässword' },
    body: { metadata: { request_id: '1' } },
    event: { payload: { metadata: { request_id: '1' } } },
    isToken: true,
  },
  graph: {
    ...plain,
    body: { value: [{ subscriptionId: '1' }, { subscriptionId: '2' }] },
    event: { payload: { value: [{ subscriptionId: '1' }, { subscriptionId: '2' }] } },
    isToken: true,
  },
  hygraph: { ...plain, body: { operation: 'publish' }, event: { type: 'publish' } },
  livekit: {
    options: { secrets: SECRET, apiKey: 'APIkey' },
    sign: { secret: SECRET, keyId: 'APIkey' },
    body: { id: 'EV_1', event: 'room_started' },
    event: { id: 'EV_1', type: 'room_started' },
  },
  'mercado-pago': {
    options: { secrets: SECRET },
    sign: { secret: SECRET, publicUrl: PUBLIC_URL },
    body: { id: 7, type: 'payment', data: { id: '123' } },
    event: { id: '7', type: 'payment' },
    isToken: true,
  },
  monday: {
    options: { secrets: SECRET, publicUrl: PUBLIC_URL },
    sign: { secret: SECRET, publicUrl: PUBLIC_URL },
    body: { event: { type: 'create_pulse', triggerUuid: 'b5ed2e17' } },
    event: { id: 'b5ed2e17', type: 'create_pulse' },
    isToken: true,
  },
  netlify: { ...plain, body: { state: 'ready' }, event: { payload: { state: 'ready' } } },
  pipedrive: {
    options: { secrets: 'user:pässword' },
    sign: { secret: 'user:pässword' },
    body: { meta: { id: '1', action: 'create', entity: 'deal' } },
    event: { id: '1', type: 'create.deal' },
    isToken: true,
  },
  postmark: {
    options: { secrets: 'user:pässword' },
    sign: { secret: 'user:pässword' },
    body: { RecordType: 'Open' },
    event: { type: 'Open' },
    isToken: true,
  },
  qstash: {
    options: { secrets: SECRET, publicUrl: PUBLIC_URL },
    sign: { secret: SECRET, publicUrl: PUBLIC_URL, eventId: 'msg_1' },
    body: 'any text',
    event: { id: 'msg_1', payload: 'any text' },
  },
  rfc9421: {
    options: { secrets: SECRET, publicUrl: PUBLIC_URL },
    sign: { secret: SECRET, publicUrl: PUBLIC_URL },
    body: { a: 'ü' },
    event: { payload: { a: 'ü' } },
  },
}

/** Only the sender has their keys. */
const NOT_SIGNED = ['app-store', 'paypal', 'plaid', 'pubsub', 'sns', 'vercel-connect', 'wix']

const listenerOf = async (name: string, { options }: Sample) =>
  defineListener({ id: name, auth: (await schemeFactory(name))(options), store: memoryStore() })

describe.each(Object.entries(SAMPLES))('signAs(%s)', (name, sample) => {
  it('signAs makes a delivery that the scheme accepts', async () => {
    const listener = await listenerOf(name, sample)
    const request = await signAs(await schemeFactory(name), { ...sample.sign, body: sample.body })
    expect(await verify(toDelivery(request), listener)).toMatchObject({ ok: true, event: sample.event })
  })

  it('signAs keeps text as text and bytes as bytes', async () => {
    const factory = await schemeFactory(name)
    const text = typeof sample.body === 'string' ? sample.body : JSON.stringify(sample.body)
    const both = { ...sample.sign, timestamp: 1_763_640_000, eventId: 'one' }
    const asText = await signAs(factory, { ...both, body: text })
    const asBytes = await signAs(factory, { ...both, body: Buffer.from(text) })
    expect(asText.body).toBeTypeOf('string')
    expect(asBytes).toEqual({ ...asText, body: new Uint8Array(Buffer.from(asText.body)) })
  })

  it('signAs signs with the given secret', async () => {
    const listener = await listenerOf(name, sample)
    const secret = `b2${sample.sign.secret}`
    const request = await signAs(await schemeFactory(name), { ...sample.sign, secret, body: sample.body })
    expect(await verify(toDelivery(request), listener)).toMatchObject({ ok: false, status: 401 })
  })

  it("signAs names the option for the secret's name, if it has one", async () => {
    const { scheme } = await schemeFactory(name)
    const { keyId } = sample.sign
    const [option] = Object.entries(sample.options).find(([, value]) => value === keyId) ?? []
    expect(Reflect.get(scheme, 'keyIdOption')).toBe(option)
  })

  it.each(Object.keys(sample.sign).filter((option) => !option.startsWith('event')))(
    'signAs names the option %s when it is missing',
    async (option) => {
      const options = { ...sample.sign, body: sample.body, [option]: undefined }
      await expect(signAs(await schemeFactory(name), options)).rejects.toMatchObject({ option })
    },
  )
})

const covering = Object.entries(SAMPLES).filter(([, { isToken }]) => !isToken)

it.each(covering)('signAs(%s) covers the body', async (name, sample) => {
  const listener = await listenerOf(name, sample)
  const request = await signAs(await schemeFactory(name), { ...sample.sign, body: sample.body })
  const body = `${request.body}`.replace(/[a-z](?=[^a-z]*$)/, (letter) => (letter === 'x' ? 'y' : 'x'))
  expect(await verify(toDelivery({ ...request, body }), listener)).toMatchObject({ ok: false })
})

it.each(NOT_SIGNED)('signAs(%s) says that only the sender can sign', async (name) => {
  await expect(signAs(await schemeFactory(name), { body: '{}' })).rejects.toMatchObject({ option: 'signAs' })
})

it.each(['adyen', 'graph'])('signAs(%s) writes into JSON', async (name) => {
  const options = { secret: HEX, body: '{"value": ' }
  await expect(signAs(await schemeFactory(name), options)).rejects.toMatchObject({ option: 'body' })
})

it('every code scheme is signed here, or only by its sender', async () => {
  const factories = await Promise.all(SCHEME_NAMES.map(schemeFactory))
  const byCode = factories.filter(({ scheme }) => String(scheme.algorithm) === 'code')
  expect(byCode.map(({ scheme }) => scheme.name).sort()).toEqual(
    [...Object.keys(SAMPLES), ...NOT_SIGNED].sort(),
  )
})
