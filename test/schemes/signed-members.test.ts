import { createHmac, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Verdict } from '../../src/index.ts'
import { signedMember } from '../../src/lib/json.ts'
import { adyen } from '../../src/schemes/adyen.ts'
import { braintree } from '../../src/schemes/braintree.ts'
import { dropboxSign } from '../../src/schemes/dropbox-sign.ts'
import { coverageOf } from '../../src/schemes/kit/compile-scheme.ts'
import { defineScheme } from '../../src/schemes/kit/index.ts'
import { signedNames } from '../../src/schemes/kit/signed-text.ts'
import { mailgun } from '../../src/schemes/mailgun.ts'
import { sns } from '../../src/schemes/sns.ts'
import { signAs } from '../../src/testing/index.ts'
import { certificateOf } from '../support/certificate.ts'
import { fakeClock } from '../support/clock.ts'
import { newKey } from '../support/keys.ts'
import { schemeReceiver } from '../support/scheme-receiver.ts'
import { SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'
import { CERTIFICATE_URL, TOPIC } from '../support/sns-sender.ts'

const clock = fakeClock()
const SECRET = 'a1'.repeat(32)
const KEY = newKey('RS256')
const json = { 'content-type': 'application/json' }

const hmacOf = (key: string | Buffer, encoding: 'hex' | 'base64', text: string) =>
  createHmac('sha256', key).update(text).digest(encoding)

/** The signed members in the sender's order, by JSON pointer. Undefined if a genuine delivery lacks it. */
type Members = { readonly [pointer: string]: string | number | undefined }

/** A sender that signs members of its body, as the sender's own documentation has it. */
interface MemberSigner {
  readonly name: string
  /** All that a genuine delivery has. */
  readonly members: Members
  /** The members that a genuine delivery may lack. */
  readonly optional: readonly string[]
  /** Signs the members. Returns where the signature is, and what it is. */
  readonly sign: (members: Members) => readonly [pointer: string, signature: string]
  readonly unsigned: Members
  readonly receive: (body: string) => Promise<Verdict>
}

const item = (member: string) => `/notificationItems/0/NotificationRequestItem/${member}`
const lines = (members: Members) =>
  Object.entries(members)
    .map(([pointer, text]) => (text === undefined ? '' : `${pointer.slice(1)}\n${text}\n`))
    .join('')

const amazon = (members: Members): Omit<MemberSigner, 'name' | 'optional'> => ({
  members,
  unsigned: { '/SignatureVersion': '2', '/SigningCertURL': CERTIFICATE_URL },
  sign: (signed) => [
    '/Signature',
    sign('sha256', Buffer.from(lines(signed)), KEY.keyObject).toString('base64'),
  ],
  receive: (body) =>
    schemeReceiver(
      sns({ topicArns: TOPIC, clock, fetch: async () => new Response(certificateOf(KEY.publicKey)) }),
      clock,
    ).receive({ headers: json, body }),
})

const ACME = {
  name: 'acme',
  sender: 'Acme',
  secretName: 'key',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-signature'], spelling: 'hex' },
  maxBodyBytes: 100_000,
  limits: 'The headers are not signed.',
} as const

const SIGNERS: readonly MemberSigner[] = [
  {
    name: 'adyen',
    members: {
      [item('pspReference')]: '79140733',
      [item('originalReference')]: 'first',
      [item('merchantAccountCode')]: 'Shop',
      [item('merchantReference')]: 'one',
      [item('amount/value')]: 1130,
      [item('amount/currency')]: 'EUR',
      [item('eventCode')]: 'REFUND',
      [item('success')]: 'true',
    },
    optional: [
      'pspReference',
      'originalReference',
      'merchantAccountCode',
      'merchantReference',
      'amount/value',
      'amount/currency',
      'eventCode',
      'success',
    ].map(item),
    unsigned: { '/live': 'false' },
    sign: (members) => [
      item('additionalData/hmacSignature'),
      hmacOf(
        Buffer.from(SECRET, 'hex'),
        'base64',
        Object.values(members)
          .map((text) => text ?? '')
          .join(':'),
      ),
    ],
    receive: (body) => schemeReceiver(adyen({ secrets: SECRET }), clock).receive({ headers: json, body }),
  },
  {
    name: 'sns',
    ...amazon({
      '/Message': 'hello',
      '/MessageId': '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
      '/Subject': 'greeting',
      '/Timestamp': new Date(clock.now()).toISOString(),
      '/TopicArn': TOPIC,
      '/Type': 'Notification',
    }),
    optional: ['/Subject'],
  },
  {
    name: 'sns',
    ...amazon({
      '/Message': 'You have chosen to subscribe',
      '/MessageId': '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
      '/SubscribeURL': 'https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&Token=b',
      '/Timestamp': new Date(clock.now()).toISOString(),
      '/Token': 'b',
      '/TopicArn': TOPIC,
      '/Type': 'SubscriptionConfirmation',
    }),
    optional: [],
  },
  {
    name: 'mailgun',
    members: { '/signature/timestamp': `${clock.seconds()}`, '/signature/token': 'a'.repeat(50) },
    optional: [],
    unsigned: { '/event-data/id': 'one' },
    sign: (members) => ['/signature/signature', hmacOf(SECRET, 'hex', Object.values(members).join(''))],
    receive: (body) => schemeReceiver(mailgun({ secrets: SECRET }), clock).receive({ headers: json, body }),
  },
  {
    name: 'dropbox-sign',
    members: { '/event/event_time': '1790000000', '/event/event_type': 'signature_request_signed' },
    optional: [],
    unsigned: {},
    sign: (members) => ['/event/event_hash', hmacOf(SECRET, 'hex', Object.values(members).join(''))],
    receive: (body) =>
      schemeReceiver(dropboxSign({ secrets: SECRET }), clock).receive({
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
        body: `--b\r\ncontent-disposition: form-data; name="json"\r\n\r\n${body}\r\n--b--\r\n`,
      }),
  },
  {
    name: 'a row of a user',
    members: { '/id': 'one', '/to/0/name': 'two' },
    optional: [],
    unsigned: {},
    sign: (members) => ['/hash', hmacOf(SECRET, 'hex', Object.values(members).join('.'))],
    receive: (body) => {
      const acme = defineScheme({
        ...ACME,
        signs: '{/id}.{/to/0/name}',
        signature: { headers: [], member: '/hash', spelling: 'hex' },
      })
      return schemeReceiver(acme({ secrets: SECRET }), clock).receive({ headers: json, body })
    },
  },
]

/** JSON for a value that is neither absent, a text nor an integer, and for texts that are not what is signed. */
const ODD: readonly string[] = [
  '[]',
  '{}',
  '[[]]',
  '[""]',
  'true',
  'false',
  '0.5',
  '1e400',
  '9007199254740993',
  `"${'x'.repeat(4097)}"`,
  `"${'x'.repeat(40_000)}"`,
  `["${'x'.repeat(40_000)}"]`,
  '"another"',
  '12',
]

/** Writes the JSON of these members. A number in a pointer is the index of a list. */
function bodyOf(members: ReadonlyMap<string, string>): string {
  const root: { [name: string]: unknown } = {}
  const texts: string[] = []
  for (const [pointer, text] of members) {
    const steps = pointer.split('/').slice(1)
    let parent = root
    for (const [at, step] of steps.slice(0, -1).entries()) {
      parent[step] ??= steps[at + 1] === '0' ? [] : {}
      parent = parent[step] as typeof root
    }
    parent[steps.at(-1) ?? ''] = `@${texts.push(text) - 1}@`
  }
  return JSON.stringify(root).replace(/"@([0-9]+)@"/g, (_, index) => texts[index] ?? '')
}

/** A genuine delivery with these members, in which some are replaced by other JSON. */
function send(
  { sign, unsigned, receive }: MemberSigner,
  members: Members,
  forged: { [pointer: string]: string } = {},
) {
  const all = Object.entries({ ...members, ...unsigned, ...Object.fromEntries([sign(members)]) })
  const written = new Map(
    all.flatMap(([at, text]) => (text === undefined ? [] : [[at, JSON.stringify(text)]])),
  )
  for (const [pointer, text] of Object.entries(forged)) {
    // What replaces a parent takes the place of all that is in it.
    for (const known of written.keys()) if (known.startsWith(`${pointer}/`)) written.delete(known)
    written.set(pointer, text)
  }
  return receive(bodyOf(written))
}

/** A member, and the objects and lists that it is in, but for those that also hold the signature. */
function placesOf({ members, sign }: MemberSigner, pointer: string): readonly string[] {
  const [signature] = sign(members)
  const steps = pointer.split('/')
  return steps.flatMap((_, at) => {
    const place = steps.slice(0, at + 1).join('/')
    return place === '' || signature.startsWith(`${place}/`) ? [] : [place]
  })
}

const cases = SIGNERS.flatMap((signer) =>
  Object.keys(signer.members).map((pointer) => ({ signer, pointer, sender: signer.name })),
)

describe('a signed member is absent, a text or an integer, or the delivery is refused', () => {
  it('the cases cover all senders that sign members', async () => {
    const rows = await Promise.all(SCHEME_NAMES.map(async (name) => (await schemeFactory(name)).scheme))
    const signsMembers = rows.filter(
      (scheme) => coverageOf(scheme) === 'values' && signedNames(scheme).some((name) => name.startsWith('/')),
    )
    // The signed member of Braintree is a field of a form.
    expect(signsMembers.map(({ name }) => name).toSorted()).toEqual(
      [...new Set(SIGNERS.map(({ name }) => name)), 'braintree']
        .filter((name) => !name.includes(' '))
        .toSorted(),
    )
  })

  it.each(SIGNERS)('$name signs these members', async (signer) => {
    const isHandshake = signer.members['/Token'] !== undefined
    const answer = isHandshake ? { handshake: true } : { ok: true }
    expect(await send(signer, signer.members)).toMatchObject(answer)
    for (const pointer of signer.optional) {
      const without = { ...signer.members, [pointer]: undefined }
      expect(await send(signer, without), pointer).toMatchObject({ ok: true })
      expect(await send(signer, without, { [pointer]: 'null' }), pointer).toMatchObject({ ok: true })
    }
  })

  it.each(cases)('$sender $pointer, where the genuine one has it', async ({ signer, pointer }) => {
    const text = JSON.stringify(signer.members[pointer])
    for (const place of placesOf(signer, pointer)) {
      for (const odd of [...ODD, `[${text}]`, `[[${text}]]`, `{"toString":${text}}`]) {
        const verdict = await send(signer, signer.members, { [place]: odd })
        expect(verdict, `${place} ${odd.slice(0, 40)}`).toMatchObject({ ok: false, status: 401 })
      }
    }
  })

  it.each(cases.filter(({ signer, pointer }) => signer.optional.includes(pointer)))(
    '$sender $pointer, where the genuine one has none',
    async ({ signer, pointer }) => {
      const without = { ...signer.members, [pointer]: undefined }
      for (const odd of ODD) {
        const verdict = await send(signer, without, { [pointer]: odd })
        expect(verdict, odd.slice(0, 40)).toMatchObject({ ok: false, status: 401 })
      }
    },
  )

  it('adyen amount, where the genuine one has none', async () => {
    const [signer] = SIGNERS
    if (signer === undefined) throw new Error('no signer')
    const none = {
      ...signer.members,
      [item('amount/value')]: undefined,
      [item('amount/currency')]: undefined,
    }
    expect(await send(signer, none, { [item('amount')]: 'null' })).toMatchObject({ ok: true })
    for (const odd of ODD.filter((each) => each !== '{}')) {
      const verdict = await send(signer, none, { [item('amount')]: odd })
      expect(verdict, odd.slice(0, 40)).toMatchObject({ ok: false, status: 401 })
    }
  })

  it.each(cases)('$sender $pointer: half a surrogate pair is not the sign that replaces it', async (each) => {
    const { signer, pointer } = each
    const genuine = { ...signer.members, [pointer]: 'a\ufffd' }
    for (const half of ['"a\\ud800"', '"a\\udc00"', '"a\\ud800\\ud800"']) {
      expect(await send(signer, genuine, { [pointer]: half })).toMatchObject({ ok: false })
    }
  })

  it('a field of Braintree, which must come once', async () => {
    const receiver = schemeReceiver(braintree({ secrets: SECRET, publicKey: 'a-key' }), clock)
    const { body, headers } = await signAs(braintree, { secret: SECRET, keyId: 'a-key', body: '<a/>' })
    const payload = new URLSearchParams(`${body}`).get('bt_payload') ?? ''
    const fields = (name: string, value: string) => `${new URLSearchParams([[name, value]])}`
    for (const more of [
      fields('bt_payload', payload),
      'bt_payload=',
      'bt_payload',
      fields('bt_signature', 'a'),
    ]) {
      const verdict = await receiver.receive({ headers, body: `${body}&${more}` })
      expect(verdict, more).toMatchObject({ ok: false, status: 401 })
    }
    expect(await receiver.receive({ headers, body: `${body}` })).toMatchObject({ ok: true })
  })
})

describe('the text of a signed member', () => {
  const at = (value: unknown, ...steps: readonly string[]) => signedMember(value, steps)
  const REFUSED = { problem: expect.any(String) }

  it('a signed member is absent if it, or its parent, is missing or null', () => {
    for (const value of [{}, null, undefined, { a: null }, { a: {} }, { a: { b: null } }, { a: [] }]) {
      expect(at(value, 'a', '0')).toBeUndefined()
      expect(at(value, 'a', '0', 'c')).toBeUndefined()
    }
  })

  it('a signed member may be a text or an integer', () => {
    expect(at({ a: '' }, 'a')).toBe('')
    expect(at({ a: [{ b: -12 }] }, 'a', '0', 'b')).toBe('-12')
    expect(at({ a: 'x'.repeat(4096) }, 'a')).toHaveLength(4096)
  })

  it('a signed member is refused if it is anything else, or in anything but an object or a list', () => {
    for (const value of [[], {}, true, 0.5, Number.NaN, 2 ** 53, 'x'.repeat(4097), '\ud800']) {
      expect(at({ a: value }, 'a')).toEqual(REFUSED)
    }
    for (const value of ['b', 1, true, [1]]) expect(at({ a: value }, 'a', 'b')).toEqual(REFUSED)
    expect(at({ a: [1] }, 'a', 'length')).toEqual(REFUSED)
    expect(signedMember({ a: 'xyz' }, ['a'], 2)).toEqual(REFUSED)
  })

  it('a signed member is never inherited', () => {
    for (const name of ['toString', '__proto__', 'constructor']) expect(at({}, name)).toBeUndefined()
  })
})
