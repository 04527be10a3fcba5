import { createHash, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Authenticator } from '../../src/index.ts'
import type { Fetch } from '../../src/jwt.ts'
import { crc32 } from '../../src/lib/crc32.ts'
import { paypal } from '../../src/schemes/paypal.ts'
import { plaid } from '../../src/schemes/plaid.ts'
import { sns } from '../../src/schemes/sns.ts'
import { certificateOf } from '../support/certificate.ts'
import { type FakeClock, fakeClock } from '../support/clock.ts'
import { compactToken, newKey } from '../support/keys.ts'
import { type Received, schemeReceiver } from '../support/scheme-receiver.ts'
import { CERTIFICATE_URL, snsMessage, TOPIC } from '../support/sns-sender.ts'

const RSA = newKey('RS256')
const ES256 = newKey('ES256', 'the-key')
const PEM = certificateOf(RSA.publicKey)
const NONSENSE = Buffer.alloc(256, 1).toString('base64')
const PAYPAL_URL = 'https://api.paypal.com/v1/notifications/certs/CERT-1'

/** What the sender's host says about a name: that it is genuine or unknown, or nothing usable. */
type Ask = (name: string) => Promise<'genuine' | 'unknown'>

interface Subject {
  readonly sender: string
  /** What its genuine deliveries name. */
  readonly name: string
  /** @param isConfigured Whether the genuine name is. */
  auth(ask: Ask, clock: FakeClock, isConfigured: boolean): Authenticator
  /** A delivery, signed if it has the genuine name. */
  deliver(name: string, clock: FakeClock): Received
}

let serial = 0

const asFetch =
  (ask: Ask): Fetch =>
  async (url) =>
    (await ask(url)) === 'genuine' ? new Response(PEM) : new Response('', { status: 404 })

const SUBJECTS: readonly Subject[] = [
  {
    sender: 'PayPal',
    name: PAYPAL_URL,
    auth: (ask, clock, isConfigured) => {
      const certificates = isConfigured ? { [PAYPAL_URL]: PEM } : undefined
      return paypal({ webhookId: 'W', fetch: asFetch(ask), clock, dedupe: 'off', certificates })
    },
    deliver(name, clock) {
      serial += 1
      const time = new Date(clock.now()).toISOString()
      const message = Buffer.from(`t-${serial}|${time}|W|${crc32(Buffer.from('{}'))}`)
      const headers = {
        'paypal-transmission-id': `t-${serial}`,
        'paypal-transmission-time': time,
        'paypal-auth-algo': 'SHA256withRSA',
        'paypal-cert-url': name,
        'paypal-transmission-sig':
          name === PAYPAL_URL ? sign('sha256', message, RSA.keyObject).toString('base64') : NONSENSE,
      }
      return { headers, body: '{}' }
    },
  },
  {
    sender: 'Amazon SNS',
    name: CERTIFICATE_URL,
    auth: (ask, clock, isConfigured) => {
      const certificates = isConfigured ? { [CERTIFICATE_URL]: PEM } : undefined
      return sns({ topicArns: TOPIC, fetch: asFetch(ask), clock, dedupe: 'off', certificates })
    },
    deliver(name, clock) {
      const forged = { ...FORGED_SNS, Timestamp: new Date(clock.now()).toISOString(), SigningCertURL: name }
      const message = name === CERTIFICATE_URL ? snsMessage(RSA, clock.now()) : forged
      return { headers: { 'content-type': 'text/plain' }, body: JSON.stringify(message) }
    },
  },
  {
    sender: 'Plaid',
    name: 'the-key',
    auth: (ask, clock, isConfigured) =>
      plaid({
        findKey: async (id) => ((await ask(id)) === 'genuine' ? ES256.publicKey : undefined),
        keys: isConfigured ? [ES256.publicKey] : undefined,
        clock,
        dedupe: 'off',
      }),
    deliver(name, clock) {
      const claims = {
        iat: clock.seconds(),
        request_body_sha256: createHash('sha256').update('{}').digest('hex'),
      }
      const signer = name === 'the-key' ? ES256.sign : () => Buffer.alloc(64, 1)
      return {
        headers: { 'plaid-verification': compactToken({ alg: 'ES256', kid: name }, claims, signer) },
        body: '{}',
      }
    },
  },
]
const FORGED_SNS = { ...snsMessage(RSA, 0), Signature: NONSENSE }

/** How the host answers for an invented name. */
const ANSWERS = ['has no such name', 'fails', 'hangs for 5 s'] as const

/** The sender's host, on the simulated clock. */
function hostOf(genuine: string, answer: (typeof ANSWERS)[number], clock: FakeClock) {
  const asked: { readonly name: string; readonly at: number }[] = []
  let hanging: { readonly at: number; readonly fail: (error: Error) => void }[] = []
  const ask: Ask = (name) => {
    asked.push({ name, at: clock.now() })
    if (name === genuine) return Promise.resolve('genuine')
    if (answer === 'has no such name') return Promise.resolve('unknown')
    if (answer === 'fails') return Promise.reject(new Error('is down'))
    return new Promise((_, fail) => hanging.push({ at: clock.now(), fail }))
  }
  const giveUp = () => {
    const late = hanging.filter(({ at }) => clock.now() - at >= 5000)
    hanging = hanging.filter((each) => !late.includes(each))
    for (const { fail } of late) fail(new Error('did not answer within 5000 ms'))
  }
  return { asked, ask, giveUp, inFlight: () => hanging.length }
}

interface Attack {
  readonly seconds: number
  readonly answer: (typeof ANSWERS)[number]
  /** How many forged requests arrive in this second. */
  readonly forgedIn: (second: number) => number
  readonly forger: () => string | undefined
  readonly sender: () => string | undefined
  readonly isConfigured?: boolean
}

const FIRST_DELIVERY = 1
const RETRY_SECONDS = 5

/** Runs an attack against a new process while the genuine sender tries every 5 s. */
async function simulate(subject: Subject, attack: Attack) {
  const { seconds, answer, forgedIn, forger, sender, isConfigured = false } = attack
  const clock = fakeClock()
  const host = hostOf(subject.name, answer, clock)
  const { receive } = schemeReceiver(subject.auth(host.ask, clock, isConfigured), clock)
  const invented = () => {
    serial += 1
    return subject.name.replace(/(\.pem)?$/, `-${serial}$1`)
  }
  const verified: number[] = []
  let mostInFlight = 0
  for (let second = 0; second < seconds; second += 1) {
    for (let count = forgedIn(second); count > 0; count -= 1) {
      void receive({ ...subject.deliver(invented(), clock), sourceIp: forger() }).catch(() => {})
    }
    if (second % RETRY_SECONDS === FIRST_DELIVERY) {
      const verdict = await receive({ ...subject.deliver(subject.name, clock), sourceIp: sender() }).catch(
        () => undefined,
      )
      if (verdict?.ok) verified.push(second)
    }
    mostInFlight = Math.max(mostInFlight, host.inFlight())
    clock.advanceSeconds(1)
    host.giveUp()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { asked } = host
  const inMinuteFrom = (from: number) => asked.filter(({ at }) => at >= from && at < from + 60_000).length
  const mostInAMinute = Math.max(...asked.map(({ at }) => inMinuteFrom(at)))
  return { verified, mostInFlight, mostInAMinute, names: asked.map(({ name }) => name) }
}

const tenEvery30Seconds = (second: number) => (second % 30 === 0 ? 10 : 0)
const aHundredASecond = () => 100

let host = 0
const ofOne = () => '203.0.113.9'
const ofOneNetwork = () => {
  host += 1
  return `2001:db8:0:1::${(host % 65_536).toString(16)}`
}
const ofAnother = () => '198.51.100.7'
const ofMany = () => {
  host += 1
  return `198.51.100.${host % 256}`
}

describe.each(SUBJECTS.map((subject) => [subject.sender, subject] as const))(
  'the first delivery of %s to a new process is verified within a minute',
  (_, subject) => {
    const deliveries = (seconds: number) =>
      Array.from({ length: seconds / RETRY_SECONDS }, (__, index) => index * RETRY_SECONDS + FIRST_DELIVERY)

    it.each([
      [3600, ANSWERS[0]],
      [600, ANSWERS[1]],
      [600, ANSWERS[2]],
    ])('%i s of 20 forged requests a minute do not delay it, if the host %s', async (seconds, answer) => {
      const attack = { seconds, answer, forgedIn: tenEvery30Seconds, forger: ofOne, sender: ofAnother }
      const { verified, mostInAMinute, mostInFlight } = await simulate(subject, attack)
      expect(verified).toEqual(deliveries(seconds))
      expect(mostInAMinute).toBeLessThanOrEqual(40)
      expect(mostInFlight).toBeLessThanOrEqual(10)
    })

    it.each([
      ['one IPv4 address', ofOne, ofAnother],
      ['one IPv6 network', ofOneNetwork, ofAnother],
      ['one address, and the sender has many', ofOne, ofMany],
      ['an unknown address', () => undefined, ofAnother],
    ])('100 forged requests a second from %s do not delay it', async (__, forger, sender) => {
      const attack = { seconds: 65, answer: ANSWERS[0], forgedIn: aHundredASecond, forger, sender }
      const { verified, mostInAMinute } = await simulate(subject, attack)
      expect(verified).toEqual(deliveries(65))
      expect(mostInAMinute).toBeLessThanOrEqual(40)
    })

    it('100 forged requests a second from many addresses do not delay it, if its name is configured', async () => {
      const attack = {
        seconds: 65,
        answer: ANSWERS[2],
        forgedIn: aHundredASecond,
        forger: ofMany,
        sender: ofAnother,
        isConfigured: true,
      }
      const { verified, mostInAMinute, mostInFlight, names } = await simulate(subject, attack)
      expect(verified).toEqual(deliveries(65))
      expect(mostInAMinute).toBeLessThanOrEqual(40)
      expect(mostInFlight).toBeLessThanOrEqual(10)
      expect(names).not.toContain(subject.name)
    })
  },
)
