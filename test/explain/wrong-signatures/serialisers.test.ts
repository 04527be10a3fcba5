import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { expectedSender } from '../../../src/explain/expected-sender.ts'
import { bodyGuesses } from '../../../src/explain/guess-bodies.ts'
import { explain } from '../../../src/explain/index.ts'
import { type Authenticator, defineListener, verify } from '../../../src/index.ts'
import { github } from '../../../src/schemes/github.ts'
import { paddle } from '../../../src/schemes/paddle.ts'
import { sendgrid } from '../../../src/schemes/sendgrid.ts'
import { slack } from '../../../src/schemes/slack.ts'
import { standardWebhooks } from '../../../src/schemes/standard-webhooks.ts'
import { stripe } from '../../../src/schemes/stripe.ts'
import { memoryStore } from '../../../src/stores/memory.ts'
import { fakeClock } from '../../support/clock.ts'

const SECRET = '4eC39HqLyjWDarjtT1zdp7dcTYooMQau'
const clock = fakeClock()
const time = `${clock.seconds()}`
const mac = (text: string) => createHmac('sha256', SECRET).update(text).digest('hex')

async function likelyFor(
  auth: Authenticator,
  headers: { readonly [name: string]: string | readonly string[] | undefined },
  body: string,
): Promise<readonly string[]> {
  const listener = defineListener({ id: 'a', auth, store: memoryStore({ maxRecords: 1 }), clock })
  const delivery = {
    method: 'POST',
    header: (name: string) => headers[name],
    body: Buffer.from(body),
    sourceIp: undefined,
  }
  const verdict = await verify(delivery, listener)
  expect(verdict).toMatchObject({ ok: false, status: 401 })
  return (await explain(delivery, verdict, listener)).likely
}

/** What is said of a body that was signed in one form and arrived in another: by GitHub, and by Stripe with a time. */
async function bothSay(signed: string, arrived: string): Promise<readonly (readonly string[])[]> {
  return Promise.all([
    likelyFor(github({ secrets: SECRET }), { 'x-hub-signature-256': `sha256=${mac(signed)}` }, arrived),
    likelyFor(
      stripe({ secrets: `whsec_${SECRET}` }),
      {
        'stripe-signature': `t=${time},v1=${createHmac('sha256', `whsec_${SECRET}`).update(`${time}.${signed}`).digest('hex')}`,
      },
      arrived,
    ),
  ])
}

const inNode = (json: string) => JSON.stringify(JSON.parse(json))

// The texts of the languages are what they wrote: Python 3.11, PHP 8.2, Ruby 3.1, Go 1.19, Gson 2.10, Jackson 2.14, jq 1.6 and Perl 5.36. Those
// of System.Text.Json and SendGrid were not run: they follow its documentation and SendGrid's examples.
const ESCAPED = [
  ['Python, letters', '{"when": "Zo\\u00eb <b> \\ud83e\\udd17"}', '{"when":"Zoë <b> 🤗"}'],
  ['Jackson, letters in capital hex', '{"when":"Zo\\u00EB <b> \\uD83E\\uDD17"}', '{"when":"Zoë <b> 🤗"}'],
  [
    '.NET',
    '{"when":"Zo\\u00EB \\u003Cb\\u003E \\u0026 \\u0027x\\u0027 \\u0022q\\u0022 1\\u002B1 \\u0060 \\\\ \\n \\u001F /"}',
    '{"when":"Zoë <b> & \'x\' \\"q\\" 1+1 ` \\\\ \\n \\u001f /"}',
  ],
  [
    '.NET, indented',
    '{\n  "when": "1\\u002B1",\n  "list": [\n    1e+2\n  ],\n  "none": []\n}',
    '{"when":"1+1","list":[1e+2],"none":[]}',
  ],
  [
    '.NET, beside a backslash that no escape follows',
    '{"path":"C:\\\\u00e9\\\\\\u0022 1\\u002B1 9e\\u002B1","n":9e+1}',
    '{"path":"C:\\\\u00e9\\\\\\" 1+1 9e+1","n":9e+1}',
  ],
  ['Gson', '{"when":"a\\u003db \\u003cb\\u003e \\u0026 \\u0027x\\u0027"}', '{"when":"a=b <b> & \'x\'"}'],
  [
    'PHP with JSON_HEX_TAG, _AMP, _APOS and _QUOT',
    '{"when":"Zo\\u00eb \\u003Cb\\u003E \\u0026 \\u0027x\\u0027 \\u0022q\\u0022 \\ud83e\\udd17","url":"https:\\/\\/example.com\\/a"}',
    '{"when":"Zoë <b> & \'x\' \\"q\\" 🤗","url":"https://example.com/a"}',
  ],
  ['Go with an Encoder', '{"when":"Zoë \\u003cb\\u003e"}\n', '{"when":"Zoë <b>"}'],
  [
    '.NET, indented on Windows',
    '{\r\n  "when": "1\\u002B1",\r\n  "list": []\r\n}',
    '{"when":"1+1","list":[]}',
  ],
  ['Jackson, control characters in capital hex', '{"when":"Zoë \\u001F"}', '{"when":"Zoë \\u001f"}'],
  ['Go with an Encoder that keeps HTML', '{"when":"Zoë <b>"}\n', '{"when": "Zo\\u00eb <b>"}'],
  ['jq into a file', '{\n  "when": "Zoë <b>"\n}\n', '{"when":"Zoë <b>"}'],
  ['jq in ASCII', '{"when":"Zo\\u00eb"}\n', '{"when":"Zoë"}'],
  ['Go', '{"when":"Zoë \\u003cb\\u003e \\u0026"}', '{"when":"Zoë <b> &"}'],
] as const

/** What a parser and a serialiser made of the numbers: the arrived text is what they write. */
const NUMBERS = [
  ['12.50, by JavaScript', '{"id":7,"total":12.50}', inNode],
  ['12.50 in two of three fields, by JavaScript', '{"id":7,"total":12.50,"tax":2.10,"rate":0.5}', inNode],
  ['1.0, by JavaScript', '{"ratio":1.0,"id":7}', inNode],
  ['1.0 of a Python float, by JavaScript', '{"id": 7, "ratio": 1.0, "list": [2.0, 3.0]}', inNode],
  ['100.00, by JavaScript', '{"id":100,"total":100.00,"note":"1.0"}', inNode],
  ['0.00 beside a negative, by JavaScript', '{"total":-3.00,"tax":0.00}', inNode],
  ['12.50 beside letters that PHP escapes', '{"name":"Zo\\u00eb","total":12.50,"url":"a\\/b"}', inNode],
  ['1.0 beside letters that Python escapes', '{"name": "Zo\\u00eb", "total": 1.0}', inNode],
  ['1e3, by JavaScript', '{"n":1e3,"id":7}', inNode],
  ['1.5E3, by JavaScript', '{"n":1.5E3}', inNode],
  ['1e3, by Python', '{"n":1e3}', () => '{"n": 1000.0}'],
  ['12.50, by Ruby', '{"a":1,"b":12.50}', () => '{"a":1,"b":12.5}'],
  ['1, by Gson, as a double', '{"id":1,"b":12.5}', () => '{"id":1.0,"b":12.5}'],
  ['an integer beyond 2^53, by JavaScript', '{"id":9007199254740993}', inNode],
  ['a snowflake, by JavaScript', '{"id":1234567890123456789,"same":1234567890123456789}', inNode],
  ['an integer beyond 2^63, by JavaScript', '{"id":12345678901234567890}', inNode],
  ['an integer beyond 2^63, by PHP', '{"big":12345678901234567890}', () => '{"big":1.2345678901234567e+19}'],
] as const

/** What a serialiser wrote anew that keeps what JavaScript would lose. */
const KEPT = [
  ['12.50 and 1e3', '{"a":12.50,"b":1e3}', '{"a": 12.50, "b": 1e3}'],
  ['an integer beyond 2^53', '{"id":12345678901234567890}', '{"id": 12345678901234567890}'],
  ['members that are numbers', '{"b":1,"10":2,"2":3}', '{\n  "b": 1,\n  "10": 2,\n  "2": 3\n}'],
  ['repeated members', '{"a":1,"b":2,"a":3}', '{"a": 1, "b": 2, "a": 3}'],
  ['an empty name, and brackets in texts', '{"":[],"]":{"}":"[,:\\"]"}}', '{"": [], "]": {"}": "[,:\\"]"}}'],
] as const

const MOVED = [
  [
    'sorted by the sender, as Python with sort_keys',
    '{"a":1,"b":{"c":2,"d":3}}',
    '{"b":{"d":3,"c":2},"a":1}',
  ],
  ['sorted, with blanks', '{"a": 1, "b": [{"c": 2, "d": "\\u00eb"}]}', '{"b":[{"d":"ë","c":2}],"a":1}'],
  ['sorted by a map of Go', '{"a":"\\u003cb\\u003e","b":"c"}', '{"b":"c","a":"<b>"}'],
  ['sorted by jq into a file', '{\n  "a": 1,\n  "b": 2\n}\n', '{"b":2,"a":1}'],
  [
    'numbers moved to the front by JavaScript',
    '{"b":1,"a":2,"10":3,"2":4}',
    inNode('{"b":1,"a":2,"10":3,"2":4}'),
  ],
  ['one number among names', '{"type":"x","7":1,"id":2}', inNode('{"type":"x","7":1,"id":2}')],
  [
    'numbers that fell',
    '{"a":0,"30":1,"20":2,"10":3,"5":4,"4":5}',
    inNode('{"a":0,"30":1,"20":2,"10":3,"5":4,"4":5}'),
  ],
] as const

const SORTED = [
  [
    'by Go or jq -S',
    '{"id":"evt_1","type":"made","data":{"b":1,"a":2}}',
    '{"data":{"a":2,"b":1},"id":"evt_1","type":"made"}',
  ],
  ['by Perl, of a Python sender', '{"id": 1, "created": 2, "a": 3}', '{"a":3,"created":2,"id":1}'],
] as const

const LINES = [
  [
    'two events of SendGrid',
    '[{"email":"a@b.example","timestamp":1},\r\n{"email":"c@d.example","timestamp":2}]\r\n',
  ],
  ['two events of SendGrid without a last line break', '[{"email":"a"},\r\n{"email":"b"}]'],
  ['one event of SendGrid', '[{"email":"a@b.example","timestamp":1}]\r\n'],
] as const

describe('a body that was parsed and serialised again is named', () => {
  it.each(ESCAPED)('when the sender escapes as %s does', async (_, signed, arrived) => {
    for (const [first] of await bothSay(signed, arrived))
      expect(first).toMatch(/serialised again after \S+ signed it; /)
  })

  it.each(NUMBERS)('when its numbers were rewritten: %s', async (_, signed, rewrite) => {
    const [bare, timed] = await bothSay(signed, rewrite(signed))
    expect(bare?.[0]).toMatch(/serialised again after GitHub signed it.*; verify the exact bytes/)
    // A time leaves fewer signatures to compute.
    const many = /beyond 2\^63|snowflake/.test(_)
    if (!many) expect(timed?.[0]).toMatch(/serialised again after Stripe signed it/)
  })

  it.each(KEPT)('when only its layout was changed, by what keeps %s', async (_, compact, laidOut) => {
    const both = [...(await bothSay(compact, laidOut)), ...(await bothSay(laidOut, compact))]
    for (const [first] of both) expect(first).toMatch(/serialised again/)
  })

  it.each(MOVED)('when its members were moved: %s', async (_, signed, arrived) => {
    for (const [first] of await bothSay(signed, arrived)) expect(first).toMatch(/serialised again/)
  })

  it.each(SORTED)('when its members were sorted: %s', async (_, signed, arrived) => {
    for (const [first] of await bothSay(signed, arrived))
      expect(first).toMatch(/serialised again after \S+ signed it, which (?:sorted|moved) its members; /)
  })

  it.each(LINES)('when its line breaks are gone: %s', async (_, signed) => {
    for (const [first] of await bothSay(signed, inNode(signed)))
      expect(first).toMatch(/signed (?:line breaks between the events|a line break at the end)/)
  })
})

describe('nothing is named that was not signed', () => {
  it.each([...NUMBERS, ...KEPT, ...MOVED, ...SORTED, ...ESCAPED])(
    'another body with the same mistake: %s',
    async (_, signed, arrived) => {
      const text = typeof arrived === 'string' ? arrived : arrived(signed)
      for (const [first] of await bothSay(signed.replace(/[{]/, '{"z":0,'), text))
        expect(first).toMatch(/, or \S+ did not send this; nothing more specific was found$/)
    },
  )
})

it('two events of SendGrid, with its own signature, are named', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const signed = '[{"email":"a@b.example","timestamp":1},\r\n{"email":"c@d.example","timestamp":2}]\r\n'
  const headers = {
    'x-twilio-email-event-webhook-timestamp': time,
    'x-twilio-email-event-webhook-signature': sign('sha256', Buffer.from(time + signed), privateKey).toString(
      'base64',
    ),
  }
  const publicKeys = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  const [first] = await likelyFor(sendgrid({ publicKeys }), headers, inNode(signed))
  expect(first).toMatch(
    /^SendGrid signed line breaks between the events, or at their end, that did not arrive/,
  )
})

describe('what is tried of a body is bounded', () => {
  const LENGTH = 262_144
  const filled = (item: string, start = '[', end = ']') => {
    const most = Math.floor((LENGTH - start.length - end.length) / (item.length + 1))
    return `${start}${Array.from({ length: most }, () => item).join(',')}${end}`
  }
  const levels = (count: number) => ['['.repeat(count), ']'.repeat(count)] as const
  const names = (count: number) =>
    Array.from({ length: count }, (_, index) => `k${`${index}`.padStart(6, '0')}`)

  it.each([
    ['flat', filled('{"id":1,"name":"é/<x>","price":12.5}')],
    ['64 levels', filled('1', ...levels(64))],
    ['63 levels, many times', filled(levels(62).join('1'))],
    ['empty objects', filled('{}')],
    ['sorted objects', filled('{"a":1,"b":{"c":1,"d":2}}')],
    ['20,000 sorted members', JSON.stringify(Object.fromEntries(names(20_000).map((name) => [name, {}])))],
    [
      '20,000 numbered members',
      JSON.stringify(Object.fromEntries(names(20_000).map((_, index) => [index, 1.5]))),
    ],
    [
      '20,000 fields with numbers',
      JSON.stringify(Object.fromEntries(names(20_000).map((name) => [name, 1]))),
    ],
    ['quotes', JSON.stringify('"\\'.repeat(60_000))],
    ['one large number', filled('12345678901234567000')],
    ['long digits', '1'.repeat(LENGTH)],
    ['a one and zeros', `1${'0'.repeat(LENGTH - 2)}1`],
    ['an unclosed text of quotes', '"\\'.repeat(LENGTH / 2)],
    ['an unclosed text of backslashes', `"${'\\'.repeat(LENGTH - 1)}`],
  ])('%s', (_, text) => {
    const auth = github({ secrets: SECRET })
    const listener = defineListener({ id: 'a', auth, store: memoryStore({ maxRecords: 1 }) })
    const body = Buffer.from(text)
    const { common, rare, many } = bodyGuesses(body, false, expectedSender(listener, undefined))
    let bytes = 0
    for (const guesses of [common, rare, many]) for (const guess of guesses) bytes += guess.body?.length ?? 0
    expect(bytes).toBeLessThan(common.length * LENGTH * 5 + 12_000_000)
  })
})

it('a form whose orders and spellings are many costs little more than a body of JSON', () => {
  const auth = slack({ secrets: SECRET.padEnd(32, '0') })
  const listener = defineListener({ id: 'a', auth, store: memoryStore({ maxRecords: 1 }) })
  const body = Buffer.from(['a', 'b', 'c', 'd', 'e'].map((name) => `${name}=${'+'.repeat(20_000)}`).join('&'))
  const { common, rare, many } = bodyGuesses(body, true, expectedSender(listener, undefined))
  const bytes = [...common, ...rare, ...many].reduce((sum, guess) => sum + (guess.body?.length ?? 0), 0)
  expect(bytes).toBeLessThan(common.length * body.length + 5_000_000)
})

describe('a large body costs little more than its layouts', () => {
  it.each([
    ['a flat one', '{"id":1,"name":"abc def","price":"12.5","url":"https://example.com/x","ok":true}'],
    ['one of numbers', '{"a":1,"b":2.5,"c":100,"d":7.25,"e":10,"f":3}'],
    ['one of letters', '{"name":"Zoë <b>"}'],
  ])('%s of 256 KB', (_, item) => {
    const listener = defineListener({
      id: 'a',
      auth: github({ secrets: SECRET }),
      store: memoryStore({ maxRecords: 1 }),
    })
    const body = Buffer.from(`[${Array.from({ length: 262_000 / (item.length + 2) }, () => item).join(',')}]`)
    const { common, rare, many } = bodyGuesses(body, false, expectedSender(listener, undefined))
    const bytes = [...common, ...rare, ...many].reduce((sum, guess) => sum + (guess.body?.length ?? 0), 0)
    expect(bytes).toBeLessThan(35 * body.length)
  })
})

describe('a blank behind the comma of a signature header', () => {
  const body = '{"id":"evt_1"}'
  const v1 = createHmac('sha256', `whsec_${SECRET}`).update(`${time}.${body}`).digest('hex')
  const h1 = mac(`${time}:${body}`)
  const says = (name: string) => new RegExp(`^${name} has a blank behind a comma or semicolon that`)

  it.each([
    [`t=${time}, v1=${v1}`],
    [`t=${time},  v1=${v1}, v0=${'a'.repeat(64)}`],
    [[`t=${time}`, `v1=${v1}`]],
  ])('Stripe: %s', async (header) => {
    const likely = await likelyFor(
      stripe({ secrets: `whsec_${SECRET}` }),
      { 'stripe-signature': header },
      body,
    )
    expect(likely).toEqual([expect.stringMatching(says('Stripe-Signature'))])
  })

  it('Paddle', async () => {
    const header = `ts=${time}; h1=${h1}`
    const likely = await likelyFor(paddle({ secrets: SECRET }), { 'paddle-signature': header }, body)
    expect(likely).toEqual([expect.stringMatching(says('Paddle-Signature'))])
  })

  it('Standard Webhooks', async () => {
    const key = Buffer.from('a key of this test, of some length')
    const signature = createHmac('sha256', key).update(`msg_1.${time}.${body}`).digest('base64')
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': time,
      'webhook-signature': `v1, ${signature}`,
    }
    const auth = standardWebhooks({ secrets: `whsec_${key.toString('base64')}` })
    expect(await likelyFor(auth, headers, body)).toEqual([expect.stringMatching(says('Webhook-Signature'))])
  })

  it('is not blamed for a signature of another secret', async () => {
    const header = `t=${time}, v1=${'a'.repeat(64)}`
    const [first] = await likelyFor(
      stripe({ secrets: `whsec_${SECRET}` }),
      { 'stripe-signature': header },
      body,
    )
    expect(first).toMatch(/nothing more specific was found$/)
  })
})
