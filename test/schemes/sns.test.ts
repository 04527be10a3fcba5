import { describe, expect, it } from 'vitest'
import { defineListener } from '../../src/index.ts'
import type { Fetch } from '../../src/jwt.ts'
import { type SnsOptions, sns } from '../../src/schemes/sns.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { Verification } from '../../src/verification.ts'
import { check } from '../../src/verify.ts'
import { certificateOf } from '../support/certificate.ts'
import { fakeClock } from '../support/clock.ts'
import { unavailable } from '../support/jwt-listener.ts'
import { newKey } from '../support/keys.ts'
import { MISMATCH, schemeReceiver } from '../support/scheme-receiver.ts'
import { serve } from '../support/servers.ts'
import { CERTIFICATE_URL, snsMessage, TOPIC } from '../support/sns-sender.ts'

const KEY = newKey('RS256')
const PEM = certificateOf(KEY.publicKey)
const WEAK_KEY = { n: Buffer.alloc(128, 0xc1).toString('base64url'), e: 'AQAB' }
const HEADERS = { 'content-type': 'text/plain; charset=UTF-8' }
const SUBSCRIBE_URL = 'https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=a&Token=b'

type Answer = (url: string) => Response | Promise<Response>

/** A fake of Amazon's host, and the requests it got. */
interface Amazon {
  answer: Answer
  readonly asked: string[]
  readonly fetch: Fetch
}

function amazon(answer: Answer = () => new Response(PEM)): Amazon {
  const asked: string[] = []
  const host: Amazon = {
    asked,
    answer,
    fetch: async (url) => {
      asked.push(url)
      return host.answer(url)
    },
  }
  return host
}

function receiver(host = amazon(), options: Partial<SnsOptions> = {}, clock = fakeClock()) {
  const auth = sns({ topicArns: TOPIC, fetch: host.fetch, clock, ...options })
  const { receive } = schemeReceiver(auth, clock)
  const send = (members: Parameters<typeof snsMessage>[2] = {}) =>
    receive({ headers: HEADERS, body: JSON.stringify(snsMessage(KEY, clock.now(), members)) })
  return { host, clock, send }
}

const subscription = (type: string) => ({ Type: type, SubscribeURL: SUBSCRIBE_URL, Token: 'b' })

describe('the certificate of an SNS message', () => {
  it('the certificate is fetched once, and the event names it', async () => {
    const { host, send } = receiver()
    const verdicts = await Promise.all(Array.from({ length: 30 }, () => send()))
    for (const verdict of verdicts) {
      const auth = { method: 'scheme', scheme: 'sns', secretId: CERTIFICATE_URL, covers: 'values' }
      expect(verdict).toMatchObject({ ok: true, event: { auth, unsigned: [], type: 'Notification' } })
    }
    expect(host.asked).toEqual([CERTIFICATE_URL])
  })

  it.each([
    'https://sns.us-gov-west-1.amazonaws.com/SimpleNotificationService-0.pem',
    'https://sns.ap-southeast-5.amazonaws.com/SimpleNotificationService-0.pem',
    'https://sns.cn-northwest-1.amazonaws.com.cn/SimpleNotificationService-0.pem',
  ])('the certificate may be at %s', async (url) => {
    const { host, send } = receiver()
    expect(await send({ SigningCertURL: url })).toMatchObject({ ok: true })
    expect(host.asked).toEqual([url])
  })

  it.each([
    ['the European Sovereign Cloud', 'aws-eusc', 'eusc-de-east-1', 'amazonaws.eu'],
    ['China', 'aws-cn', 'cn-north-1', 'amazonaws.com.cn'],
    ['GovCloud', 'aws-us-gov', 'us-gov-east-1', 'amazonaws.com'],
    ['the Secret Cloud', 'aws-iso-b', 'us-isob-east-1', 'sc2s.sgov.gov'],
    ['the Top Secret Cloud', 'aws-iso', 'us-iso-west-1', 'c2s.ic.gov'],
    ['a partition of the United Kingdom', 'aws-iso-e', 'eu-isoe-west-1', 'cloud.adc-e.uk'],
    ['a partition of the United States', 'aws-iso-f', 'us-isof-south-1', 'csp.hci.ic.gov'],
  ])('a topic of %s is confirmed and received', async (_, partition, region, suffix) => {
    const host = `https://sns.${region}.${suffix}`
    const TopicArn = `arn:${partition}:sns:${region}:123456789012:orders`
    const { host: asked, send } = receiver(amazon(), { topicArns: TopicArn, confirmSubscriptions: true })
    const own = { TopicArn, SigningCertURL: `${host}/SimpleNotificationService-0.pem` }
    expect(await send(own)).toMatchObject({ ok: true })
    const SubscribeURL = `${host}/?Action=ConfirmSubscription&TopicArn=a&Token=b`
    const confirmation = { ...own, ...subscription('SubscriptionConfirmation'), SubscribeURL }
    expect(await send(confirmation)).toMatchObject({ handshake: true, reply: { status: 200 } })
    expect(asked.asked).toEqual([own.SigningCertURL, SubscribeURL])
  })

  it.each([
    'https://sns.us-east-1.amazonaws.eu/a.pem',
    'https://sns.eusc-de-east-1.amazonaws.com/a.pem',
    'https://sns.us-east-1.amazonaws.com.cn/a.pem',
    'https://sns.us-east-1.c2s.ic.gov/a.pem',
    'https://sns.us-iso-east-1.sc2s.sgov.gov/a.pem',
    'https://sns.us-isob-east-1.ic.gov/a.pem',
    'https://sns.eu-isoe-west-1.adc-e.uk/a.pem',
    'https://sns.eusc-de-east-1.amazonaws.eu.example/a.pem',
    'https://sns.eusc-de-east-1xamazonaws.eu/a.pem',
    'https://sns.eusc-de-east-1.amazonawsxeu/a.pem',
    'https://sns.eusc-de-east-1.cloud.adc-exuk/a.pem',
    'http://sns.us-east-1.amazonaws.com/a.pem',
    'HTTPS://sns.us-east-1.amazonaws.com/a.pem',
    'https://sns.us-east-1.amazonaws.com.evil.example/a.pem',
    'https://evil.example/sns.us-east-1.amazonaws.com/a.pem',
    'https://evil.example/?https://sns.us-east-1.amazonaws.com/a.pem',
    'https://evil.example#https://sns.us-east-1.amazonaws.com/a.pem',
    'https://evil.example\\.sns.us-east-1.amazonaws.com/a.pem',
    'https://evil-sns.us-east-1.amazonaws.com/a.pem',
    'https://sns.us-east-1.amazonaws.com@evil.example/a.pem',
    'https://me@sns.us-east-1.amazonaws.com/a.pem',
    'https://sns.us-east-1.amazonaws.com:443/a.pem',
    'https://sns.us-east-1.amazonaws.com./a.pem',
    'https://sns.us-east-1.amazonaws.co/a.pem',
    'https://sns.us-east-1.amazonaws.com.cnn/a.pem',
    'https://sns.us-east-1xamazonaws.com/a.pem',
    'https://snsxus-east-1.amazonaws.com/a.pem',
    'https://sns.us-east-1.amazonawsxcom/a.pem',
    'https://sns.us-east-1.amazonaws.comxcn/a.pem',
    'https://sns.s3.amazonaws.com/a.pem',
    'https://sns.s3.us-east-1.amazonaws.com/a.pem',
    'https://s3.us-east-1.amazonaws.com/sns/a.pem',
    'https://sns.us-east-1.amazonaws.com/a.crt',
    'https://sns.us-east-1.amazonaws.com/a.pem.txt',
    'https://sns.us-east-1.amazonaws.com/a.pem?b',
    'https://sns.us-east-1.amazonaws.com/a.pem#b',
    'https://sns.us-east-1.amazonaws.com/a.pem\n',
    'https://sns.us-east-1.amazonaws.com/?a.pem',
    'https://sns.us-east-1.amazonaws.com/../a.pem',
    'https://sns.us-east-1.amazonaws.com/a/b.pem',
    'https://sns.us-east-1.amazonaws.com/.pem',
    ' https://sns.us-east-1.amazonaws.com/a.pem',
    '//sns.us-east-1.amazonaws.com/a.pem',
    `https://sns.us-east-1.amazonaws.com/${'a'.repeat(300)}.pem`,
    '',
  ])('the certificate is never fetched from %s', async (SigningCertURL) => {
    const { host, send } = receiver()
    expect(await send({ SigningCertURL })).toMatchObject(MISMATCH)
    expect(host.asked).toEqual([])
  })

  it.each([
    ['a redirect', () => Response.redirect('https://evil.example/a.pem', 302), /answered with status 302/],
    ['an error', () => new Response('', { status: 500 }), /answered with status 500/],
    ['no certificate', () => new Response('hello'), /sent no certificate/],
    ['too much', () => new Response('a'.repeat(65_537)), /sent over 65536 bytes/],
    ['nothing', () => new Promise<Response>(() => {}), /did not answer within 30 ms/],
    ['no connection', () => Promise.reject(new TypeError('fetch failed')), /fetch failed/],
    [
      'a weak key',
      () => new Response(certificateOf(WEAK_KEY)),
      /whose key is not used: its modulus has 1024 bits/,
    ],
  ])('a message stays undecided while the host answers with %s', async (_, answer, message) => {
    const { clock, host, send } = receiver(amazon(answer), { timeoutSeconds: 0.03 })
    await expect(send()).rejects.toMatchObject(unavailable(message, 30))
    host.answer = () => new Response(PEM)
    clock.advance(29_999)
    await expect(send()).rejects.toMatchObject(unavailable(message, 1))
    expect(host.asked).toHaveLength(1)
    clock.advance(1)
    expect(await send()).toMatchObject({ ok: true })
    expect(host.asked).toEqual([CERTIFICATE_URL, CERTIFICATE_URL])
  })

  it.each([404, 410])('a certificate that Amazon answers with a %i verifies nothing', async (status) => {
    const { send } = receiver(amazon(() => new Response('', { status })))
    expect(await send()).toMatchObject({ ...MISMATCH, detail: 'there is no such certificate' })
  })

  it.each([400, 401, 403, 405, 407, 429])(
    'a message stays undecided for which a proxy answers %i',
    async (status) => {
      const { send } = receiver(amazon(() => new Response('', { status })))
      await expect(send()).rejects.toMatchObject(
        unavailable(new RegExp(`answered with status ${status}$`), 30),
      )
    },
  )

  it('the certificate is not fetched for made-up URLs more often than allowed, and known ones keep working', async () => {
    const { host, send } = receiver()
    expect(await send()).toMatchObject({ ok: true })
    host.answer = () => new Response('', { status: 404 })
    for (let index = 0; index < 50; index += 1) {
      await send({ SigningCertURL: CERTIFICATE_URL.replace('.pem', `${index}.pem`) }).catch(() => {})
    }
    expect(host.asked).toHaveLength(3)
    expect(await send()).toMatchObject({ ok: true })
  })

  it('the certificate may be configured by its URL, and is then never fetched', async () => {
    const { host, send } = receiver(amazon(), { certificates: { [CERTIFICATE_URL]: PEM } })
    expect(await send()).toMatchObject({ ok: true, event: { auth: { secretId: CERTIFICATE_URL } } })
    expect(host.asked).toEqual([])
    const another = CERTIFICATE_URL.replace('0123', '4567')
    expect(await send({ SigningCertURL: another })).toMatchObject({ ok: true })
    expect(host.asked).toEqual([another])
  })

  it('the certificate that is configured verifies no other key’s signature, and nothing after it expires', async () => {
    const certificates = { [CERTIFICATE_URL]: certificateOf(newKey('RS256').publicKey) }
    expect(await receiver(amazon(), { certificates }).send()).toMatchObject(MISMATCH)
    const expired = { [CERTIFICATE_URL]: certificateOf(KEY.publicKey, { notAfter: '250101000000Z' }) }
    const verdict = await receiver(amazon(), { certificates: expired }).send()
    expect(verdict).toMatchObject({ ...MISMATCH, detail: 'the certificate has expired' })
  })

  it.each([
    ['in the certificate’s last second', '2099-12-31T23:59:59Z', { ok: true }],
    ['one second later', '2100-01-01T00:00:00Z', { ...MISMATCH, detail: 'the certificate has expired' }],
    ['before it begins, by a slow clock', '2019-12-31T23:59:59Z', { ok: true }],
  ])('%s', async (_, now, verdict) => {
    const { send } = receiver(amazon(), {}, fakeClock(Date.parse(now)))
    expect(await send()).toMatchObject(verdict)
  })
})

describe('an SNS message', () => {
  it.each([
    ['another topic', { TopicArn: `${TOPIC}2` }],
    ['the same topic of another account', { TopicArn: TOPIC.replace('1234', '4321') }],
    ['an unknown message type', { Type: 'Alarm' }],
    ['an unknown signature version', { SignatureVersion: '0' }],
    ['a subject that is a list', { Subject: ['a'] as never }],
    ['a line feed in its ID', { MessageId: 'a\nb' }],
    ['a line feed in its subject', { Subject: 'a\nTimestamp\nb' }],
    ['a message that is a number', { Message: 1 }],
  ])('a message with %s is refused before anything is fetched', async (_, members) => {
    const { host, send } = receiver()
    expect(await send(members)).toMatchObject(MISMATCH)
    expect(host.asked).toEqual([])
  })

  it('a message may have line feeds in what was published, and an empty subject', async () => {
    const { send } = receiver()
    expect(await send({ Message: 'a\nMessageId\nb\n', Subject: '' })).toMatchObject({ ok: true })
  })

  it('signed with SHA-1 is accepted unless signatureVersion forbids it', async () => {
    expect(await receiver().send({ SignatureVersion: '1' })).toMatchObject({ ok: true })
    const strict = receiver(amazon(), { signatureVersion: '2' })
    expect(await strict.send({ SignatureVersion: '1' })).toMatchObject(MISMATCH)
    expect(await strict.send({ SignatureVersion: '2' })).toMatchObject({ ok: true })
  })

  it('a message may be a day old, and no older', async () => {
    const { clock, send } = receiver()
    const at = (seconds: number) => new Date(clock.now() - seconds * 1000).toISOString()
    expect(await send({ Timestamp: at(86_400) })).toMatchObject({ ok: true })
    expect(await send({ Timestamp: at(86_401) })).toMatchObject({ reason: 'timestamp_out_of_range' })
  })
})

describe('a message about an SNS subscription', () => {
  it('the receiver visits no URL by default', async () => {
    const seen: unknown[] = []
    const { host, send } = receiver(amazon(), { onSubscription: (given) => seen.push(given) })
    for (const type of ['SubscriptionConfirmation', 'UnsubscribeConfirmation'] as const) {
      expect(await send(subscription(type))).toMatchObject({ handshake: true, reply: { status: 200 } })
    }
    const given = { topicArn: TOPIC, subscribeUrl: SUBSCRIBE_URL, token: 'b' }
    expect(seen).toEqual([
      { type: 'SubscriptionConfirmation', ...given },
      { type: 'UnsubscribeConfirmation', ...given },
    ])
    expect(host.asked).toEqual([CERTIFICATE_URL])
  })

  it('a captured message calls onSubscription no second time, whatever its type', async () => {
    for (const type of ['SubscriptionConfirmation', 'UnsubscribeConfirmation'] as const) {
      const seen: string[] = []
      const onSubscription = ({ token }: { readonly token: string }) => void seen.push(token)
      const { clock, send } = receiver(amazon(), { onSubscription })
      const captured = {
        ...subscription(type),
        MessageId: 'one',
        Timestamp: new Date(clock.now()).toISOString(),
      }
      const answers = await Promise.all(Array.from({ length: 20 }, () => send(captured)))
      clock.advanceSeconds(259_200)
      answers.push(await send(captured))
      for (const answer of answers) expect(answer).toMatchObject({ handshake: true, reply: { status: 200 } })
      expect(await send({ ...captured, MessageId: 'two', Token: 'c' })).toMatchObject({ handshake: true })
      expect(seen).toEqual(['b', 'c'])
    }
  })

  it('a captured message is refused when it is over three days old, so that a restarted process does not act on it', async () => {
    const seen: unknown[] = []
    const options = { confirmSubscriptions: true, onSubscription: (given: unknown) => seen.push(given) }
    for (const type of ['SubscriptionConfirmation', 'UnsubscribeConfirmation'] as const) {
      const { clock, host, send } = receiver(amazon(), options)
      const Timestamp = new Date(clock.now() - 259_201_000).toISOString()
      expect(await send({ ...subscription(type), Timestamp })).toMatchObject({
        status: 400,
        reason: 'timestamp_out_of_range',
        detail: 'the message about a subscription is over three days old',
      })
      expect(host.asked).toEqual([CERTIFICATE_URL])
    }
    expect(seen).toEqual([])
  })

  it('a message that observeWebhook judges visits no URL and calls nothing', async () => {
    const seen: unknown[] = []
    const [clock, host] = [fakeClock(), amazon()]
    const options = { confirmSubscriptions: true, onSubscription: (given: unknown) => seen.push(given) }
    const auth = sns({ topicArns: TOPIC, fetch: host.fetch, clock, ...options })
    const listener = defineListener({ id: 'sns', auth, store: memoryStore({ clock }), clock })
    const body = Buffer.from(
      JSON.stringify(snsMessage(KEY, clock.now(), subscription('SubscriptionConfirmation'))),
    )
    const delivery = { method: 'POST', header: () => undefined, body, sourceIp: undefined }
    for (const [isEnforced, asked] of [
      [false, [CERTIFICATE_URL]],
      [true, [CERTIFICATE_URL, SUBSCRIBE_URL]],
    ] as const) {
      const verification = new Verification(delivery, listener)
      verification.isEnforced = isEnforced
      expect(await check(verification)).toMatchObject({ handshake: true })
      expect(host.asked).toEqual(asked)
    }
    expect(seen).toHaveLength(1)
  })

  it('messages do not take more room than for a thousand, and a hook that throws changes nothing', async () => {
    const seen: string[] = []
    const onSubscription = ({ token }: { readonly token: string }) => {
      seen.push(token)
      throw new Error('of the hook')
    }
    const { send } = receiver(amazon(), { onSubscription })
    const message = (token: number) => ({
      ...subscription('UnsubscribeConfirmation'),
      MessageId: `${token}`,
      Token: `${token}`,
    })
    for (const token of [...Array(1000).keys(), 1, 1000, 0]) {
      expect(await send(message(token))).toMatchObject({ handshake: true, reply: { status: 200 } })
    }
    expect(seen.slice(-2)).toEqual(['1000', '0'])
    expect(seen).toHaveLength(1002)
  })

  it('a subscription is confirmed once for any number of repeats, and never undone', async () => {
    const { host, send } = receiver(amazon(), { confirmSubscriptions: true })
    const answers = [
      ...(await Promise.all(
        Array.from({ length: 20 }, () => send(subscription('SubscriptionConfirmation'))),
      )),
      await send({ ...subscription('UnsubscribeConfirmation'), SubscribeURL: `${SUBSCRIBE_URL}c` }),
    ]
    for (const answer of answers) expect(answer).toMatchObject({ handshake: true, reply: { status: 200 } })
    expect(host.asked).toEqual([CERTIFICATE_URL, SUBSCRIBE_URL])
  })

  it('a subscription is confirmed ten times in 30 s for different URLs, and never again for the same one', async () => {
    const { clock, host, send } = receiver(amazon(), { confirmSubscriptions: true })
    const message = (token: number) => ({
      ...subscription('SubscriptionConfirmation'),
      SubscribeURL: `${SUBSCRIBE_URL}${token}`,
    })
    for (let token = 0; token < 10; token += 1) await send(message(token))
    await expect(send(message(10))).rejects.toMatchObject(unavailable(/too many unknown names/, 30))
    clock.advanceSeconds(40_000)
    expect(await send(message(0))).toMatchObject({ handshake: true, reply: { status: 200 } })
    expect(await send(message(10))).toMatchObject({ handshake: true, reply: { status: 200 } })
    expect(host.asked.filter((url) => url !== CERTIFICATE_URL)).toHaveLength(11)
  })

  it('a later attempt is awaited if the visit fails', async () => {
    const answer = (url: string) =>
      url === SUBSCRIBE_URL ? new Response('', { status: 500 }) : new Response(PEM)
    const { clock, host, send } = receiver(amazon(answer), { confirmSubscriptions: true })
    const message = subscription('SubscriptionConfirmation')
    await expect(send(message)).rejects.toMatchObject(
      unavailable(/^Amazon SNS answered with status 500$/, 30),
    )
    host.answer = () => new Response(PEM)
    clock.advanceSeconds(30)
    expect(await send(message)).toMatchObject({ handshake: true, reply: { status: 200 } })
  })

  it.each([
    'http://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&Token=b',
    'https://sns.us-east-1.amazonaws.com.evil.example/?Action=ConfirmSubscription&Token=b',
    'https://sns.us-east-1.amazonaws.com@evil.example/?Action=ConfirmSubscription&Token=b',
    'https://evil.example/?Action=ConfirmSubscription&Token=b',
    'https://sns.us-east-1.amazonaws.com/?Action=Unsubscribe&Token=b',
    'https://sns.us-east-1.amazonaws.com/a?Action=ConfirmSubscription&Token=b',
    'https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&Token=b c',
  ])('the receiver never visits %s', async (SubscribeURL) => {
    const { host, send } = receiver(amazon(), { confirmSubscriptions: true })
    const verdict = await send({ ...subscription('SubscriptionConfirmation'), SubscribeURL })
    expect(verdict).toMatchObject({ handshake: true, reply: { status: 400 } })
    expect(host.asked).toEqual([CERTIFICATE_URL])
  })
})

describe('a raw delivery, which SNS does not sign', () => {
  const raw = (body: string, headers = {}) => {
    const { receive } = schemeReceiver(sns({ topicArns: TOPIC, fetch: amazon().fetch }))
    return receive({ headers: { ...HEADERS, 'x-amz-sns-rawdelivery': 'true', ...headers }, body })
  }

  it.each([
    ['a text', 'hello', 'auth_missing'],
    ['nothing', '', 'auth_missing'],
    ['an object', '{"order":1}', 'auth_missing'],
    ['an object with a Signature of its own', '{"Signature":"a"}', 'signature_mismatch'],
  ])('a raw delivery of %s is named', async (_, body, reason) => {
    expect(await raw(body)).toMatchObject({
      status: 401,
      reason,
      detail: expect.stringMatching(/does not sign raw message deliveries: turn off raw message delivery/),
    })
  })

  it('a delivery that is not raw keeps its own detail', async () => {
    const { detail } = Object(await raw('{"order":1}', { 'x-amz-sns-rawdelivery': 'false' }))
    expect(detail).toMatch(/^no Signature/)
  })

  it('a header that calls a signed message raw changes nothing', async () => {
    const { receive, clock } = schemeReceiver(sns({ topicArns: TOPIC, fetch: amazon().fetch }))
    const headers = { ...HEADERS, 'x-amz-sns-rawdelivery': 'true' }
    expect(await receive({ headers, body: JSON.stringify(snsMessage(KEY, clock.now())) })).toMatchObject({
      ok: true,
    })
  })
})

it.each([
  ['an unknown partition', 'arn:aws-eu:sns:eusc-de-east-1:123456789012:orders'],
  ['a region of another partition', 'arn:aws:sns:eusc-de-east-1:123456789012:orders'],
  ['a region of another partition', 'arn:aws-eusc:sns:us-east-1:123456789012:orders'],
  ['a region of another partition', 'arn:aws:sns:us-iso-east-1:123456789012:orders'],
  ['a region of another partition', 'arn:aws:sns:cn-north-1:123456789012:orders'],
  ['no region', 'arn:aws:sns::123456789012:orders'],
])('a topic of %s, whose messages nobody could sign, is refused at the start: %s', (_, topicArns) => {
  expect(() => sns({ topicArns })).toThrow(
    /topicArns: must be like arn:aws:sns:.*, in a partition and region of AWS/,
  )
})

it.each([
  ['topicArns', {}],
  ['topicArns', { topicArns: [] }],
  ['topicArns', { topicArns: 'orders' }],
  ['topicArns', { topicArns: [TOPIC, `${TOPIC}*`] }],
  ['topicArn', { topicArn: TOPIC, topicArns: TOPIC }],
  ['secrets', { topicArns: TOPIC, secrets: 'a secret' }],
  ['signatureVersion', { topicArns: TOPIC, signatureVersion: 2 }],
  ['confirmSubscriptions', { topicArns: TOPIC, confirmSubscriptions: 'yes' }],
])('sns() names the option %s when it is missing, wrong or unknown: %j', (option, options) => {
  expect(() => sns(options as unknown as SnsOptions)).toThrowError(expect.objectContaining({ option }))
})

it.each([
  ['that are no object', PEM, 'certificates'],
  ['without URLs', [PEM], 'certificates'],
  ['that are no PEM', { [CERTIFICATE_URL]: 'a.pem' }, `certificates["${CERTIFICATE_URL}"]`],
  ['that are no text', { [CERTIFICATE_URL]: 1 }, `certificates["${CERTIFICATE_URL}"]`],
  ['with a weak key', { [CERTIFICATE_URL]: certificateOf(WEAK_KEY) }, `certificates["${CERTIFICATE_URL}"]`],
  ['of another host', { 'https://evil.example/a.pem': PEM }, 'certificates["https://evil.example/a.pem"]'],
])('sns() refuses certificates %s', (_, certificates, option) => {
  const options = { topicArns: TOPIC, certificates } as unknown as SnsOptions
  expect(() => sns(options)).toThrowError(expect.objectContaining({ option }))
})

describe('an emulator on this machine, such as LocalStack', () => {
  const PATH = '/_aws/sns/SimpleNotificationService-6c6f63616c737461636b69736e696365.pem'

  /** It serves its own certificate, and confirms subscriptions, as LocalStack does. */
  async function emulator(pem = PEM) {
    const asked: string[] = []
    const { address } = await serve((request, response) => {
      asked.push(request.url ?? '')
      response.end(request.url === PATH ? pem : 'confirmed')
    })
    return { origin: `http://127.0.0.1:${'port' in address ? address.port : 0}`, asked }
  }

  const listening = (options: Partial<SnsOptions>) => receiver(amazon(), { fetch: undefined, ...options })

  it.each(['1', '2'])('messages that it signs with version %s are accepted', async (SignatureVersion) => {
    const { origin, asked } = await emulator()
    const { send } = listening({ emulatorOrigin: origin })
    expect(await send({ SignatureVersion, SigningCertURL: origin + PATH })).toMatchObject({ ok: true })
    expect(await send({ SignatureVersion, SigningCertURL: origin + PATH })).toMatchObject({ ok: true })
    expect(asked).toEqual([PATH])
  })

  it('a subscription is confirmed at its origin, and nowhere else', async () => {
    const { origin, asked } = await emulator()
    const { send } = listening({ emulatorOrigin: origin, confirmSubscriptions: true })
    const query = '/?Action=ConfirmSubscription&TopicArn=a&Token=b'
    const of = (url: string) => ({
      ...subscription('SubscriptionConfirmation'),
      SubscribeURL: url,
      SigningCertURL: origin + PATH,
    })
    await send(of(SUBSCRIBE_URL))
    await send(of(`${origin}1${query}`))
    await send(of(`${origin}@example.com${query}`))
    expect(asked).toEqual([PATH])
    await send(of(origin + query))
    expect(asked).toEqual([PATH, query])
  })

  it('it is trusted in place of Amazon, and only at its own origin', async () => {
    const { origin, asked } = await emulator()
    const { host, send } = receiver(amazon(), { emulatorOrigin: origin })
    const others = [
      `${origin}1`,
      origin.replace('127.0.0.1', 'localhost'),
      `${origin}@evil.example`,
      `${origin}.evil.example`,
    ]
    for (const url of [
      CERTIFICATE_URL,
      ...others.map((other) => other + PATH),
      `${origin}/x?${PATH}`,
      `${origin}/key`,
    ])
      expect(await send({ SigningCertURL: url })).toMatchObject(MISMATCH)
    expect([host.asked, asked]).toEqual([[], []])
  })

  it('it is not trusted unless the listener names it', async () => {
    const { origin, asked } = await emulator()
    const { host, send } = receiver()
    expect(await send({ SigningCertURL: origin + PATH })).toMatchObject(MISMATCH)
    expect([host.asked, asked]).toEqual([[], []])
  })

  it('a message that it did not sign is refused, as those of moto are', async () => {
    const { origin, asked } = await emulator(certificateOf(newKey('RS256').publicKey))
    const { send } = listening({ emulatorOrigin: origin })
    expect(await send({ SigningCertURL: origin + PATH })).toMatchObject(MISMATCH)
    expect(asked).toEqual([PATH])
  })

  it.each([
    'http://localhost:4566',
    'https://localhost',
    'http://[::1]:4566',
    'http://127.0.0.1:4566',
    'http://localhost.localstack.cloud:4566',
    'http://sns.us-east-1.localhost.localstack.cloud:4566',
  ])('its origin may be %s', (emulatorOrigin) => {
    expect(sns({ topicArns: TOPIC, emulatorOrigin })).toBeDefined()
  })

  it.each([
    'http://localhost:4566/',
    'http://example.com',
    'https://sns.us-east-1.amazonaws.com',
    'http://localhost.example.com',
    'http://localhost@example.com',
    'http://127.0.0.1.example.com',
    'http://10.0.0.1:4566',
    'ftp://localhost',
    'localhost:4566',
    '',
    7,
  ])('its origin may not be %j', (emulatorOrigin) => {
    expect(() => sns({ topicArns: TOPIC, emulatorOrigin: emulatorOrigin as string })).toThrow(
      'emulatorOrigin: must be an origin on this machine',
    )
  })
})
