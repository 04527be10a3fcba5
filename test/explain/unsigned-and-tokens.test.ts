import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { explain } from '../../src/explain/index.ts'
import { type Delivery, defineListener, type Listener, type Rejected, verify } from '../../src/index.ts'
import { jwt, localKeySet } from '../../src/jwt.ts'
import type { SchemeOptions } from '../../src/schemes/kit/index.ts'
import { defineScheme } from '../../src/schemes/kit/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs, signJwt, toDelivery } from '../../src/testing/index.ts'
import { newKey } from '../support/keys.ts'
import { SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'
import { remoteOptions, type VectorFetches } from '../support/vector-fetch.ts'

interface Case {
  readonly name: string
  readonly method: string
  readonly requestUrl?: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body?: string
  readonly bodyBase64?: string
  readonly options?: SchemeOptions
  readonly expect: { readonly ok: boolean }
}

interface Vectors {
  readonly scheme: string
  readonly options: SchemeOptions
  readonly now: number
  readonly fetches?: VectorFetches
  readonly cases: readonly Case[]
}

const FOLDER = new URL('../vectors/schemes/', import.meta.url)
const files: readonly Vectors[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json') && file !== 'handshakes.json')
  .map((file) => JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')))
  .filter(({ scheme }) => SCHEME_NAMES.includes(scheme))

const fileOf = (scheme: string): Vectors => {
  const found = files.find((file) => file.scheme === scheme)
  if (found === undefined) throw new Error(`${scheme} has no vectors`)
  return found
}

const caseOf = ({ scheme, cases }: Vectors, name: string): Case => {
  const found = cases.find((each) => each.name === name)
  if (found === undefined) throw new Error(`${scheme} has no vector: ${name}`)
  return found
}

const genuineOf = ({ scheme, cases }: Vectors): Case => {
  const found = cases.find(({ method, expect: { ok } }) => ok && method === 'POST')
  if (found === undefined) throw new Error(`${scheme} has no genuine delivery`)
  return found
}

const textOf = ({ body = '', bodyBase64 }: Case) =>
  bodyBase64 === undefined ? body : Buffer.from(bodyBase64, 'base64').toString()

function deliveryOf(given: Case, without: readonly string[] = [], body = textOf(given)): Delivery {
  const headers = given.headers.filter(([name]) => !without.includes(name.toLowerCase()))
  return {
    method: given.method,
    url: given.requestUrl,
    header(name) {
      const values = headers.filter(([other]) => other.toLowerCase() === name).map(([, value]) => value)
      return values.length > 1 ? values : values[0]
    },
    body: Buffer.from(body),
    sourceIp: undefined,
  }
}

async function listenerOf(
  { scheme, options, now, fetches }: Vectors,
  more: { readonly [option: string]: unknown } = {},
): Promise<Listener> {
  const clock = { now: () => now * 1000 }
  const remote = fetches && remoteOptions(scheme, fetches)
  const auth = (await schemeFactory(scheme))({ ...options, ...remote, ...more })
  return defineListener({ id: scheme, auth, store: memoryStore({ clock, maxRecords: 9 }), clock })
}

/** The refusal, and what a user reads of it. With all schemes, as the command line explains it. */
async function refused(delivery: Delivery, listener: Listener) {
  const verdict = await verify(delivery, listener)
  expect(verdict).toMatchObject({ ok: false })
  const { likely } = await explain(delivery, verdict, listener)
  return { verdict: verdict as Rejected, likely }
}

/** The genuine delivery without its signature, wherever its scheme has it. */
async function unsigned(file: Vectors): Promise<Delivery> {
  const { signature } = (await schemeFactory(file.scheme)).scheme
  const genuine = genuineOf(file)
  const name = signature.member?.split('/').at(-1) ?? ''
  const body = textOf(genuine)
    .replace(new RegExp(`"${name}"(: ?)`), '"another"$1')
    .replace(`${name}=`, 'another=')
  const sent = deliveryOf(genuine, signature.headers, signature.member === undefined ? undefined : body)
  return { ...sent, url: signature.query === undefined ? sent.url : '/hooks' }
}

describe('a delivery without a signature', () => {
  /** Wix has no signature of its own: the whole body is the token. */
  const withSignature = files.filter(({ scheme }) => scheme !== 'wix')

  it.each(withSignature)('$scheme: is explained by what its sender is known to do', async (file) => {
    const { sender, facts } = (await schemeFactory(file.scheme)).scheme
    const { verdict, likely } = await refused(await unsigned(file), await listenerOf(file))
    expect(['auth_missing', 'header_missing', 'signature_mismatch']).toContain(verdict.reason)
    const [first = ''] = likely
    expect(likely).toHaveLength(1)
    expect(first).toMatch(/^No \S+ (?:header|in the body|in the query of the URL): /)
    expect(first).toContain(`or ${sender} did not send this request`)
    expect(
      facts?.unsigned,
      'say in the row when its sender does not sign, or false if it always does',
    ).toBeDefined()
    if (facts?.unsigned) {
      expect(first).toContain(`: ${facts.unsigned}; otherwise `)
      expect(first).not.toMatch(/always sends/)
      if (verdict.reason !== 'signature_mismatch') expect(verdict.detail).toMatch(/^no /)
      if (verdict.reason !== 'signature_mismatch') expect(verdict.detail).toContain(`: ${facts.unsigned}`)
    } else {
      expect(first).toContain(`${sender} always sends it, so `)
      expect(verdict.detail).not.toMatch(/: /)
    }
  })

  const OPTIONAL =
    'adyen adyen-platform airwallex app-store auth0 bitbucket box buildkite cal-com calendly checkout-com circleci chargebee cloudevents contentful deepgram docusign fastspring fireflies github gitlab gitlab-signing google-channels graph hubspot klaviyo hugging-face jira mollie monday netlify notion okta pipedrive postmark pubsub razorpay revenuecat rfc9421 ringcentral sanity segment sendgrid sentry shipbob sns standard-webhooks tally telegram telnyx typeform webex vapi webflow'.split(
      ' ',
    )

  it.each(OPTIONAL)('%s: may be genuine, and the row says where to change that', async (name) => {
    const { unsigned: says } = (await schemeFactory(name)).scheme.facts ?? {}
    expect(says).toMatch(
      /: (?:generate|enter|set|choose|pass|let|add|turn|enable|write|configure|create|those made)\b/,
    )
  })

  it('a row whose author does not know claims nothing', async () => {
    const row = defineScheme({
      name: 'acme',
      sender: 'Acme',
      secretName: 'secret',
      algorithm: 'hmac-sha256',
      key: 'text',
      signature: { headers: ['x-acme-signature'], spelling: 'hex' },
      signs: '{body}',
      maxBodyBytes: 1000,
      limits: '',
    })
    const listener = defineListener({
      id: 'a',
      auth: row({ secrets: 'a-secret-0123456789' }),
      store: memoryStore(),
    })
    const { likely } = await refused(toDelivery({ method: 'POST', headers: {}, body: '{}' }), listener)
    expect(likely).toEqual([
      'No X-Acme-Signature header: Acme has no secret to sign with, a proxy or middleware has dropped it, or Acme did not send this request',
    ])
  })

  it('a signed delivery that lacks only its time is not called unsigned', async () => {
    const file = fileOf('contentful')
    const { verdict, likely } = await refused(
      deliveryOf(genuineOf(file), ['x-contentful-timestamp']),
      await listenerOf(file),
    )
    expect(verdict).toMatchObject({ reason: 'header_missing', detail: 'no x-contentful-timestamp' })
    expect(likely).toEqual([
      expect.stringMatching(/^No X-Contentful-Timestamp header: Contentful always sends it/),
    ])
  })

  it.each(['hello', '{"order":1}'])('a raw message of SNS is named, whatever it holds: %s', async (body) => {
    const file = fileOf('sns')
    const { headers } = genuineOf(file)
    const raw = {
      ...genuineOf(file),
      body,
      headers: [...headers, ['x-amz-sns-rawdelivery', 'true'] as const],
    }
    const { likely } = await refused(deliveryOf(raw), await listenerOf(file))
    expect(likely).toEqual([
      'Amazon SNS does not sign raw message deliveries: turn off raw message delivery in the subscription',
    ])
  })

  it('a body that is no notification is not called unsigned', async () => {
    const file = fileOf('graph')
    const { verdict } = await refused(deliveryOf(caseOf(file, 'no notifications')), await listenerOf(file))
    expect(verdict).toMatchObject({ reason: 'auth_missing', detail: 'value is not a list of notifications' })
  })
})

const CLOCK = /by this listener's clock: .* or a clock is wrong; send a new one, or run NTP on both sides$/
const AHEAD =
  /^(?:validationTokens: )?(?:nbf|iat) is over \d+ s ahead of this listener's clock: one of the two clocks is wrong/
const FORM = /^(?:Authorization|Upstash-Signature|Plaid-Verification|validationTokens) holds no token of /
const BODY = /^the body is not the one that .* signed: \S+ does not match the body; verify the exact bytes/

describe('a token', () => {
  it.each([
    ['livekit', 'a token that expired a minute ago', CLOCK],
    ['qstash', 'a token that expired a second ago', CLOCK],
    ['pubsub', 'a token that expired an hour ago', CLOCK],
    ['graph', 'a token that expired a second ago', CLOCK],
    ['plaid', 'issued a day ago', /^iat of Plaid-Verification is 86400 s old by this listener's clock/],
    ['livekit', 'a token that becomes valid in a minute', AHEAD],
    ['qstash', 'a token that becomes valid in a minute', AHEAD],
    ['graph', 'a token that becomes valid in an hour', AHEAD],
    ['plaid', 'issued a day ahead', /^iat of Plaid-Verification is 86400 s ahead of this listener's clock/],
    ['livekit', 'another issuer', /^iss is not apiKey: another API key of LiveKit has signed$/],
    ['livekit', 'no issuer', /^iss is not apiKey/],
    ['qstash', 'another issuer', /^iss is not Upstash: another service has signed$/],
    ['pubsub', 'another issuer', /^iss is not Google$/],
    [
      'graph',
      'a token of another tenant',
      /^validationTokens: iss is none of the tenants: check that appIds and tenantIds/,
    ],
    ['qstash', 'signed for no URL', /^sub is not publicUrl/],
    ['pubsub', 'another audience', /^aud is not the audience$/],
    ['pubsub', 'another account', /^email is not the account$/],
    ['graph', 'a token for another app', /^validationTokens: aud is none of the apps: check that appIds/],
    ['livekit', 'a truncated token', FORM],
    ['livekit', 'the token as a bearer token', FORM],
    ['livekit', 'a token without an expiry', FORM],
    ['qstash', 'a token of two parts', FORM],
    ['pubsub', 'the token without the scheme', FORM],
    ['plaid', 'a token in quotes', FORM],
    ['graph', 'a truncated token', FORM],
    ['livekit', 'the hash of another body', BODY],
    ['qstash', 'no hash', BODY],
    ['plaid', 'one byte of the body changed', BODY],
    ['plaid', 'a key ID that Plaid does not know', /^no key has this ID$/],
    [
      'plaid',
      'signed with a key that Plaid does not have',
      /^the signature does not verify: Plaid signed for another receiver/,
    ],
    [
      'graph',
      'a token signed with a key that Microsoft does not have',
      /^validationTokens: the signature does not verify; .* or Microsoft Graph did not send this request$/,
    ],
    [
      'graph',
      'a token that another app asked for',
      /^validationTokens: appid is not Microsoft Graph; .* or Microsoft Graph did not send this request$/,
    ],
    ['graph', 'a token that is not in a list', /^validationTokens: not a list; something on the way/],
    [
      'paypal',
      'signed for another webhook',
      /^the signature does not verify: PayPal signed for another receiver/,
    ],
    ['paypal', 'a certificate of another host', /^paypal-cert-url is not the URL of a PayPal certificate$/],
    ['sns', 'another topic, correctly signed', /^TopicArn is none of topicArns$/],
    ['sns', 'another subject', /^the signature does not verify: Amazon SNS signed for another receiver/],
  ])('%s: %s', async (scheme, name, says) => {
    const file = fileOf(scheme)
    const given = caseOf(file, name)
    const listener = await listenerOf(file, { ...given.options })
    const { likely } = await refused(deliveryOf(given), listener)
    expect(likely[0]).toMatch(says)
    if (says !== BODY) expect(likely[0]).not.toMatch(/the secret is wrong/)
    expect(likely.join()).not.toMatch(/always sends/)
  })

  it('a token whose log kept no detail is judged again, if no key has to be fetched', async () => {
    const file = fileOf('livekit')
    const listener = await listenerOf(file)
    const delivery = deliveryOf(caseOf(file, 'another issuer'))
    const logged = { ok: false, reason: 'token_invalid', status: 401 }
    expect((await explain(delivery, logged, listener)).likely).toEqual([
      expect.stringMatching(/^iss is not apiKey/),
    ])
    const expired = { ...logged, reason: 'token_expired' }
    expect((await explain(delivery, expired, listener)).likely).toEqual([expect.stringMatching(CLOCK)])
  })

  it('a token is never fetched for when it is explained', async () => {
    const file = fileOf('pubsub')
    const asked: string[] = []
    const fetch = async (url: string) => {
      asked.push(url)
      return new Response('{}', { status: 500 })
    }
    const listener = await listenerOf(file, { fetch })
    const logged = { ok: false, reason: 'token_invalid', status: 401 }
    const { likely } = await explain(deliveryOf(genuineOf(file)), logged, listener)
    expect(likely[0]).toMatch(/^the signature does not verify/)
    expect(asked).toEqual([])
  })

  it('a token of hookgate itself that is over, or for another audience, is explained', async () => {
    const { privateKey, publicKey } = newKey('ES256')
    const claims = { subject: 'https://t.example', audience: 'https://t.example/hook' }
    const auth = jwt({ ...claims, keySet: localKeySet({ keys: [publicKey] }) })
    const listener = defineListener({ id: 'tokens', auth, store: memoryStore() })
    const other = await signJwt({ ...claims, audience: 'https://t.example/other', privateKey, body: '{}' })
    expect((await refused(toDelivery(other), listener)).likely).toEqual([expect.stringMatching(/\baud\b/)])
    const expired = { ok: false, reason: 'token_expired', status: 401, detail: 'the token expired 20 s ago' }
    const request = toDelivery(await signJwt({ ...claims, privateKey, body: '{}' }))
    expect((await explain(request, expired, listener)).likely).toEqual([
      expect.stringMatching(/^the token expired 20 s ago, by this listener's clock/),
    ])
  })
})

describe('what a sender sends to try an endpoint', () => {
  const file = fileOf('paypal')

  it('an event of the simulator of PayPal is named where its signature does not verify', async () => {
    const { likely } = await refused(
      deliveryOf(caseOf(file, 'signed for another webhook')),
      await listenerOf(file),
    )
    expect(likely).toContainEqual(expect.stringMatching(/Webhooks simulator signs with the text WEBHOOK_ID/))
    expect(likely).toContainEqual(
      expect.stringMatching(/^check what you pass: the webhook's ID as webhookId/),
    )
    expect(likely.join()).not.toMatch(/none;/)
  })

  it('the ID of an event, passed as the ID of the webhook of PayPal, is named', async () => {
    const listener = await listenerOf(file, { webhookId: 'WH-2WR32451HC0233532-67976317FL4543714' })
    const { likely } = await refused(deliveryOf(genuineOf(file)), listener)
    expect(likely).toEqual(["webhookId is the ID of an event (WH-…): pass the webhook's ID as webhookId"])
  })

  it.each(['discord', 'xero'])('%s: a signature that is wrong on purpose may be no fault', async (scheme) => {
    const given = fileOf(scheme)
    const genuine = genuineOf(given)
    const { likely } = await refused(
      deliveryOf(genuine, [], textOf(genuine).replace('"', '"x')),
      await listenerOf(given),
    )
    expect(likely).toContainEqual(expect.stringMatching(/sends wrong signatures on purpose/))
  })

  it('a test of Zendesk, signed with the secret that everybody knows, is named', async () => {
    const zendesk = await schemeFactory('zendesk')
    const secret = 'dGhpc19zZWNyZXRfaXNfZm9yX3Rlc3Rpbmdfb25seQ=='
    const auth = zendesk({ secrets: 'the-secret-of-the-webhook-0123' })
    const listener = defineListener({ id: 'zendesk', auth, store: memoryStore() })
    const { likely } = await refused(
      toDelivery(await signAs(zendesk, { secret, body: '{"type":"a"}' })),
      listener,
    )
    expect(likely).toEqual([
      expect.stringMatching(/^this is a test of Zendesk, signed with the secret that it has for all tests/),
    ])
    expect(likely.join()).not.toContain(secret)
  })
})

describe('a format that is not read', () => {
  it.each([
    ['adyen', 'text/xml', /choose JSON in the Customer Area/],
    ['contentful', 'application/x-www-form-urlencoded', /choose JSON in the webhook's settings/],
    ['mailgun', 'multipart/form-data; boundary=a', /this scheme reads its event webhooks, in JSON/],
    ['shopify', 'application/xml', /set its format to JSON/],
    ['zendesk', 'application/xml', /choose JSON on the webhook's page/],
  ])('%s as %s: the detail says where another is chosen', async (scheme, type, says) => {
    const file = fileOf(scheme)
    const genuine = genuineOf(file)
    const headers = [
      ...genuine.headers.filter(([name]) => !/^content-type$/i.test(name)),
      ['content-type', type] as const,
    ]
    const { verdict, likely } = await refused(deliveryOf({ ...genuine, headers }), await listenerOf(file))
    expect(verdict).toMatchObject({ status: 400, reason: 'content_type_not_accepted' })
    expect(verdict.detail).toMatch(says)
    expect(likely[0]).toMatch(says)
  })
})

describe('a body that does not parse', () => {
  const XML = '<?xml version="1.0" encoding="utf-16"?><a>é</a>'
  const signed = async (body: Uint8Array, type: string) => {
    const docusign = await schemeFactory('docusign')
    const secret = 'a-key-of-connect-0123456789'
    const request = await signAs(docusign, { secret, body: Buffer.from(body) })
    const listener = defineListener({
      id: 'xml',
      auth: docusign({ secrets: secret }),
      store: memoryStore(),
    })
    const headers = { ...request.headers, 'content-type': type }
    return (await refused(toDelivery({ ...request, headers }), listener)).likely
  }

  it('a body in UTF-16 is named, with either mark', async () => {
    const little = Buffer.from(`\ufeff${XML}`, 'utf16le')
    for (const body of [little, Buffer.from(little).swap16()]) {
      expect(await signed(body, 'text/xml')).toEqual(['the body is in UTF-16: make the sender write UTF-8'])
    }
  })

  it('XML under the type of JSON is named, but not under its own', async () => {
    const says = ['the body is XML or HTML, and Content-Type does not say so']
    expect(await signed(Buffer.from(XML), 'application/json')).toEqual(says)
    expect(await signed(Buffer.from(XML, 'latin1'), 'text/xml')).toEqual([])
  })

  it.each([
    [{ 'content-encoding': 'gzip' }],
    [{ 'content-type': 'application/json; charset=iso-8859-1' }],
    [{ 'content-type': 'application/json; utf-8' }],
  ])('another format is not suspected where a body in JSON has %j', async (more) => {
    const file = fileOf('zendesk')
    const { headers } = genuineOf(file)
    const name = Object.keys(more)[0] ?? ''
    const changed = [...headers.filter(([each]) => each.toLowerCase() !== name), ...Object.entries(more)]
    const genuine = { ...genuineOf(file), headers: changed }
    const verdict = await verify(deliveryOf(genuine), await listenerOf(file))
    const { likely } = await explain(deliveryOf(genuine), verdict as Rejected, await listenerOf(file))
    expect(likely.join()).not.toMatch(/XML/)
  })
})

describe('a body that holds no signature', () => {
  it('the second item of Adyen lacks one: the first is not called unsigned', async () => {
    const file = fileOf('adyen')
    const given = caseOf(file, 'two items, the second without a signature')
    const { verdict, likely } = await refused(deliveryOf(given), await listenerOf(file))
    expect(verdict).toMatchObject({ reason: 'auth_missing' })
    expect(likely).toEqual([verdict.detail])
  })

  it.each([
    ['adyen', '{}', 'notificationItems is not a list of 1 to 64'],
    ['graph', '{"value":1}', 'value is not a list of notifications'],
    ['mailgun', '[', 'the body is not an object in JSON'],
    ['sns', '[', 'the body is not an object in JSON'],
  ])('%s: what is wrong with %s is said without a word of the log', async (scheme, body, says) => {
    const file = fileOf(scheme)
    const listener = await listenerOf(file)
    const delivery = deliveryOf(genuineOf(file), [], body)
    const { verdict, likely } = await refused(delivery, listener)
    expect(verdict.detail).toBe(says)
    expect(likely).toEqual([says])
    const logged = { ok: false, reason: verdict.reason, detail: 'anything', status: 401 }
    expect((await explain(delivery, logged, listener)).likely).toEqual([says])
  })
})
