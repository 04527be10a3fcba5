import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  beforeAll,
  describe,
  expect,
  it,
  onTestFinished,
  vi,
} from 'vitest'
import {
  here,
  SETTINGS,
  signed,
  VARIANTS,
  type Variant,
} from './programs.ts'
import { BUILT, RECIPES, type Running, startedWith } from './recipes.ts'

beforeAll(() => {
  for (const [name, value] of Object.entries(SETTINGS))
    vi.stubEnv(name, value)
  return () => vi.unstubAllEnvs()
})

const bytes = (text: string) => new Uint8Array(Buffer.from(text))

const FORM = 'application/x-www-form-urlencoded'
const PART =
  '--b\r\ncontent-disposition: form-data; name="json"\r\n\r\n{"a":1}\r\n--b--\r\n'

/** A body of each type that a sender sends, written so that a parser and a serializer would change its bytes. */
const BODIES: { readonly [type: string]: Uint8Array<ArrayBuffer> } = {
  'application/json': bytes('{ "a": 1.0, "to": "Zoë" }'),
  [FORM]: bytes('From=%2b1&Body=a+b%20c'),
  'multipart/form-data; boundary=b': bytes(PART),
  'text/plain; charset=UTF-8': bytes('{ "Type": "Notification" }'),
  'application/xml': bytes('<a>é</a>'),
  'text/xml': bytes('<a/> '),
  'application/x-ndjson': bytes('{"a":1}\n{"a":2}\n'),
  'application/jsonl': bytes('{"a":1}\n'),
  'application/x-jsonlines': bytes('{"a":1}\n'),
  'application/cloudevents+json': bytes('{ "specversion": "1.0" }'),
  'application/vnd.api+json; charset=utf-8': bytes('{ "data": 1.0 }'),
  'application/x-unknown': new Uint8Array([0, 255, 10, 13, 128]),
  none: bytes('{ "a": 1.0 }'),
}

type Type = keyof typeof BODIES

/** Where the host, and not hookgate, decides: the pages say so. All else passes, with its exact bytes. */
const EXCEPTIONS: {
  readonly [recipe: string]: { readonly [type: Type]: number }
} = {
  SvelteKit: { none: 401 }, // its adapter for Node drops a body without a type
}

interface Row {
  readonly content: readonly { readonly types: readonly string[] }[]
}

it('the table has every content type of a sender', () => {
  const { schemes }: { readonly schemes: readonly Row[] } = JSON.parse(
    readFileSync(
      join(here, '../../../docs/schemes/schemes.json'),
      'utf8',
    ),
  )
  const ofSenders = new Set(
    schemes.flatMap(({ content }) =>
      content.flatMap(({ types }) => types),
    ),
  )
  const tried = Object.keys(BODIES).map((type) =>
    type.replace(/;.*/, ''),
  )
  expect(
    [...ofSenders].filter(
      (type) => type !== '*' && !tried.includes(type),
    ),
  ).toEqual([])
})

async function statusesOf({
  send,
}: Running): Promise<{ readonly [type: Type]: number }> {
  const statuses: { [type: Type]: number } = {}
  for (const [type, body] of Object.entries(BODIES))
    statuses[type] = (
      await send(signed(type === 'none' ? undefined : type, body))
    ).status
  return statuses
}

const expected = (recipe: string) => ({
  ...Object.fromEntries(Object.keys(BODIES).map((type) => [type, 200])),
  ...EXCEPTIONS[recipe],
})

/** What the variants' hosts print. */
function quiet(): () => string {
  const spies = (['log', 'warn', 'error'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation(() => {}),
  )
  const stderr = vi
    .spyOn(process.stderr, 'write')
    .mockImplementation(() => true)
  onTestFinished(() => void vi.restoreAllMocks())
  const shown = (given: unknown) =>
    given instanceof Error ? `${given.stack}` : String(given)
  return () =>
    [...spies, stderr]
      .flatMap(({ mock }) => mock.calls.flat().map(shown))
      .join('\n')
}

const FAILURES = Object.keys(VARIANTS).filter(
  (name) => name !== 'as the page has it',
) as Exclude<Variant, 'as the page has it'>[]

/** What the operator is told. */
const TOLD: { readonly [variant in Variant]: string } = {
  'as the page has it': '',
  'whose handler throws': 'the handler fails',
  'whose handler rejects': 'the handler fails',
  'whose lookup finds something else':
    'a lookup must return the result of defineListener()',
  'whose lookup reads the body': 'was read before hookgate could',
}

/** A delivery that fails twice: its sender gets an answer, and its event is not lost. */
async function failsTwice(
  { send, said = () => '' }: Running,
  variant: Variant,
  printed = () => '',
): Promise<void> {
  const delivery = signed(
    'application/json',
    BODIES['application/json'] ?? bytes('{}'),
  )
  const first = await send(delivery)
  expect(first.status).toBe(500)
  await expect.poll(async () => (await send(delivery)).status).toBe(500) // it waits until the event is released
  await expect
    .poll(() => `${said()}${printed()}${first.text}`)
    .toContain(TOLD[variant])
  expect(`${said()}${printed()}`).not.toContain(
    'must throw an Error, not an object',
  )
}

/** What a host does by itself. */
const HOSTS_OWN: {
  readonly [recipe: string]: { readonly [variant in Variant]?: string }
} = {
  'Express 4': {
    'whose handler rejects':
      'Express 4 knows no promises: the page says to catch',
  },
  'Google Cloud Functions': {
    'whose lookup reads the body':
      'the platform keeps the bytes in rawBody',
  },
}

describe.each(Object.entries(RECIPES))(
  'the recipe of %s',
  (name, start) => {
    it('the recipe takes every content type, with its exact bytes', {
      timeout: 120_000,
    }, async () => {
      quiet()
      expect(
        await statusesOf(await start('as the page has it')),
      ).toEqual(expected(name))
    })

    it.each(
      FAILURES.filter(
        (variant) => HOSTS_OWN[name]?.[variant] === undefined,
      ),
    )(
      'the recipe answers 500 as a program %s',
      { timeout: 120_000 },
      async (variant) => {
        const printed = quiet()
        await failsTwice(await start(variant), variant, printed)
      },
    )
  },
)

describe.each(Object.entries(BUILT))('%s', (_, app) => {
  it('the built app takes every content type, and answers 500 for every failure', {
    timeout: 300_000,
  }, async () => {
    const same = (text: string) => text
    const routeOf = (variant: Variant) => variant.replaceAll(' ', '-')
    const routes = Object.fromEntries(
      (Object.keys(VARIANTS) as Variant[]).map((each) => [
        routeOf(each),
        [each, same] as const,
      ]),
    )
    const parsed = (text: string) =>
      text.replace('bodyParser: false', 'bodyParser: true')
    const started = await startedWith(app, {
      ...routes,
      parsed: ['as the page has it', parsed],
    })
    for (const [recipe, running] of Object.entries(started)) {
      const usual = running[routeOf('as the page has it')]
      expect([recipe, usual && (await statusesOf(usual))]).toEqual([
        recipe,
        expected(recipe),
      ])
      for (const variant of FAILURES) {
        const failing = running[routeOf(variant)]
        if (failing) await failsTwice(failing, variant)
      }
    }
    // SvelteKit's limit, which is lower than that of the listener.
    const limited = started.SvelteKit?.[routeOf('as the page has it')]
    if (limited) {
      expect(
        (
          await limited.send(
            signed('text/plain', new Uint8Array(30_000)),
          )
        ).status,
      ).toBe(500)
      await expect
        .poll(() => limited.said?.())
        .toMatch(
          /maxBodyBytes: is more than your host lets through \(.*limit of 20480/,
        )
    }
    // A forgotten `bodyParser: false`.
    const forgotten = started['Next.js, Pages router']?.parsed
    if (forgotten)
      await failsTwice(forgotten, 'whose lookup reads the body')
  })
})
