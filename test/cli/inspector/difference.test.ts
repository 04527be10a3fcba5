import { expect, it } from 'vitest'
import { differenceOf } from '../../../cli/inspector/difference.ts'
import type { Inspected } from '../../../cli/inspector/inspected.ts'
import { masked, maskFor } from '../../../cli/inspector/mask.ts'
import { signHmac } from '../../../src/testing/index.ts'
import { SECRET, startInspector } from './support.ts'

const delivery = (body: string | Uint8Array, more: Partial<Inspected> = {}): Inspected => ({
  ...{
    seq: 1,
    time: '2026-11-30T00:00:00.000Z',
    listener: 'demo',
    method: 'POST',
    path: '/',
    sourceIp: null,
  },
  ...{ headers: [], body: Buffer.from(body), bytes: body.length, truncated: false, verdict: 'accepted' },
  ...{
    eventId: 'evt_1',
    eventType: null,
    unsigned: [],
    reason: null,
    status: 200,
    detail: null,
    replayOf: null,
  },
  ms: { receive: 0, decide: 0, app: null, total: 0 },
  app: null,
  ...more,
})

const changesOf = (was: string | Uint8Array, is: string | Uint8Array) =>
  differenceOf(delivery(was), delivery(is)).changes.map((change) => [change.at, change.was, change.is])

it.each([
  ['one changed digit', '{"amount":2000}', '{"amount":9000}', [[10, '2', '9']]],
  [
    'two changes far apart',
    `{"a":1,"b":"${'x'.repeat(90)}","c":1}`,
    `{"a":2,"b":"${'x'.repeat(90)}","c":3}`,
    [
      [5, '1', '2'],
      [108, '1', '3'],
    ],
  ],
  ['an added member', '{"a":1}', '{"a":1,"b":2}', [[6, '', ',"b":2']]],
  [
    'white space',
    '{"a":1,"b":2}',
    '{"a": 1, "b": 2}',
    [
      [5, '', ' '],
      [7, '', ' '],
      [11, '', ' '],
    ],
  ],
  ['a line break at the end', '{}', '{}\n', [[2, '', '\n']]],
  ['everything', 'abc', '', [[0, 'abc', '']]],
  ['nothing', '{"a":1}', '{"a":1}', []],
  ['a part of a character', '"ü"', '"ö"', [[2, 'ü', 'ö']]],
  ['a character of another length', '"u"', '"ü"', [[1, 'u', 'ü']]],
])('the difference names %s, byte by byte', (_, was, is, changes) => {
  expect(changesOf(was, is)).toEqual(changes)
})

it('bytes that are no UTF-8 are named by their numbers', () => {
  expect(changesOf(Uint8Array.of(0x41, 0xff, 0x42), Uint8Array.of(0x41, 0xfe, 0x42))).toEqual([
    [1, '\\xff', '\\xfe'],
  ])
})

it.each([
  ['before', (by: string) => `${by.repeat(1_000)}\x80`, (rest: string) => rest],
  ['after', () => '', (rest: string, by: string) => `${rest}\x80${by.repeat(1_000)}`],
] as const)(
  'a change reaches at most three bytes %s it, even between bytes that are no UTF-8',
  (_, ahead, and) => {
    const [was, is] = [
      ['\x82', 'A\x80'],
      ['\x83', '\x80A'],
    ].map(([byte = '', by = '']) => Buffer.from(ahead(by) + and(byte, by), 'latin1'))
    const changes = differenceOf(delivery(was ?? ''), delivery(is ?? '')).changes
    expect(changes).toHaveLength(2)
    const { was: shown = '' } = changes.find(({ was }) => was.includes('\\x82')) ?? {}
    expect(shown.match(/\\x..|./g)).toHaveLength(4)
  },
)

it('a body that begins within a character is shown from its first byte', () => {
  expect(changesOf(Uint8Array.of(0x80, 0x41), Uint8Array.of(0x81, 0x41))).toEqual([[0, '\\x80', '\\x81']])
})

it('every change, applied to the accepted body, gives the other body', () => {
  const letters = 'ab{}":, 12\n'
  let state = 7
  const next = (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  const text = () => Array.from({ length: next(40) }, () => letters[next(letters.length)]).join('')
  for (let round = 0; round < 2_000; round += 1) {
    const was = text()
    const at = next(was.length + 1)
    const is = next(3) === 0 ? text() : was.slice(0, at) + text().slice(0, 3) + was.slice(at + next(4))
    let [made, end] = ['', 0]
    for (const [at, old, now] of changesOf(was, is) as [number, string, string][]) {
      expect(was.slice(at, at + old.length)).toBe(old)
      made += was.slice(end, at) + now
      end = at + old.length
    }
    expect(made + was.slice(end)).toBe(is)
  }
})

it('two long bodies are compared in less than a second, however they differ, and their difference stays short', () => {
  const long = 4 * 2 ** 20
  const [a, b] = ['a'.repeat(long), 'b'.repeat(long)]
  const words = (word: string) => `${word} `.repeat(15_000)
  const pairs = [
    [a, b],
    [a, `${b}c`],
    [`1${a}1${a}`, `2${a}2${a}`],
    [words('a'), `x${words('b')}`],
    [words('a'), words('a a b')],
    ['{'.repeat(60_000), '['.repeat(59_999)],
    [words('a'), `b ${words('a')}${words('c')}`],
  ]
  for (const [was = '', is = ''] of pairs) {
    const before = process.cpuUsage()
    const difference = differenceOf(delivery(was), delivery(is))
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000) // not the time on a busy machine
    expect(difference.changes.length).toBeGreaterThan(0)
    expect(JSON.stringify(difference).length).toBeLessThan(40_000)
  }
  expect(changesOf(`1${a}1${a}`, `2${a}2${a}`)).toEqual([
    [0, '1', '2'],
    [long + 1, '1', '2'],
  ])
})

it('the difference has the headers that differ, and none of which a part is hidden', () => {
  const accepted = delivery('{}', {
    headers: [
      ['Host', 'a'],
      ['X-Team', 'one'],
      ['Stripe-Signature', `t=1,v1=${'a'.repeat(64)}`],
      ['Cookie', 'pin=1'],
      ['X-Old', '1'],
    ],
  })
  const other = delivery('{}', {
    headers: [
      ['host', 'a'],
      ['x-team', 'two'],
      ['X-Team', 'three'],
      ['Stripe-Signature', `t=2,v1=${'b'.repeat(64)}`],
      ['Cookie', 'pin=22'],
      ['X-New', SECRET],
    ],
  })
  const mask = maskFor([SECRET], ['stripe-signature'])
  const { headers } = differenceOf(masked(accepted, mask), masked(other, mask))
  expect(headers).toEqual([
    { name: 'x-team', was: 'one', is: 'two, three' },
    { name: 'x-old', was: '1', is: null },
    { name: 'x-new', was: null, is: '(the secret)' },
  ])
})

it('a tampered delivery is compared with the last accepted one of its ID, and a secret in a body stays hidden', async () => {
  const { ask, deliver } = await startInspector()
  const at = async (seq: number) => (await ask(`deliveries/${seq}`)).json()
  const body = (amount: number) => JSON.stringify({ amount, echoed: SECRET })
  const signed = await signHmac({
    secret: SECRET,
    body: body(2_000),
    eventId: '0b4d5b0e-6f5c-4f0e-8b52-0a8f0c9a7b11',
  })
  await deliver(signed)
  await deliver(await signHmac({ secret: SECRET, body: '{}' }))
  await deliver({ ...signed, body: body(9_000) })
  const tampered = await at(3)
  expect(tampered).toMatchObject({
    reason: 'signature_mismatch',
    difference: { seq: 1, changes: [{ at: 10, was: '2', is: '9', before: '{"amount":' }], headers: [] },
  })
  expect(JSON.stringify(tampered)).not.toContain(SECRET)
  expect(await at(2)).not.toHaveProperty('difference')
  await deliver(signed)
  expect(await at(4)).toMatchObject({ reason: 'event_duplicate', difference: { seq: 1, changes: [] } })
  await deliver({ ...signed, headers: { ...signed.headers, 'webhook-event-id': 'x'.repeat(9_000) } })
  expect(await at(5)).not.toHaveProperty('difference')
})

it('the page searches bodies for words in any letter case, and finds no secret that it hides', async () => {
  const { ask, deliver } = await startInspector()
  for (const body of ['{"name":"Zoë Straße"}', '{"name":"Ann"}', JSON.stringify({ echoed: SECRET })])
    await deliver(await signHmac({ secret: SECRET, body }))
  const found = async (...words: unknown[]) => (await ask('search', { words })).json()
  expect(await found('zoë')).toEqual({ found: [1] })
  expect(await found('name', 'ann')).toEqual({ found: [2] })
  expect(await found('name')).toEqual({ found: [1, 2] })
  expect(await found('<script>')).toEqual({ found: [] })
  for (let length = 4; length <= SECRET.length; length += 4)
    expect(await found(SECRET.slice(0, length))).toEqual({ found: [] })
  for (const words of [['x'.repeat(201)], Array(9).fill('a'), [''], [1], 'a', undefined]) {
    const answer = await ask('search', { words })
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: 'Search for at most 8 words of 200 characters.' },
    ])
  }
  expect((await ask('search', { words: ['x'.repeat(20_000)] })).status).toBe(400)
})

it('the page searches the 256 KB of a body that it shows, and a secret across their end stays hidden', async () => {
  const { ask, deliver } = await startInspector(['--max-body', '1mb'])
  const ending = (text: string, at: number) => `"${'x'.repeat(256 * 1024 - at - 1)}${text}"`
  for (const body of [ending('needle', 6), ending('needle', 5), ending(SECRET, 12)])
    expect(await deliver(await signHmac({ secret: SECRET, body }))).toBe(200)
  const found = async (word: string) => (await ask('search', { words: [word] })).json()
  expect(await found('needle')).toEqual({ found: [1] })
  expect(await found('needl')).toEqual({ found: [1, 2] })
  expect(await found(SECRET.slice(0, 12))).toEqual({ found: [] })
})
