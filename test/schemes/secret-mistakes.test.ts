import { createSecretKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { checkSecretShape } from '../../cli/commands/doctor/secret-shape.ts'
import { explain } from '../../src/explain/index.ts'
import { defineListener, ListenerConfigError, verify } from '../../src/index.ts'
import { github } from '../../src/schemes/github.ts'
import { defineScheme, type SchemeOptions, type SenderScheme } from '../../src/schemes/kit/index.ts'
import { prefixOf } from '../../src/schemes/kit/secret-forms.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import fc from '../support/property.ts'
import { type AnyFactory, SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'

interface Vectors {
  readonly options: SchemeOptions
  readonly now: number
  readonly cases: readonly {
    readonly method: string
    readonly url?: string
    readonly requestUrl?: string
    readonly headers: readonly (readonly [string, string])[]
    readonly body?: string
    readonly bodyBase64?: string
    readonly options?: SchemeOptions
    readonly expect: { readonly ok: boolean }
  }[]
}

const vectorsOf = (name: string): Vectors =>
  JSON.parse(readFileSync(new URL(`../vectors/schemes/${name}.json`, import.meta.url), 'utf8'))

/** A row, and a secret as its sender's console shows it. */
interface Row {
  readonly name: string
  readonly factory: AnyFactory
  readonly scheme: SenderScheme
  readonly option: 'secrets' | 'publicKeys'
  readonly others: SchemeOptions
  readonly genuine: string
  /** Every secret of the row's vectors. */
  readonly all: readonly string[]
}

const textsIn = (given: SchemeOptions['secrets']) =>
  [given].flat().flatMap((entry) => (typeof entry === 'object' ? entry.secret : (entry ?? [])))

async function rowOf(name: string): Promise<Row | undefined> {
  const factory = await schemeFactory(name)
  const { secrets, publicKeys, ...others } = vectorsOf(name).options
  const option = secrets === undefined ? 'publicKeys' : 'secrets'
  const all = textsIn(secrets ?? publicKeys)
  const { secretPrefix = '' } = factory.scheme
  const [first] = all
  if (first === undefined) return undefined
  const genuine = first.startsWith(secretPrefix) ? first : secretPrefix + first
  return { name, factory, scheme: factory.scheme, option, others, genuine, all }
}

const rows = (await Promise.all(SCHEME_NAMES.map(rowOf))).filter((row) => row !== undefined)
const madeBySender = rows.filter(({ scheme }) => scheme.secretMadeBy === 'sender')
// SurveyMonkey's secret is two values, so not every text is one (secret-form.test.ts), and HTTP Message Signatures refuse public keys.
const madeByUser = rows.filter(
  ({ name, scheme }) => scheme.secretMadeBy === 'user' && name !== 'surveymonkey' && name !== 'rfc9421',
)

function refusalOf({ factory, option, others }: Row, secret: unknown): string | undefined {
  try {
    factory({ ...others, [option]: secret })
    return undefined
  } catch (error) {
    if (error instanceof ListenerConfigError) return error.message
    throw error
  }
}

async function diagnosisOf({ factory }: Row, secret: string) {
  vi.stubEnv('HOOKGATE_SECRET', secret)
  const [finding] = await checkSecretShape([], factory)
  return finding
}

const PLACEHOLDERS = [
  'changeme',
  'change-me',
  'CHANGE_ME_PLEASE',
  'your_secret_here',
  'YOUR_WEBHOOK_SECRET',
  'your-signing-secret',
  'whsec_your_secret_here',
  'whsec_xxxxxxxxxxxxxxxx',
  'INSERT_SECRET_HERE',
  'replace_me',
  'xxxxxxxxxxxxxxxx',
  'XXXXXXXX-XXXX-XXXX-XXXX-XXXXXXXXXXXX',
  '****************',
  '<secret>',
  '[your secret]',
  '...',
  '…',
  '••••••••',
]

/** What templates and joins make of variables that are not set. */
const MADE_OF_NOTHING = ['undefined', 'null', 'None', '[object Object]', '[object Promise]']

const VARIABLES = [
  '$WEBHOOK_SECRET',
  `\${WEBHOOK_SECRET}`,
  '%WEBHOOK_SECRET%',
  '{{ WEBHOOK_SECRET }}',
  'process.env.WEBHOOK_SECRET',
  'import.meta.env.WEBHOOK_SECRET',
]

type Mistake = readonly [name: string, words: RegExp, of: (genuine: string) => string]

const halves = (text: string) => [text.slice(0, -8), text.slice(-8)] as const

/** Mistakes made with a genuine secret. */
const AROUND: readonly Mistake[] = [
  ['a space at its end', /a space at its end/, (text) => `${text} `],
  ['a space at its start', /a space at its start/, (text) => ` ${text}`],
  ['a tab', /a tab at its end/, (text) => `${text}\t`],
  ['a no-break space', /a no-break space at its end/, (text) => `${text}\u00a0`],
  ['a zero-width space', /a zero-width space in it/, (text) => halves(text).join('\u200b')],
  ['a byte order mark', /a byte order mark at its start/, (text) => `\ufeff${text}`],
  ['a control character', /a character U\+0007 in it/, (text) => halves(text).join('\x07')],
  ['curly quotes', /a curly quote at its start/, (text) => `“${text}”`],
  ['double quotes', /quotes around it/, (text) => `"${text}"`],
  ['single quotes', /quotes around it/, (text) => `'${text}'`],
  ['backticks', /quotes around it/, (text) => `\`${text}\``],
  ['a line break as text', /ends with \\n/, (text) => `${text}\\n`],
  ['a comment', /comment/, (text) => `${text} # the new one`],
  ['a comma', /comma/, (text) => `${text},`],
  ['another secret', /another secret|twice/, (text) => `${text},${text.toUpperCase()}`],
  [
    'another secret on its own line',
    /a line break in it|twice|another secret/,
    (text) => `${text}\n${text.toUpperCase()}`,
  ],
  ['the name of its variable', /\.env/, (text) => `WEBHOOK_SECRET=${text}`],
  ['the name of its variable, exported', /\.env/, (text) => `export WEBHOOK_SECRET="${text}"`],
]

const INSTEAD: readonly Mistake[] = [
  ...PLACEHOLDERS.map((text): Mistake => [`the placeholder ${text}`, /placeholder/, () => text]),
  ...VARIABLES.map((text): Mistake => [`the variable ${text}`, /variable/, () => text]),
  ['the start of it, masked', /a masked secret/, (text) => `${text.slice(0, 8)}••••••••`],
  ['the start of it, crossed out', /a masked secret/, (text) => `${text.slice(0, 8)}xxxxxxxx`],
  ['JSON with it', /JSON/, (text) => JSON.stringify({ secret: text })],
  ['a URL', /URL/, () => 'https://example.com/hooks'],
  [
    'a PEM',
    /PEM|the key of an app/,
    () => '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----',
  ],
  ['a JWT', /JWT/, () => 'eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJhIn0.c2lnbmF0dXJl'],
]

/** A key of another kind, by the row. */
const KINDS: readonly (readonly [row: string, text: string, words: RegExp])[] = [
  ['stripe', 'sk_live_51H8xYz0123456789', /an API key/],
  ['stripe', 'pk_test_51H8xYz0123456789', /an API key/],
  ['stripe', 'rk_live_51H8xYz0123456789', /an API key/],
  ['stripe', 'we_1Nabc', /the ID of an endpoint/],
  ['slack', 'xoxb-1234567890-1234567890123-abcdef', /a bot token/],
  ['slack', 'sk_live_51H8xYz0123456789', /an API key/],
  ['twilio', 'AC0123456789abcdef0123456789abcdef', /the SID of an account/],
  ['twilio', 'SK0123456789abcdef0123456789abcdef', /the SID of an API key/],
  ['shopify', 'shpat_0123456789abcdef0123456789abcdef', /an access token/],
  ['meta', 'EAAGm0PX4ZCpsBAKZC', /an access token/],
  ['github', 'ghp_0123456789abcdefABCDEF0123456789abcd', /an access token/],
  ['github', 'github_pat_0123456789abcdefABCDEF', /an access token/],
  ['linear', 'lin_api_0123456789abcdef', /an API key/],
]

const all = [...AROUND, ...INSTEAD]

/** Those of HTTP Basic are a user and a password. */
const isPair = ({ scheme }: Row) => scheme.secretName.startsWith('user:password')

/** Everybody knows them, so that everybody could sign. */
it.each(rows.flatMap((row) => MADE_OF_NOTHING.map((secret) => ({ name: row.name, row, secret }))))(
  '$name: $secret is refused as a secret',
  ({ row, secret }) => {
    expect(refusalOf(row, secret)).toBeDefined()
    expect(refusalOf(row, [row.genuine, { id: 'next', secret }])).toBeDefined()
  },
)

it.each([
  ...['user:undefined', 'client-id&null', 'user:None', 'whsec_undefined', 'undefined ', '"undefined"'],
  ...['Bearer undefined', 'Basic null', 'Bearer', 'Basic ', 'Bearer ""', '""', "''\n", 'my_null'],
])('github: %s is refused as a secret', (secret) => {
  expect(() => github({ secrets: secret })).toThrow('looks empty or unset; set the environment variable')
})

it.each(['[object Promise]', 'Bearer [object Promise]', '"[object Object]"', 'whsec_[object Foo_1] '])(
  'github: %s is refused as an object, which an await would mend',
  (secret) => {
    expect(() => github({ secrets: secret })).toThrow(
      ': is an object; await it and pass its text; for GitHub',
    )
  },
)

it.each(['undefined', 'whsec_undefined', 'whsec_null'])(
  'stripe: %s is unset, as it is to all senders',
  (secret) => {
    expect(() => stripe({ secrets: secret })).toThrow('looks empty or unset; set the environment variable')
  },
)

it.each(['[object Promise]', 'whsec_[object Promise]'])(
  'stripe: %s is one too, and no placeholder',
  (secret) => {
    expect(() => stripe({ secrets: secret })).toThrow(
      ': is an object; await it and pass its text; for Stripe',
    )
  },
)

it.each([
  ...['undefined.', 'nullable', 'a&b:', 'user:undefinedly', 'object', 'unnull', 'my-null', 'NULL'],
  ...['Bearer x', 'Bearers', 'a Bearer', '"a', '[object Promise].'],
])('github: %s is a secret', (secret) => {
  expect(() => github({ secrets: secret })).not.toThrow()
})

const cellsOf = (some: readonly Row[]) =>
  some.flatMap((row) =>
    all
      .filter(([, , of]) => !isPair(row) || of(row.genuine).includes(':'))
      .map(([mistake, words, of]) => ({ name: row.name, row, mistake, words, of })),
  )

it('every row says who makes its secrets, unless they are PEM files', async () => {
  const schemes = (await Promise.all(SCHEME_NAMES.map(schemeFactory))).map(({ scheme }) => scheme)
  const isPem = (scheme: SenderScheme) =>
    scheme.algorithm === 'rsa-v1_5-sha256' || (scheme.algorithm === 'code' && scheme.hasKeyPair === true) // not a text
  const silent = schemes.filter(
    (scheme) => !scheme.secretMadeBy && !/^none;/.test(scheme.secretName) && !isPem(scheme),
  )
  expect(silent.map(({ name }) => name)).toEqual([])
})

describe('a secret that the sender makes', () => {
  it.each(cellsOf(madeBySender))('$name: $mistake is refused', async ({ row, words, of }) => {
    const secret = of(row.genuine)
    const refusal = refusalOf(row, secret)
    expect(refusal).toMatch(words)
    expect(refusal).toContain(`for ${row.scheme.sender}, pass the ${row.scheme.secretName}`)
    expect(refusal).not.toContain(row.genuine.slice(-8))
    const finding = await diagnosisOf(row, secret)
    expect(finding).toMatchObject({ status: 'fail', seen: expect.stringMatching(words) })
    expect(`${finding?.seen} ${finding?.fix}`).not.toContain(row.genuine.slice(-8))
  })

  it.each(['\ufffd', '\ud800', '\u202e'])(
    'a secret has no %j, which is named by its code point',
    (character) => {
      const code = character.codePointAt(0)?.toString(16).toUpperCase()
      for (const row of madeBySender)
        expect(refusalOf(row, halves(row.genuine).join(character))).toContain(
          `has a character U+${code} in it; remove it`,
        )
    },
  )

  it('a secret ends without the line break of Windows', () => {
    for (const row of madeBySender)
      expect(refusalOf(row, `${row.genuine}\r\n`)).toMatch('has a line break at its end; remove it')
  })

  it('a secret may be two, which the message says', () => {
    const stripe = rows.find(({ name }) => name === 'stripe')
    const joined = (between: string) => stripe && refusalOf(stripe, `whsec_a${between}whsec_b`)
    for (const between of ['', ' ', ',', ';', '\n', '|'])
      expect(joined(between)).toMatch('two secrets as a list')
  })

  it.each(madeBySender.filter(({ scheme }) => prefixOf(scheme)))(
    '$name has its prefix once, and something behind it',
    (row) => {
      const prefix = prefixOf(row.scheme) ?? ''
      for (const padding of ['', '=', '==='])
        expect(refusalOf(row, prefix + padding)).toMatch(`has nothing after ${prefix}`)
      expect(refusalOf(row, prefix + row.genuine)).toMatch(`has ${prefix} twice`)
      for (const text of PLACEHOLDERS.filter((text) => !text.startsWith(prefix)))
        expect(refusalOf(row, prefix + text)).toMatch('is a placeholder')
    },
  )
})

describe('what no rule refuses', () => {
  const doctorSays = async (name: string, secret: string) => {
    const row = rows.find((each) => each.name === name)
    return row && (await diagnosisOf(row, secret))
  }

  it.each(['stripe', 'slack', 'github', 'gitlab', 'telegram', 'square'])(
    '%s: what is short or pasted twice is not ok',
    async (name) => {
      for (const short of ['hunter2', '12345678', 'abc123', 'we_1Nabc9'])
        expect((await doctorSays(name, short))?.status).not.toBe('ok')
      const secret = '4dd0898efa076fd85b66e37c'
      for (const twice of [secret + secret, `${secret} ${secret}`])
        expect((await doctorSays(name, twice))?.status).toBe('warn')
    },
  )

  it.each([
    [' ', 'a space'],
    ['–', 'a character U+2013'],
    ['«', 'a character U+00AB'],
    ['е', 'a character U+0435'],
    ['😀', 'a character U+1F600'],
  ])('%j in a secret that the sender makes is not ok, and in your own it is', async (character, name) => {
    const secret = halves('4dd0898efa076fd85b66e37c').join(character)
    expect(await doctorSays('slack', secret)).toMatchObject({
      status: 'warn',
      seen: expect.stringContaining(`has ${name} in it`),
    })
    expect((await doctorSays('github', secret))?.status).toBe('ok')
  })
})

describe('a row of your own', () => {
  const acme = {
    name: 'acme',
    sender: 'Acme',
    secretName: 'signing key',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: ['x-acme-signature'], spelling: 'hex' },
    signs: '{body}',
    maxBodyBytes: 1024,
    limits: 'The headers are not signed.',
  } as const
  const prefixed = { ...acme, secretPrefix: 'ack_' }

  it('a row has secrets that its sender makes, if they have a prefix', () => {
    expect(() => defineScheme(prefixed)({ secrets: 'sk_live_51H8xYz' })).toThrow('is an API key; for Acme')
    expect(() => defineScheme(prefixed)({ secrets: 'changeme' })).toThrow('is a placeholder')
    expect(() => defineScheme({ ...prefixed, secretMadeBy: 'user' })({ secrets: 'changeme' })).not.toThrow()
  })

  it('a row has secrets that you choose, unless it says otherwise', () => {
    expect(() => defineScheme(acme)({ secrets: 'sk_live_51H8xYz' })).not.toThrow()
    const made = defineScheme({ ...acme, secretMadeBy: 'sender' })
    expect(() => made({ secrets: 'sk_live_51H8xYz' })).toThrow('is an API key; for Acme')
  })
})

describe('a secret that you choose', () => {
  it.each(cellsOf(madeByUser))('$name: $mistake looks like one', async ({ row, words, of }) => {
    const secret = of(row.genuine)
    expect(refusalOf(row, secret)).toBeUndefined()
    const finding = await diagnosisOf(row, secret)
    expect(finding).toMatchObject({ status: 'warn', seen: expect.stringMatching(/looks (?:like|wrong)/) })
    expect(finding?.seen).toMatch(words)
    expect(`${finding?.seen} ${finding?.fix}`).not.toContain(row.genuine.slice(-8))
  })

  it.each(cellsOf(madeByUser))('$name: $mistake is explained', async ({ row, words, of }) => {
    const { likely } = await explanationOf(row, of(row.genuine))
    expect(likely[0]).toMatch(/^the configured secret /)
    expect(likely[0]).toMatch(words)
    expect(likely.join()).not.toContain(row.genuine.slice(-8))
  })

  it('a secret is also named for a body that is too large to try mistakes with', async () => {
    const github = rows.find(({ name }) => name === 'github')
    const { likely } = github ? await explanationOf(github, 'changeme', Buffer.alloc(262_145, ' ')) : {}
    expect(likely?.[0]).toMatch(/^the configured secret looks like a placeholder/)
  })

  it.each(madeByUser.filter((row) => !isPair(row)))(
    '$name: only what is no text, blank or ill-formed is refused',
    (row) => {
      fc.assert(
        fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (secret) => {
          const isPossible = /[^\s"']/.test(secret) && !/^[\r\n]|[\r\n]$/.test(secret)
          expect(refusalOf(row, secret) === undefined).toBe(isPossible)
        }),
        { numRuns: 30 },
      )
      expect(refusalOf(row, 'half a pair: \ud800')).toMatch('surrogate')
    },
  )
})

it.each(KINDS)('%s: another kind of key is named, %s', async (name, text, words) => {
  const row = rows.find((each) => each.name === name)
  if (row === undefined) throw new Error(name)
  const isRefused = row.scheme.secretMadeBy === 'sender'
  const finding = await diagnosisOf(row, text)
  expect(finding).toMatchObject({
    status: isRefused ? 'fail' : 'warn',
    seen: expect.stringMatching(words),
  })
  if (isRefused) expect(refusalOf(row, text)).toMatch(words)
  else expect(refusalOf(row, text)).toBeUndefined()
})

describe('a genuine secret', () => {
  it.each(rows)('a genuine secret of $name passes, and doctor says what it did not check', async (row) => {
    for (const secret of row.all) expect(refusalOf(row, secret)).toBeUndefined()
    const finding = await diagnosisOf(row, row.genuine)
    expect(finding).toMatchObject({ status: 'ok', seen: expect.stringMatching(/not checked/) })
    expect(finding?.seen).not.toContain(row.genuine.slice(-8))
  })

  const alphabets = {
    hex: /^[0-9a-f]{32}$/,
    'upper-case hex': /^[0-9A-F]{64}$/,
    alphanumeric: /^[A-Za-z0-9]{20,48}$/,
    base64: /^[A-Za-z0-9+/]{43}=$/,
    base64url: /^[\w-]{22,43}$/,
    UUID: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    prefixed: /^(?:secret_|wsec_|key-|shpss_|whs_)[A-Za-z0-9]{32}$/,
  }

  /** Their secrets are lower-case hex, and their other keys begin with other letters. */
  const inHex = ['meta', 'shopify', 'slack', 'twilio']

  it.each(Object.entries(alphabets))('a genuine secret in %s is never refused', (_, alphabet) => {
    const texts = madeBySender.filter(
      ({ name, scheme }) =>
        scheme.algorithm !== 'code' &&
        scheme.key === 'text' &&
        (alphabet === alphabets.hex || !inHex.includes(name)),
    )
    fc.assert(
      fc.property(fc.stringMatching(alphabet), fc.constantFrom(...texts), (text, row) => {
        const { secretPrefix = '' } = row.scheme
        expect(refusalOf(row, secretPrefix + text)).toBeUndefined()
      }),
      { numRuns: 300 },
    )
  })

  it('a genuine secret of Standard Webhooks, as Svix makes it, is any 24 to 75 bytes in base64', () => {
    const encoded = madeBySender.filter(
      ({ scheme }) => prefixOf(scheme) === 'whsec_' && scheme.name !== 'stripe',
    )
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 24, maxLength: 75 }),
        fc.constantFrom(...encoded),
        (bytes, row) => {
          expect(refusalOf(row, `whsec_${Buffer.from(bytes).toString('base64')}`)).toBeUndefined()
        },
      ),
    )
  })
})

describe('what is no text', () => {
  const named = [
    [undefined, /is undefined/],
    [null, /is null/],
    [12345, /is Number/],
    [true, /is Boolean/],
    [Buffer.from('whsec_a'), /is Uint8Array/],
    [new TextEncoder().encode('whsec_a').buffer, /is ArrayBuffer/],
    [() => 'whsec_a', /is Function/],
    [new Date(0), /is Date/],
    [new Map([['secret', 'whsec_a']]), /is Map/],
    [createSecretKey('whsec_a', 'utf8'), /is KeyObject/],
    [Promise.resolve('whsec_a'), /is Promise/],
    [[], /at least one/],
    ['', /empty or unset/],
    [' \u00a0\t', /empty or unset/],
  ] as const

  it.each(rows.flatMap((row) => named.map(([given, words]) => ({ name: row.name, row, given, words }))))(
    '$name: $given is named',
    ({ row, given, words }) => {
      const { sender, secretName } = row.scheme
      expect(refusalOf(row, given)).toMatch(words)
      expect(refusalOf(row, given)).toContain(`for ${sender}, pass the ${secretName}`)
      if (given !== undefined && !Array.isArray(given)) {
        expect(refusalOf(row, [{ id: 'new', secret: given }])).toMatch(words)
      }
    },
  )

  it('the error asks for a variable only if there may be one', () => {
    for (const row of rows) {
      expect(refusalOf(row, undefined)).toMatch('set the environment variable')
      for (const given of [Buffer.from('a'), new Map(), () => 'a', Promise.resolve('a')])
        expect(refusalOf(row, given)).not.toMatch('variable')
    }
  })

  it('the error names the call, if nothing was passed', async () => {
    const lemon = await schemeFactory('lemon-squeezy')
    expect(() => lemon({})).toThrow('lemonSqueezy({ secrets }) is undefined')
    expect(() => lemon({ secrets: undefined })).toThrow('set the environment variable')
    const discord = await schemeFactory('discord')
    expect(() => discord({})).toThrow('discord({ publicKeys }) is undefined')
    const rfc9421 = await schemeFactory('rfc9421')
    const publicUrl = 'https://a.example/hooks'
    expect(() => rfc9421({ publicUrl, publicKeys: undefined })).toThrow(
      'rfc9421({ publicKeys }) is undefined',
    )
    expect(() => rfc9421({ publicUrl, secrets: undefined })).toThrow('rfc9421({ secrets }) is undefined')
  })

  it.each([
    [undefined, 'undefined'],
    ['whsec_a', 'String'],
    [['whsec_a'], 'Array'],
    [Buffer.from('whsec_a'), 'Uint8Array'],
    [Promise.resolve({}), 'Promise'],
  ])('the error names what was passed in place of the options: %s', async (given, kind) => {
    const stripe: (options: never) => unknown = await schemeFactory('stripe')
    expect(() => stripe(given as never)).toThrow(
      `stripe: takes an object of options: secrets, dedupe, publicUrl; got ${kind}`,
    )
  })

  it('a misnamed option is refused with the right name', async () => {
    const stripe: (options: never) => unknown = await schemeFactory('stripe')
    expect(() => stripe({ secret: 'whsec_a' } as never)).toThrow(/no such option; did you mean secrets\?/)
  })
})

describe('other text that is compared exactly', () => {
  const options = {
    livekit: ['apiKey', { secrets: 'a-secret-of-this-project' }],
    braintree: ['publicKey', { secrets: 'a-private-key' }],
    paypal: ['webhookId', {}],
    pubsub: ['audience', { email: 'push@project.iam.gserviceaccount.com' }],
  } as const

  it.each(Object.entries(options))(
    '%s refuses quotes and white space around its %s',
    async (name, [option, rest]) => {
      const factory: (given: object) => unknown = await schemeFactory(name)
      expect(() => factory({ ...rest, [option]: 'the-value-itself' })).not.toThrow()
      for (const value of ['"the-value-itself"', ' the-value-itself', 'the-value-itself\n']) {
        expect(() => factory({ ...rest, [option]: value })).toThrow(`${option}: has quotes or white space`)
      }
    },
  )

  it.each([
    ['', /empty or unset/],
    [' ', /empty or unset/],
    ['undefined', /empty or unset/],
    ['a token\n', /line break/],
  ])('the verify token of Meta is not %j', async (verifyToken, words) => {
    const meta = await schemeFactory('meta')
    expect(() => meta({ secrets: 'c0ffee', verifyToken })).toThrow(words)
    expect(() => meta({ secrets: 'c0ffee', verifyToken: 'any "token" of mine' })).not.toThrow()
  })
})

/** Why a genuine delivery is refused under a mistaken secret. */
async function explanationOf(row: Row, secret: string, sent?: Uint8Array) {
  const { cases, now } = vectorsOf(row.name)
  const genuine = cases.find(({ method, expect: { ok } }) => ok && method === 'POST')
  if (genuine === undefined) throw new Error(`${row.name} has no genuine delivery`)
  const { headers, body = '', bodyBase64, method, requestUrl, url = requestUrl } = genuine
  const { secrets: _, publicKeys: __, ...others } = { ...row.others, ...genuine.options }
  const clock = { now: () => now * 1000 }
  const auth = row.factory({ ...others, [row.option]: { id: 'new', secret } })
  const listener = defineListener({ id: 'a', auth, store: memoryStore({ maxRecords: 1 }), clock })
  const delivery = {
    method,
    url,
    header: (name: string) => headers.find(([other]) => other.toLowerCase() === name)?.[1],
    body: sent ?? Buffer.from(bodyBase64 ?? body, bodyBase64 === undefined ? 'utf8' : 'base64'),
    sourceIp: undefined,
  }
  return explain(delivery, await verify(delivery, listener), listener)
}
