import { describe, expect, it } from 'vitest'
import { hmacMethod } from '../../../cli/commands/conform/methods.ts'
import { eventCases, refusalCases } from '../../../cli/commands/conform/own-cases.ts'
import { type CaseResult, resultsOf } from '../../../cli/commands/conform/run.ts'
import { plainReceiver, RIGHT, type Steps } from './plain-receiver.ts'

const SECRET = 'Zk3x8bY1cD-eF_gH2iJ4kL6mN8oP0qRsTuVwXyZaBcD'
const lenientJson = (body: Buffer) => Buffer.from(JSON.stringify(JSON.parse(body.toString('utf8'))))

/** A developer's mistake, and the cases that must show it. */
const FAULTS: readonly (readonly [fault: string, wrong: Partial<Steps>, shownBy: readonly string[]])[] = [
  ['takes any timestamp', { isFresh: () => true }, ['a timestamp 320 s old', 'a timestamp 320 s ahead']],
  [
    'takes timestamps in the future',
    { isFresh: (sentAt, now) => now - sentAt <= 300 },
    ['a timestamp 320 s ahead'],
  ],
  [
    'tolerates 4 minutes only',
    { isFresh: (sentAt, now) => Math.abs(now - sentAt) <= 240 },
    ['290 s old', '290 s ahead'],
  ],
  [
    'reads timestamps with Number',
    { seconds: Number },
    [
      'a timestamp with a fraction',
      'a timestamp with a zero in front',
      'a timestamp with a plus sign',
      'a timestamp in hexadecimal',
    ],
  ],
  [
    'reads timestamps with parseInt',
    { seconds: (text) => Number.parseInt(text, 10) },
    ['a timestamp with words behind it'],
  ],
  [
    'takes milliseconds',
    { seconds: (text) => (text.length > 11 ? Number(text) / 1000 : Number(text)) },
    ['a timestamp in milliseconds'],
  ],
  [
    'reads timestamps with Date',
    { seconds: (text) => (Number.isNaN(Number(text)) ? Date.parse(text) / 1000 : Number(text)) },
    ['a timestamp in ISO 8601'],
  ],
  [
    'takes any event ID',
    { isEventId: () => true },
    ['the nil UUID for an event ID', 'an event ID in braces'],
  ],
  [
    'takes UUIDs of any version',
    { isEventId: (id) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id) },
    ['a UUID v1 for an event ID', 'a UUID v7 for an event ID'],
  ],
  [
    'looks for a UUID anywhere in the value',
    { isEventId: (id) => /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/i.test(id) },
    ['an event ID with urn:uuid: in front'],
  ],
  [
    'takes lower-case UUIDs only',
    { isEventId: (id) => id === id.toLowerCase() && RIGHT.isEventId(id) },
    ['an event ID in upper case'],
  ],
  ['treats event IDs as case-sensitive', { eventKey: (id) => id }, ['the same event in upper case']],
  ['remembers nothing', { remembers: 'never' }, ['the same event, newly signed']],
  ['answers 200 to a duplicate', { duplicateStatus: 200 }, ['the same event, newly signed']],
  [
    'remembers events before verifying',
    { remembers: 'before the signature' },
    ['the same event with a wrong signature', 'the same event, correctly signed'],
  ],
  [
    'serialises the body again before verifying',
    { input: (timestamp, id, body) => RIGHT.input(timestamp, id, lenientJson(body)) },
    ['a body with spaces and a line break', 'a repeated member'],
  ],
  [
    'reads the body as Latin-1',
    { input: (timestamp, id, body) => RIGHT.input(timestamp, id, Buffer.from(body.toString('latin1'))) },
    ['a body beyond ASCII'],
  ],
  ['accepts unsigned deliveries', { isSignatureNeeded: false }, ['no signature', 'an empty signature']],
  ['answers 400 without a signature', { missingStatus: 400 }, ['no signature']],
  ['answers 403 to a wrong signature', { mismatchStatus: 403 }, ['a signature with one bit changed']],
  [
    'never compares the signature',
    { matches: () => true },
    ['a signature with one bit changed', 'an empty secret'],
  ],
  [
    'compares decoded bytes',
    { matches: (given, mac) => Buffer.from(given, 'base64url').equals(mac) },
    ['a signature in another spelling of the same bytes', 'a signature with padding'],
  ],
  [
    'compares only a prefix',
    { matches: (given, mac) => mac.toString('base64url').startsWith(given) },
    ['a signature that lacks its end'],
  ],
  [
    'looks for the signature in the header',
    { matches: (given, mac) => given.includes(mac.toString('base64url')) },
    ['a signature prefixed with sha256=', 'two signatures in one header'],
  ],
  [
    'also takes hexadecimal',
    { matches: (given, mac) => given === mac.toString('hex') || RIGHT.matches(given, mac) },
    ['a signature in hexadecimal'],
  ],
  ['signs the body alone', { input: (_, __, body) => body }, ['a delivery', 'a signature of the body alone']],
  [
    'leaves the event ID out',
    { input: (timestamp, _, body) => Buffer.concat([Buffer.from(`${timestamp}.`), body]) },
    ['a delivery', 'a signature of timestamp and body'],
  ],
  [
    'puts the ID before the timestamp',
    { input: (timestamp, id, body) => RIGHT.input(id, timestamp, body) },
    ['a delivery', 'a signature with the ID before the timestamp'],
  ],
  [
    'decodes the secret',
    { key: (secret) => Buffer.from(secret, 'base64url') },
    ['a delivery', 'a secret decoded from base64url'],
  ],
  [
    'reads the secret with its line break',
    { key: (secret) => `${secret}\n` },
    ['a delivery', 'a secret with a line break at its end'],
  ],
  ['lost its secret', { key: () => '' }, ['a delivery', 'an empty secret']],
  ['takes any body', { isJson: () => true }, ['an empty body', 'a body with one bracket too many']],
  [
    'skips a byte order mark',
    { isJson: (body) => RIGHT.isJson(body[0] === 0xef ? body.subarray(3) : body) },
    ['JSON behind a byte order mark'],
  ],
  [
    'takes broken UTF-8',
    { isJson: (body) => RIGHT.isJson(Buffer.from(body.toString('utf8'))) },
    ['JSON in Latin-1'],
  ],
  [
    'takes objects only',
    { isJson: (body) => RIGHT.isJson(body) && typeof JSON.parse(body.toString()) === 'object' },
    ['a body that is a number'],
  ],
  ['has no limit', { mostBytes: 1_000_000 }, ['a body of 65,537 bytes']],
  ['has a limit of 65,535 bytes', { mostBytes: 65_535 }, ['a body of 65,536 bytes']],
  ['takes any content type', { isType: () => true }, ['plain text', 'a form']],
  [
    'compares the content type as text',
    { isType: (type) => type === 'application/json' },
    ['a content type with a charset', 'a content type in capitals'],
  ],
  [
    'looks for json in the content type',
    { isType: (type) => /json/i.test(type) },
    ['another kind of JSON', 'JSON that says it is Latin-1'],
  ],
  ['ignores the content encoding', { isEncoding: () => true }, ['a body that says it is compressed']],
  ['takes any method', { isMethod: () => true }, ['the method PUT', 'the method PATCH']],
  [
    'takes the first of repeated headers',
    { one: (values) => values[0] || undefined },
    ['content-type twice', 'webhook-timestamp twice', 'webhook-event-id twice', 'webhook-signature twice'],
  ],
]

async function conform(wrong: Partial<Steps> = {}): Promise<CaseResult[]> {
  const url = await plainReceiver(SECRET, wrong)
  const method = hmacMethod(SECRET)
  const seen: CaseResult[] = []
  for await (const finding of resultsOf(new URL(url), [...eventCases(method), ...refusalCases(method)]))
    seen.push(finding)
  return seen
}

describe('conform', () => {
  it('conform finds nothing in a correct receiver that does not use hookgate', async () => {
    expect((await conform()).filter(({ result }) => result !== 'ok')).toEqual([])
  })

  it('conform is tested with more than 25 faults', () => {
    expect(new Set(FAULTS.map(([fault]) => fault)).size).toBeGreaterThanOrEqual(25)
  })

  it.each(FAULTS)('conform finds a receiver that %s, and reports little else', async (_, wrong, shownBy) => {
    const broken = (await conform(wrong)).filter(({ result }) => result === 'broken')
    expect(broken.map(({ name }) => name)).toEqual(expect.arrayContaining([...shownBy]))
    for (const { rule } of broken)
      expect(rule, 'a sentence in RULES of cli/commands/conform/case.ts').toMatch(/^[A-Z].{10,}\.$/)
    if (shownBy.includes('a delivery')) return // Nothing is accepted, so much else is broken too.
    const own = new Set(broken.filter(({ name }) => shownBy.includes(name)).map(({ rule }) => rule))
    const others = new Set(broken.map(({ rule }) => rule).filter((rule) => !own.has(rule)))
    expect([...others].length).toBeLessThanOrEqual(2)
  })

  it('conform skips cases that prove nothing about a receiver that accepts nothing', async () => {
    const seen = await conform({ isFresh: () => false })
    expect(seen.find(({ name }) => name === 'the same event, newly signed')).toMatchObject({
      result: 'skipped',
    })
  })
})
