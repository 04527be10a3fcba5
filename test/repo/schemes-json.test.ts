import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { CODE_ROWS } from '../../docs/schemes/code-rows.ts'
import { OTHER_NAMES } from '../../docs/schemes/other-names.ts'
import { RETRIES } from '../../docs/schemes/retries.ts'
import { isDated, sourceOf } from '../../docs/schemes/sources.ts'
import { WITHOUT_SCHEME } from '../../docs/schemes/without-scheme.ts'
import { SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'
import { schemesJson } from './schemes-json.ts'

const root = new URL('../../', import.meta.url)
const FILE = fileURLToPath(new URL('docs/schemes/schemes.json', root))
const SCHEMA = JSON.parse(readFileSync(new URL('docs/schemes/schemes.schema.json', root), 'utf8'))

/** The rows that were here before the day of reading was written down. */
const UNDATED = 74

const made = schemesJson(
  await Promise.all(
    SCHEME_NAMES.map(async (name) => {
      const { scheme } = await schemeFactory(name)
      const [retries, source] = [RETRIES[name], sourceOf(name)]
      if (retries === undefined || source === undefined) {
        throw new Error(`add '${name}' to docs/schemes/retries.ts`)
      }
      return { scheme, retries, source }
    }),
  ),
)

describe('hookgate/schemes.json', () => {
  const validate = new Ajv2020({
    strict: true,
    strictRequired: false,
    strictTypes: false,
    allErrors: true,
  }).compile(SCHEMA)
  const problemsOf = (file: unknown) => (validate(file) ? [] : validate.errors)

  it('docs/schemes/schemes.json is up to date (npm run docs:schemes)', async () => {
    await expect(made).toMatchFileSnapshot(FILE)
  })

  it('the file has an entry for each scheme, and fits docs/schemes/schemes.schema.json', () => {
    const file = JSON.parse(made)
    expect(problemsOf(file)).toEqual([])
    expect(file.schemes.map(({ name }: { name: string }) => name)).toEqual(SCHEME_NAMES.toSorted())
  })

  it('the file has a version, and the schema tells readers what refuses a row', () => {
    expect(JSON.parse(made).formatVersion).toBe(1)
    const describes = [...SCHEMA.$defs.promise.description.matchAll(/`(\w+)`/g)].map(([, name]) => name)
    expect(describes).toContain('retries')
    expect(describes).not.toContain('signs')
  })

  it('each row that is code says in words what the code does, and where it is, and no other row does', () => {
    const { schemes } = JSON.parse(made)
    const described = schemes.filter(({ about }: { about?: object }) => about !== undefined)
    expect(described.map(({ name }: { name: string }) => name)).toEqual(Object.keys(CODE_ROWS))
    for (const { about, code } of described) {
      expect(code).toBe(true)
      expect(existsSync(new URL(about.source.replace(/^.*blob\/main\//, ''), root)), about.source).toBe(true)
    }
  })

  it('the file and its schema are imported by their names, and only hookgate schemes reads them', async () => {
    const require = createRequire(import.meta.url)
    expect(require('hookgate/schemes.json')).toEqual(JSON.parse(readFileSync(FILE, 'utf8')))
    expect(require('hookgate/schemes.schema.json')).toEqual(SCHEMA)
    const published = readdirSync(new URL('dist/', root), { recursive: true, encoding: 'utf8' })
    const importing = published
      .filter((path) => /^(?:src|adapters|cli)\/.*\.js$/.test(path))
      .filter((path) => readFileSync(new URL(`dist/${path}`, root), 'utf8').includes('schemes.json'))
    expect(published.length).toBeGreaterThan(100)
    expect(importing).toEqual(['cli/commands/schemes.js'])
  })

  it.each([
    ['has an unknown member', { invented: true }],
    ['verifies by data, and has no template', { signs: undefined }],
    ['signs a part that nobody described', { signs: '{nonce}.{body}' }],
    ['has an algorithm that nobody described', { algorithm: 'hmac-md5' }],
    ['has a source without a date', { documentation: { url: 'https://docs.stripe.com' } }],
    ['has a header in mixed case', { signature: { headers: ['Stripe-Signature'], spelling: 'hex' } }],
    [
      'has its time in two places',
      { timestamp: { item: 't=', header: 'x', unit: 'seconds', of: 'attempt' } },
    ],
  ])('the schema refuses an entry that %s', (_, change) => {
    const file = JSON.parse(made)
    const stripe = file.schemes.find(({ name }: { name: string }) => name === 'stripe')
    const changed = JSON.parse(JSON.stringify({ ...file, schemes: [{ ...stripe, ...change }] }))
    expect(problemsOf(changed)).not.toEqual([])
  })
})

describe('where and when rows were read', () => {
  it('each row that was added since has its page and its day in docs/schemes/sources.ts', () => {
    const undated = SCHEME_NAMES.filter((name) => !isDated(name))
    expect(undated.length, `add the new ones among ${undated.join(', ')}`).toBeLessThanOrEqual(UNDATED)
  })

  it('no source is dated after today, and a day is one of the calendar', () => {
    for (const { read } of [...SCHEME_NAMES.map(sourceOf), ...WITHOUT_SCHEME].filter(
      (source) => source !== undefined,
    )) {
      const day = new Date(read)
      expect(day.toISOString().startsWith(read), read).toBe(true)
      expect(day.getTime()).toBeLessThanOrEqual(Date.now())
    }
  })

  it('the lists name no scheme that does not exist, and the senders without one are in alphabetical order', () => {
    expect(Object.keys(OTHER_NAMES).filter((name) => !SCHEME_NAMES.includes(name))).toEqual([])
    const names = WITHOUT_SCHEME.map(({ sender }) => sender)
    expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b, 'en')))
  })
})
