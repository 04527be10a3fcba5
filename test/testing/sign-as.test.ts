import { describe, expect, it } from 'vitest'
import { ListenerConfigError } from '../../src/errors.ts'
import { defineListener, verify } from '../../src/index.ts'
import { github } from '../../src/schemes/github.ts'
import { defineScheme } from '../../src/schemes/kit/index.ts'
import { slack } from '../../src/schemes/slack.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { twilio } from '../../src/schemes/twilio.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { type SignAsOptions, signAs, toDelivery } from '../../src/testing/index.ts'
import { SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'

const PUBLIC_URL = 'https://receiver.example/hooks?id=%2F1'

/** A secret in the form that the scheme reads. */
function secretFor({ key, name }: { readonly key?: unknown; readonly name: string }): string {
  if (name === 'surveymonkey') return 'client_id&a-secret-of-this-test'
  if (key === 'hex') return 'a1'.repeat(32)
  if (key === 'text') return 'a secret of this test'
  if (key === 'base64') return Buffer.alloc(32, 'k').toString('base64')
  return `whsec_${Buffer.alloc(32, 'k').toString('base64')}`
}

const PARAMETERS = {
  Ed25519: { name: 'Ed25519' },
  'P-256': { name: 'ECDSA', namedCurve: 'P-256' },
  RSA: {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: Uint8Array.of(1, 0, 1),
  },
}

async function keyPair(algorithm: keyof typeof PARAMETERS) {
  const parameters = PARAMETERS[algorithm]
  const pair = await crypto.subtle.generateKey(parameters, true, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new TypeError('no pair')
  const raw = Buffer.from(
    await crypto.subtle.exportKey(algorithm === 'Ed25519' ? 'raw' : 'spki', pair.publicKey),
  )
  return { raw, privateKey: await crypto.subtle.exportKey('jwk', pair.privateKey) }
}

const names = await Promise.all(
  SCHEME_NAMES.map(async (name) => ({ name, scheme: (await schemeFactory(name)).scheme })),
)
const byRow = names.filter(
  ({ scheme }) => typeof scheme?.signs === 'string' && scheme.signature.headers.length > 0,
)

const seconds = `${Math.floor(Date.now() / 1000)}`

/** Bodies with what is signed, for the schemes whose signature needs more than a row with a header can say. */
const BODIES: { readonly [name: string]: SignAsOptions['body'] } = {
  contentful: {},
  'dropbox-sign': { event: { event_time: seconds, event_type: 'made_up' } },
  mailgun: { signature: { timestamp: seconds, token: 'a'.repeat(50) }, 'event-data': { id: 'made-up-1' } },
  mandrill: 'mandrill_events=%5B%7B%22event%22%3A%22send%22%7D%5D',
  pandadoc: [{ event: 'made_up' }],
  plivo: 'Event=MadeUp&From=1',
  twilio: 'Body=Hi&From=%2B1',
}

describe('signAs, for a form', () => {
  const FORM = 'application/x-www-form-urlencoded'
  const secret = 'a secret of this test'
  const publicUrl = PUBLIC_URL

  async function eventOf(
    factory: typeof github | typeof slack | typeof twilio,
    options: Pick<SignAsOptions, 'body' | 'contentType'>,
  ) {
    const isTwilio = factory === twilio
    const request = await signAs(factory, { secret, ...(isTwilio && { publicUrl }), ...options })
    const auth = isTwilio ? twilio({ secrets: secret, publicUrl }) : factory({ secrets: secret, publicUrl })
    const verdict = await verify(toDelivery(request), defineListener({ id: 'a', auth, store: memoryStore() }))
    return { request, payload: verdict.ok ? verdict.event.payload : verdict.reason }
  }

  it.each([
    ['a value', { action: 'opened', title: 'a&b=c + d €' }],
    ['text', '{ "action": "opened", "title": "a&b=c + d €" }'],
    ['bytes', Buffer.from('{"action":"opened","title":"a&b=c + d €"}')],
    ['its form', `payload=${encodeURIComponent('{"action":"opened","title":"a&b=c + d €"}')}`],
  ])('signAs makes GitHub’s of %s', async (_, body) => {
    for (const contentType of [FORM, `${FORM}; charset=utf-8`]) {
      const { request, payload } = await eventOf(github, { body, contentType })
      expect(payload).toEqual({ action: 'opened', title: 'a&b=c + d €' })
      expect(Buffer.from(request.body).toString()).toMatch(/^payload=%7B[^&]*$/)
      expect(request.headers['content-type']).toBe(contentType)
      expect(typeof request.body).toBe(Buffer.isBuffer(body) ? 'object' : 'string')
    }
  })

  it('signAs makes Slack’s of the event’s payload, a command or an interaction', async () => {
    for (const body of [
      { command: '/weather', text: 'a & b' },
      { payload: { type: 'block_actions', actions: [{ value: '1' }] } },
    ]) {
      expect((await eventOf(slack, { body, contentType: FORM })).payload).toEqual(body)
    }
  })

  it('signAs makes Twilio’s of its fields, which is its usual content', async () => {
    const body = { Body: 'Hi & bye', From: '+15005550006', Media: ['a', 'b'] }
    expect((await eventOf(twilio, { body })).payload).toEqual(body)
  })

  it('signAs keeps what is no object in JSON as it is', async () => {
    for (const body of ['payload=1', 'a', '1', '"a"', '{', '']) {
      const { body: sent } = await signAs(github, { secret, body, contentType: FORM })
      expect(sent).toBe(body)
    }
  })
})

describe('signAs', () => {
  it.each(names.filter((each) => String(each.scheme.algorithm) !== 'code' && !byRow.includes(each)))(
    'signAs makes a delivery that $name accepts, whose signature is not a row with a header',
    async ({ name, scheme }) => {
      const factory = await schemeFactory(name)
      const secret = secretFor(scheme)
      const isSigned = scheme.takes?.includes('publicUrl')
      const url = (isSigned || scheme.signature.query) && { publicUrl: PUBLIC_URL }
      const auth = factory({ secrets: secret, ...(isSigned && url) })
      const listener = defineListener({ id: name, auth, store: memoryStore() })
      const body = BODIES[name] ?? 'give it a body in BODIES'
      const request = await signAs(factory, { secret, ...url, body })
      expect(await verify(toDelivery(request), listener)).toMatchObject({ ok: true })
    },
  )

  it.each(byRow)('signAs makes a delivery that $name accepts, and no other', async ({ name, scheme }) => {
    const factory = await schemeFactory(name)
    const asymmetric = {
      ed25519: 'Ed25519',
      'ecdsa-p256-sha256': 'P-256',
      'rsa-v1_5-sha256': 'RSA',
    } as const
    const curve = asymmetric[scheme.algorithm as keyof typeof asymmetric] // undefined for all others
    const pair = curve && (await keyPair(curve))
    const secret = secretFor(scheme)
    const takesUrl = String(scheme.signs).includes('{url}')
    const listener = defineListener({
      id: name,
      auth: factory({
        ...(pair
          ? { publicKeys: pair.raw.toString(scheme.key === 'hex' ? 'hex' : 'base64') }
          : { secrets: secret }),
        ...(takesUrl && { publicUrl: PUBLIC_URL }),
      }),
      store: memoryStore(),
    })
    const body = { webhookTimestamp: Date.now(), type: 'made.up', id: 'made-up-1' }
    const request = await signAs(factory, {
      ...(pair ? { privateKey: pair.privateKey } : { secret }),
      publicUrl: PUBLIC_URL,
      body,
    })
    expect(await verify(toDelivery(request), listener)).toMatchObject({ ok: true })
    if (scheme.algorithm === 'token') return
    expect(await verify(toDelivery({ ...request, body: `${request.body} ` }), listener)).toMatchObject({
      reason: 'signature_mismatch',
    })
  })

  it('signAs keeps text as text and bytes as bytes, and turns a value into JSON text', async () => {
    const stripe = await schemeFactory('stripe')
    expect((await signAs(stripe, { secret: 'whsec_x', body: '{}' })).body).toBe('{}')
    expect((await signAs(stripe, { secret: 'whsec_x', body: { a: 1 } })).body).toBe('{"a":1}')
    expect((await signAs(stripe, { secret: 'whsec_x', body: Buffer.from('{}') })).body).toEqual(
      new TextEncoder().encode('{}'),
    )
  })

  it('signAs signs for a scheme of your own', async () => {
    const acme = defineScheme({
      name: 'acme',
      sender: 'Acme',
      secretName: 'signing secret',
      algorithm: 'hmac-sha256',
      key: 'text',
      signature: { headers: ['acme-signature'], spelling: 'hex' },
      signs: '{body}',
      maxBodyBytes: 1024,
      limits: 'No time is signed.',
    })
    const listener = defineListener({ id: 'acme', auth: acme({ secrets: 'shared' }), store: memoryStore() })
    const request = await signAs(acme, { secret: 'shared', body: { hello: 'world' } })
    expect(await verify(toDelivery(request), listener)).toMatchObject({ ok: true })
  })

  it.each([
    ['signAs', 'sns', { body: '{}' }],
    ['secret', 'stripe', { body: '{}' }],
    ['privateKey', 'discord', { body: '{}' }],
    ['body', 'stripe', { secret: 'whsec_x' }],
    ['secrets', 'stripe', { secrets: 'whsec_x', body: '{}' }],
  ])('signAs names the option %s when it is missing or unknown', async (option, name, options) => {
    const error = await signAs(await schemeFactory(name), options as never).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(ListenerConfigError)
    expect(error).toMatchObject({ option })
  })
})

it('the error says that a scheme is passed without a call', async () => {
  // @ts-expect-error only plain JavaScript can
  const signed = signAs(stripe({ secrets: 'whsec_x' }), { body: {} })
  await expect(signed).rejects.toThrow(/signAs.*takes the scheme itself: stripe, not/)
})
