import { createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { forgedFrom } from '../schemes/forged-requests.ts'
import { deliveryOf, files } from '../support/vectors.ts'
import { type Random, randomFrom } from './random.ts'
import {
  type Asked,
  askHookgate,
  askReader,
  FILE,
  pythonProblem,
  READER,
  rows,
  urlsFrom,
  type Verdict,
} from './reader.ts'
import { strictRequests } from './strict-requests.ts'
import { SMALL_ORDER } from './weak-keys.ts'

/** Over all rows that are data. `npm run test:forgeries` makes 20,000. */
const MUTATIONS = Number(process.env.HOOKGATE_MUTATIONS ?? 0) > 0 ? 20_000 : 1500
const SEED = inject('seed') ?? Date.now() % 2 ** 31

const VERDICTS = fileURLToPath(new URL('../vectors/verdicts.json', import.meta.url))

const asData = rows.filter(({ code }) => !code)
const rowOf = (scheme: string) => asData.find(({ name }) => name === scheme)

/** A reply's headers and text, the same however its JSON is spaced. */
function comparable({ reply, ...verdict }: Verdict): object {
  if (reply === undefined) return verdict
  const isJson = reply.body.startsWith('{')
  return { reply: { ...reply, body: isJson ? JSON.parse(reply.body) : reply.body } }
}

const answers = new Map<Asked, Promise<Verdict>>()

/** TypeScript's verdict, found once. */
function told(asked: Asked): Promise<Verdict> {
  const answer = answers.get(asked) ?? askHookgate(asked)
  answers.set(asked, answer)
  return answer
}

/** Rows whose claim needs code name no keys. */
const expected = (asked: Asked, verdict: Verdict): object =>
  comparable(rowOf(asked.scheme)?.claimedId === 'code' && verdict.keys ? { ...verdict, keys: null } : verdict)

/**
 * Out of the reader's scope: it parses a body before the signature in it is known as strictly as after. TypeScript finds the members of some
 * malformed ones, and refuses those once the signature has fitted.
 */
const isMalformedEither = ({ scheme }: Asked, mine: Verdict, theirs: Verdict) =>
  rowOf(scheme)?.signs?.includes('{/') &&
  mine.reason === 'body_not_json' &&
  /^(?:auth_missing|signature_mismatch)$/.test(`${theirs.reason}`)

/** Requests that the two judge otherwise. */
async function disagreements(requests: readonly (Asked & { readonly what: string })[]) {
  const read = askReader(requests)
  const found: object[] = []
  for (const [index, asked] of requests.entries()) {
    const [mine, theirs] = [await told(asked), read[index] ?? {}]
    if (isMalformedEither(asked, mine, theirs)) continue
    const { scheme, what, method, url, headers, body } = asked
    const request = { scheme, what, method, url, headers, body: body.toString('latin1') }
    if (JSON.stringify(sorted(expected(asked, mine))) !== JSON.stringify(sorted(comparable(theirs))))
      found.push({ mine, theirs, request })
  }
  return { read, found }
}

const sorted = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .sort()
          .map(([name, each]) => [name, sorted(each)]),
      )
    : value

const all = files.flatMap(({ scheme, options, now, cases, fetches }) =>
  cases.map((given) => {
    const { method, url, body } = deliveryOf(given)
    const { headers, name, options: others, expect } = given
    const asked = { scheme, now, fetches, method, url, headers, body: Buffer.from(body), what: name }
    return { ...asked, options: { ...options, ...others }, isGenuine: expect.ok && others === undefined }
  }),
)
const vectors = all.filter(({ scheme }) => rowOf(scheme))

const handshakes = JSON.parse(
  readFileSync(new URL('../vectors/schemes/handshakes.json', import.meta.url), 'utf8'),
)
  .filter(({ scheme }: Asked) => rowOf(scheme)?.handshake?.answers)
  .map(({ request, name, ...rest }: { request: Omit<Asked, 'body'> & { body: string }; name: string }) => ({
    ...rest,
    ...request,
    body: Buffer.from(request.body),
    what: name,
  })) as readonly (Asked & { readonly what: string })[]

/** As test/vectors/verdicts.json has it. */
function verdictText({ keys, reason, reply }: Verdict): string {
  return JSON.stringify(reply ? 'handshake' : (reason ?? keys ?? null))
}

it('test/vectors/verdicts.json has the reason or the claim keys of each vector (npm run docs:verdicts)', async () => {
  const made = new Map<string, string[]>()
  for (const asked of all) {
    const verdict = verdictText(await told(asked))
    made.set(asked.scheme, [...(made.get(asked.scheme) ?? []), verdict])
  }
  const lines = [...made].map(([scheme, verdicts]) => `"${scheme}": [\n${verdicts.join(',\n')}\n]`)
  await expect(`{\n${lines.join(',\n')}\n}\n`).toMatchFileSnapshot(VERDICTS)
})

/**
 * The keys of the first vector of a row for each kind of `dedupe`, made by hand with `sha256sum`. In the hash, the 13th digit became 8, and the
 * 17th 8, 9, a or b.
 */
const BY_HAND: readonly (readonly [scheme: string, kind: string, how: string, keys: readonly string[]])[] = [
  // evt_1SVa2bCZ6qsJgndJ8sMvqvXZ: 8524fe3e 4fde d812 6af9 3fd74613e8b9…
  ['stripe', 'id', 'the ID', ['8524fe3e-4fde-8812-aaf9-3fd74613e8b9']],
  ['gitlab', 'id', 'the ID, which is a UUID of version 4', ['f5e5f430-f57b-4e6e-9fac-d9128cd7232f']],
  // 01234567-89ab-cdef-0123456789ab, a line feed, 10: b5df05e5 010e 2302 3ad7 1186912a3139…
  ['google-channels', 'id', 'channel and number', ['b5df05e5-010e-8302-bad7-1186912a3139']],
  // the body: 80b90e52 6769 263c 3796 9c0da10beb63…
  ['github', 'signed-bytes', 'the body', ['80b90e52-6769-863c-b796-9c0da10beb63']],
  // 1763640000.{body}: ab8fdda8 e3c7 dd3e e627 50ff1c9d5dcb…
  ['buildkite', 'signed-bytes', 'time and body', ['ab8fdda8-e3c7-8d3e-a627-50ff1c9d5dcb']],
  // order.created, a line feed, the body: 1ba5c1cd 85c7 8948 9188 018470ad974b…
  ['woocommerce', 'signed-bytes-per-topic', 'topic and body', ['1ba5c1cd-85c7-8948-9188-018470ad974b']],
  // the body, 2025-11-20T12:00:00.000Z: f096fc96 98b3 e1ce 3512 c2b986f43957…, and the UUID /id
  [
    'box',
    'signed-bytes-and-id',
    'both, in this order',
    ['f096fc96-98b3-81ce-b512-c2b986f43957', 'eb0c4e06-751f-442c-86f8-fd5bb404dbec'],
  ],
  ['dropbox', 'off', 'nothing', []],
]

describe('claim keys', () => {
  const verdicts = JSON.parse(readFileSync(VERDICTS, 'utf8'))

  it.each(BY_HAND)('the keys of %s (%s: %s) are those made by hand', (scheme, kind, _, keys) => {
    expect(verdicts[scheme][0]).toEqual(keys)
    expect(rowOf(scheme)?.dedupe).toBe(kind)
  })

  it('the table has each kind of `dedupe`', () => {
    const kinds = new Set(rows.map(({ dedupe }) => dedupe))
    expect([...kinds].sort()).toEqual([...new Set(BY_HAND.map(([, kind]) => kind))].sort())
  })
})

describe('languages/python/hookgate.py, which reads nothing but schemes.json', () => {
  it('it and the programs on its page are Python 3.9', () => {
    const page = readFileSync(new URL('../../languages/python/README.md', import.meta.url), 'utf8')
    const programs = [...page.matchAll(/^```python\n(.*?)^```$/gms)].map(([, program]) => program)
    expect(programs.length).toBeGreaterThan(3)
    expect(pythonProblem([readFileSync(READER, 'utf8'), ...programs])).toBe('')
  })

  it('at least 105 rows are data', () => {
    expect(asData.length).toBeGreaterThanOrEqual(105)
  })

  it('it gives the verdict, the reason and the claim keys of TypeScript for each vector of each row that is data', async () => {
    const { found } = await disagreements(vectors)
    expect(found).toEqual([])
    expect(vectors.length).toBeGreaterThan(4900)
  })

  it('it reads odd bodies, numbers, content types, queries and lists as TypeScript does, behind a right signature', async () => {
    const requests = await strictRequests()
    const { read, found } = await disagreements(requests)
    expect(found.slice(0, 5)).toEqual([])
    const reasons = new Set(read.map(({ reason = 'accepted' }) => reason))
    expect([...reasons]).toEqual(
      expect.arrayContaining([
        ...['accepted', 'body_not_json', 'body_malformed', 'content_type_not_accepted'],
        ...['signature_mismatch', 'event_id_malformed'],
      ]),
    )
  })

  it('it takes no public key for which anyone can forge signatures', () => {
    const genuine = vectors.find(({ scheme }) => scheme === 'discord')
    const requests = SMALL_ORDER.map((key) => ({
      ...genuine,
      options: { publicKeys: Buffer.from(key, 'base64url').toString('hex') },
    }))
    for (const { unusable } of askReader(requests as unknown as readonly Asked[]))
      expect(unusable).toContain('not safe')
  })

  it.each([1, 2, 2 ** 32 + 1])('it takes no RSA key whose exponent is %i', (exponent) => {
    const genuine = vectors.find(({ scheme }) => rowOf(scheme)?.algorithm === 'rsa-v1_5-sha256')
    const { n = '' } = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })
    const e = Buffer.from(exponent.toString(16).padStart(10, '0'), 'hex').toString('base64url')
    const key = createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' })
    const publicKeys = key.export({ format: 'pem', type: 'spki' })
    const [answer] = askReader([{ ...genuine, options: { publicKeys } }] as unknown as readonly Asked[])
    expect(answer?.unusable).toContain('its exponent')
  })

  it.each([
    ...[
      'None',
      'None&None',
      'undefined&undefined',
      'client-id&',
      '&secret',
      'client-id&null',
      'undefined&secret',
    ],
    ...[
      'undefined"\'',
      'undefined " ',
      '[object Foo_1]',
      'undefined\ufeff',
      'whsec_undefined',
      'Bearer ',
      '""',
    ],
  ])('it takes no secret that was made of a variable without a value: %s', (secrets) => {
    const genuine = vectors.find(({ scheme }) => scheme === 'surveymonkey')
    const [answer] = askReader([{ ...genuine, options: { secrets } }] as unknown as readonly Asked[])
    expect(answer?.unusable).toContain('a variable that is not set')
  })

  it.each(['', ' ', 'undefined', '"None"', 'Bearer ', '[object Promise]'])(
    'it takes no verify token that was made of a variable without a value: %j',
    (verifyToken) => {
      const genuine = vectors.find(({ scheme }) => scheme === 'meta')
      const ask = (token: string) =>
        askReader([
          { ...genuine, options: { secrets: 'c0ffee', verifyToken: token } },
        ] as unknown as readonly Asked[])
      expect(ask(verifyToken)[0]?.unusable).toBe('verify_token was made of a variable that is not set')
      expect(ask('a token')[0]?.unusable).toBeUndefined()
    },
  )

  it.each(['abc&', 'a&&b', '&secretsecret', 'nullable', 'a null&b', 'Bearer x', '"a'])(
    'it takes %s as a secret',
    (secrets) => {
      const genuine = vectors.find(({ scheme }) => scheme === 'github')
      const [answer] = askReader([{ ...genuine, options: { secrets } }] as unknown as readonly Asked[])
      expect(answer?.unusable).toBeUndefined()
    },
  )

  it('a public key is no secret, for which everybody could sign', () => {
    const point = Buffer.from([88, ...Array.from({ length: 31 }, () => 0x66)])
    const signature = createHmac('sha256', point).update('msg_1.1700000000.{}').digest('base64')
    const webhook = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1700000000',
      'webhook-signature': `v1,${signature}`,
    }
    const request = { now: 1_700_000_000, method: 'POST', body: Buffer.from('{}') }
    const [bare, github] = askReader([
      {
        ...request,
        scheme: 'standard-webhooks',
        options: { publicKeys: point.toString('base64') },
        headers: Object.entries({ ...webhook, 'content-type': 'application/json' }),
      },
      { ...request, scheme: 'github', options: { publicKeys: 'a text' }, headers: [] },
    ])
    expect(bare).toEqual({ reason: 'signature_mismatch' })
    expect(github?.unusable).toContain('has no public key')
  })

  it('its recipes give the reader a question mark of the path as %3F, so no query begins there', () => {
    const page = readFileSync(new URL('../../languages/python/README.md', import.meta.url), 'utf8')
    const recipes = [...page.matchAll(/^```python\n(# (?:Flask|FastAPI).*?)^```$/gms)].map(([, text]) => text)
    expect(recipes).toHaveLength(2)
    expect(urlsFrom(recipes)).toEqual(['/webhooks/stripe%3Fa%3D1?b=%20', '/webhooks/stripe%3Fa%3D1?b=%20'])
  })

  it('it answers the handshakes that are data, and refuses those that need code', async () => {
    const { read, found } = await disagreements(handshakes)
    const needCode = (found as readonly { request: { scheme: string }; theirs: Verdict }[]).filter(
      ({ request, theirs }) => rowOf(request.scheme)?.handshake?.code && theirs.reason,
    )
    expect(found).toEqual(needCode)
    const answered = new Set(handshakes.filter((_, index) => read[index]?.reply).map(({ scheme }) => scheme))
    const withAnswers = asData.filter(({ handshake }) => handshake?.answers)
    expect([...answered].sort()).toEqual(withAnswers.map(({ name }) => name))
    expect(read.filter(({ reply }) => reply).length).toBeGreaterThan(30)
  })

  it(`it judges changed deliveries as TypeScript does, and accepts none whose body is signed and was never sent (HOOKGATE_SEED=${SEED})`, async () => {
    const random: Random = randomFrom(SEED)
    const genuine = new Map<string, typeof vectors>()
    for (const each of vectors.filter(({ isGenuine }) => isGenuine))
      genuine.set(each.scheme, [...(genuine.get(each.scheme) ?? []), each])
    const pairs = [...genuine.values()]
    const changed = Array.from({ length: MUTATIONS }, (_, index) => {
      const seen = pairs[index % pairs.length] ?? []
      const from = random.pick(seen)
      return { ...from, ...forgedFrom(from, random, seen) }
    })
    const { read, found } = await disagreements(changed)
    expect(found.slice(0, 5)).toEqual([])
    const forged = changed.filter(({ scheme, body }, index) => {
      const signs = rowOf(scheme)?.signs ?? ''
      const isNew = !genuine.get(scheme)?.some((sent) => sent.body.equals(body))
      return read[index]?.id !== undefined && signs.includes('{body}') && isNew
    })
    expect(forged).toEqual([])
    expect(read.filter(({ reason }) => reason === 'signature_mismatch').length).toBeGreaterThan(MUTATIONS / 5)
  })
})

const DESCRIBES = ['about', 'retries', 'documentation']

/** The value once for each object in it, at any depth, with a member more. */
function enlarged(value: object): readonly object[] {
  const within = Object.entries(value).flatMap(([name, each]) => {
    if (typeof each !== 'object' || each === null || DESCRIBES.includes(name)) return []
    return enlarged(each).map((larger) =>
      Array.isArray(value) ? value.with(+name, larger) : { ...value, [name]: larger },
    )
  })
  return Array.isArray(value) ? within : [{ ...value, invented: true }, ...within]
}

describe('a row that says more than a reader knows', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-rows-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const published = JSON.parse(readFileSync(FILE, 'utf8'))
  const stripe = published.schemes.find(({ name }: { name: string }) => name === 'stripe')
  const genuine = vectors.find(({ scheme, isGenuine }) => scheme === 'stripe' && isGenuine)

  const replying = (reply: object) => ({ signed: true, answers: [{ reply: { status: 200, ...reply } }] })
  const REFUSED: readonly (readonly [what: string, change: object])[] = [
    ['an unknown member', { alsoSigns: 'x-version' }],
    ['an unknown member of its signature', { signature: { ...stripe.signature, hashed: true } }],
    ['an algorithm that nobody described', { algorithm: 'hmac-sha3-256' }],
    ['an unknown unit of its time', { timestamp: { ...stripe.timestamp, unit: 'minutes' } }],
    ['a way to identify events that nobody described', { dedupe: 'signed-parts' }],
    ['a number where a text belongs', { signs: 7 }],
    ['a part of the signed text that nobody described', { signs: '{nonce}.{body}' }],
    ['a part of its reply that nobody described', { handshake: replying({ json: { a: '{time}' } }) }],
    ['an unknown member of its handshake', { handshake: { signed: true, nonce: 'x' } }],
    ['a header that must fit a list', { fixedHeaders: { 'x-version': ['1', '2'] } }],
    ['a header with two others in its place', { otherHeaders: { 'stripe-signature': ['a', 'b'] } }],
    ['a separator that nobody described', { signature: { ...stripe.signature, writtenSeparator: '|' } }],
    ['a reply with an object in it', { handshake: replying({ json: { a: { b: '{text}' } } }) }],
    ['a reply with a list of headers', { handshake: replying({ headers: { a: ['{text}'] } }) }],
    [
      'a condition that nobody described',
      { handshake: { signed: true, answers: [{ when: [{ is: { not: 1 } }] }] } },
    ],
    ['a member of its content that nobody described', { content: [{ ...stripe.content[0], packed: true }] }],
  ]
  const USED: readonly (readonly [what: string, change: object])[] = [
    ['retries', { retries: { ...stripe.retries, jitter: true } }],
    ['documentation', { documentation: { ...stripe.documentation, language: 'en' } }],
    ['about', { about: { colour: 'blue' } }],
    ['notCovered', { notCovered: ['a list'] }],
  ]

  it('is refused alone if the new is in what decides, and used if it is in what only describes', () => {
    const changed = [...REFUSED, ...USED].map(([name, change]) => ({ ...stripe, ...change, name }))
    const path = join(folder, 'schemes.json')
    writeFileSync(path, JSON.stringify({ ...published, schemes: changed }))
    const asked = changed.map(({ name }) => ({ ...genuine, scheme: name })) as readonly Asked[]
    const read = new Map(askReader(asked, path).map((verdict, index) => [changed[index]?.name, verdict]))
    for (const [name] of REFUSED) expect(read.get(name)?.unusable).toContain(`the row ${name} has /`)
    for (const [name] of USED) expect(read.get(name)?.keys, name).toHaveLength(1)
  })

  it('is refused by name for an unknown member in any of its objects that decide, in each row that is data', () => {
    const changed = published.schemes
      .filter(({ code }: { code: boolean }) => !code)
      .flatMap((row: { readonly name: string }) =>
        enlarged(row).map((larger, at) => ({ ...larger, name: `${row.name} ${at}`, of: row.name })),
      )
    const path = join(folder, 'larger.json')
    const schemes = changed.map(({ of: _, ...row }: { readonly of: string }) => row)
    writeFileSync(path, JSON.stringify({ ...published, schemes }))
    const asked = changed.map(({ name, of }: { readonly name: string; readonly of: string }) => ({
      ...vectors.find(({ scheme, isGenuine }) => scheme === of && isGenuine),
      scheme: name,
    }))
    const read = askReader(asked, path)
    expect(read).toHaveLength(changed.length)
    for (const [at, { unusable }] of read.entries())
      expect(unusable, changed[at].name).toContain(`the row ${changed[at].name} has /`)
    expect(changed.length).toBeGreaterThan(600)
  })

  it('a file of another version is refused as a whole', () => {
    const path = join(folder, 'other.json')
    writeFileSync(path, JSON.stringify({ ...published, formatVersion: 2 }))
    expect(() => askReader(vectors.slice(0, 1), path)).toThrow(/formatVersion 2/)
  })
})
