import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { RETRIES } from '../../docs/schemes/retries.ts'
import { WITHOUT_SCHEME } from '../../docs/schemes/without-scheme.ts'
import { defineListener } from '../../src/index.ts'
import { dedupeOf } from '../../src/schemes/kit/compile-scheme.ts'
import { type SenderScheme, senderAuthenticator } from '../../src/schemes/kit/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'
import { adviceFor, finder } from './finder.ts'
import { differencesTable, withMade } from './schemes-tables.ts'
import { withLists } from './sender-lists.ts'

const root = new URL('../../', import.meta.url)
const PAGE = fileURLToPath(new URL('docs/schemes.md', root))
const DIFFERENCES = fileURLToPath(new URL('test/suites/peers/differences.md', root))
const VECTORS = new URL('test/vectors/schemes/', root)

/** The seconds that a listener with this scheme uses if its options set none. */
function defaultsOf(scheme: SenderScheme) {
  const auth = senderAuthenticator(scheme, {}, () => {
    throw new Error('never asked')
  })
  const { leaseMs, maxRunMs, retentionMs } = defineListener({ id: 'any', auth, store: memoryStore() })
  return {
    leaseSeconds: leaseMs / 1000,
    maxRunSeconds: maxRunMs / 1000,
    retentionSeconds: retentionMs / 1000,
  }
}

const schemes = await Promise.all(
  SCHEME_NAMES.map(async (name) => {
    const { scheme } = await schemeFactory(name)
    const retries = RETRIES[name]
    if (retries === undefined) throw new Error(`add '${name}' to docs/schemes/retries.ts`)
    return { name, scheme, dedupe: dedupeOf(scheme), retries, ...defaultsOf(scheme) }
  }),
)
const vectors = readdirSync(VECTORS)
  .filter((name) => name.endsWith('.json') && SCHEME_NAMES.includes(name.replace('.json', '')))
  .map((name) => JSON.parse(readFileSync(new URL(name, VECTORS), 'utf8')))

const LIST = finder(schemes)
const ENTRIES = LIST.split('\n')

it('docs/schemes.md is up to date (npm run docs:schemes)', async () => {
  await expect(withMade(withLists('docs/schemes.md'), 'finder', LIST)).toMatchFileSnapshot(PAGE)
})

it('test/suites/peers/differences.md is up to date (npm run docs:schemes)', async () => {
  const page = readFileSync(DIFFERENCES, 'utf8')
  await expect(withMade(page, 'differences', differencesTable(vectors))).toMatchFileSnapshot(DIFFERENCES)
})

describe('the retries of senders', () => {
  const timed = schemes.flatMap(({ retries: { lastsSeconds }, ...scheme }) =>
    lastsSeconds ? [{ ...scheme, lastsSeconds }] : [],
  )

  it('the retries are written down for each scheme, with a source', () => {
    const unknown = Object.keys(RETRIES).filter((name) => !SCHEME_NAMES.includes(name))
    expect(unknown, 'remove from docs/schemes/retries.ts').toEqual([])
    for (const { source, says, lastsSeconds } of Object.values(RETRIES)) {
      expect(new URL(source).protocol).toBe('https:')
      expect(says).not.toBe('')
      if (/^(undocumented|not read)$/.test(says)) expect(lastsSeconds).toBeUndefined()
    }
  })

  it.each(timed)(
    'the retries of $name go on after the lease of a crashed process has ended',
    ({ lastsSeconds, leaseSeconds }) => {
      expect(leaseSeconds * 2).toBeLessThanOrEqual(lastsSeconds)
    },
  )

  it.each(timed)(
    'an attempt of $name remains after a handler that hangs, and no handler has less time than it may have',
    ({ lastsSeconds, leaseSeconds, maxRunSeconds }) => {
      expect(maxRunSeconds).toBe(Math.min(900, lastsSeconds - leaseSeconds))
    },
  )

  it('handlers of senders that never retry, or do not say how long, may run for 900 s', () => {
    const others = schemes.filter(({ retries: { lastsSeconds = 0 } }) => lastsSeconds === 0)
    expect(others.map(({ name }) => name)).toContain('github')
    for (const { name, maxRunSeconds } of others) expect(maxRunSeconds, name).toBe(900)
  })

  it('docs/options.md lists the senders whose handlers have less than 900 s', () => {
    const page = readFileSync(new URL('../../docs/options.md', import.meta.url), 'utf8')
    const [row = ''] = page.match(/^\| `maxRunSeconds` .*/m) ?? []
    for (const { scheme, maxRunSeconds } of schemes)
      expect(row.includes(scheme.sender), scheme.sender).toBe(maxRunSeconds < 900)
  })

  it.each(timed.filter(({ scheme }) => scheme.timestamp?.of === 'event'))(
    'the retries of $name end before the event is too old to be accepted',
    ({ scheme, lastsSeconds }) => {
      expect(scheme.timestamp?.toleranceSeconds ?? Infinity).toBeGreaterThanOrEqual(lastsSeconds)
    },
  )

  it('a sender that never retries, or that outlasts the default retention, has the advice on its page or in the finder', () => {
    const advised = schemes.filter((found) => adviceFor(found) !== '')
    expect(advised.map(({ name }) => name)).toContain('woocommerce')
    for (const found of advised) {
      const file = new URL(`docs/schemes/${found.name}.md`, root)
      const own = existsSync(file)
        ? readFileSync(file, 'utf8')
        : ENTRIES.find((line) => line.includes(` \`${found.name}\``))
      expect(own?.toLowerCase().replaceAll('../', ''), found.name).toContain(
        adviceFor(found).toLowerCase().replace(/\.$/, ''),
      )
    }
  })
})

describe('docs/schemes.md', () => {
  it('the page has one line for each sender, with or without a scheme', () => {
    expect(ENTRIES.length).toBe(SCHEME_NAMES.length + WITHOUT_SCHEME.length)
    for (const name of SCHEME_NAMES) {
      expect(
        ENTRIES.filter((line) => /^- [^`<]*`([^`]+)`/.exec(line)?.[1] === name),
        name,
      ).toHaveLength(1)
    }
  })

  it('the senders stand in alphabetical order, and none is there twice', () => {
    const names = ENTRIES.map((line) => /\*\*(.+?)\*\*/.exec(line)?.[1] ?? '')
    expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b, 'en')))
    expect(new Set(names).size).toBe(names.length)
  })

  it('no entry is longer than a reader takes in', () => {
    for (const line of ENTRIES) {
      const words = line.replaceAll(/\]\([^)]*\)|<br>.*<\/span>/g, ']').split(/\s+/)
      expect(words.length, line).toBeLessThanOrEqual(90)
    }
  })
})
