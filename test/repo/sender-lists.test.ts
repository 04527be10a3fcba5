import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { SenderScheme } from '../../src/schemes/kit/index.ts'
import { filesIn } from './files-in.ts'
import { isTimeless, NEVER_ALIKE, nameOf, PAGES, SCHEMES, withLists } from './sender-lists.ts'

const fileOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const read = (path: string) => readFileSync(fileOf(path), 'utf8')

// schemes-page.test.ts writes docs/schemes.md, with its finder.
it.each(PAGES.filter((page) => page !== 'docs/schemes.md'))(
  'the lists of senders in %s are up to date (npm run docs:schemes)',
  async (page) => {
    await expect(withLists(page)).toMatchFileSnapshot(fileOf(page))
  },
)

it('each sender without a signed time was judged: may two of its genuine bodies be the same?', () => {
  const timeless = SCHEMES.filter(isTimeless).map(({ name }) => name)
  expect([...NEVER_ALIKE].filter((name) => !timeless.includes(name))).toEqual([])
})

it('a sentence of a page names three senders or more as examples, or is made of the rows', () => {
  const made = /<!-- (\w+): npm run .*?<!-- end of \1 -->/gs
  const program = /^```.*?^```$/gms
  /** What says that there are others. */
  const asExamples = /\b(?:such as|as in|for example|e\.g\.|and others|more than \d+ other)\b/
  const names = new Set([
    ...SCHEMES.map(nameOf),
    'GitLab',
    'Pub/Sub',
    'SNS',
    'WhatsApp',
    'Front',
    'App Store',
  ])
  const patterns = [...names].map((name) => {
    return new RegExp(`(?<![\\w/-])${name.replaceAll(/[.()]/g, '\\$&')}(?![\\w-])`)
  })
  const pages = ['README.md', 'SECURITY.md', ...filesIn('docs', '.md')]
  const lists = pages
    .filter((page) => !/^docs\/(?:api|schemes|site)\//.test(page))
    .flatMap((page) =>
      read(page)
        .replaceAll(made, '')
        .replaceAll(program, '')
        .split(/\n\s*\n|\n(?=[-|#])|[.:;!?](?=\s)| \| /)
        .filter((text) => !asExamples.test(text) && patterns.filter((name) => name.test(text)).length > 2)
        .map((text) => `${page}: ${text.replaceAll(/\s+/g, ' ')}`),
    )
  expect(lists, 'add it to test/repo/sender-lists.ts, or say that they are examples').toEqual([])
})

describe('the facts that no verdict shows', () => {
  const source = ({ name }: SenderScheme) => read(`src/schemes/${name}.ts`)
  const having = (is: (scheme: SenderScheme) => unknown) =>
    SCHEMES.filter((scheme) => is(scheme)).map(({ name }) => name)

  it('a scheme whose code computes SHA-1 says so', () => {
    const computing = having((scheme) => scheme.algorithm === 'code' && /sha-?1\b/i.test(source(scheme)))
    expect(computing).toContain('braintree')
    expect(having(({ facts }) => facts?.weakBy && facts.weakBy !== 'crc-32')).toEqual(computing)
  })

  it('a scheme that takes keys from the host of the sender says how', () => {
    const byName = having((scheme) => /remote-(?:certificates|cache)\.ts'/.test(source(scheme)))
    const inOneSet = having((scheme) => /remote-key-set\.ts'/.test(source(scheme)))
    expect(having(({ facts }) => facts?.keyHost === 'by name')).toEqual(byName)
    expect(having(({ facts }) => facts?.keyHost === 'one set')).toEqual(inOneSet)
  })

  it('a scheme that also takes a token says when', () => {
    const isBoth = (scheme: SenderScheme) =>
      scheme.algorithm !== 'token' && /algorithm: 'token'/.test(source(scheme))
    expect(having(isBoth)).toContain('revenuecat')
    expect(having(({ facts }) => facts?.tokenWhen)).toEqual(having(isBoth))
  })
})
