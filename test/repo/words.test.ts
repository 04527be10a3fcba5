import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const house = fileURLToPath(new URL('../../tools/house.mjs', import.meta.url))
const { stdout } = spawnSync(process.execPath, [house], { encoding: 'utf8' })

/** The words of each page, and those of its programs: `    712 + 107  docs/schemes.md`. */
const pages = [...stdout.matchAll(/^ +(\d+) \+ *\d+ {2}(\S+\.md)$/gm)].map(([, words, page = '']) => ({
  page,
  words: Number(words),
}))

it('the README and docs have at most 30,000 words, programs aside', () => {
  const words = pages.reduce((sum, { page, words }) => (page.startsWith('service/') ? sum : sum + words), 0)
  expect(words, 'npm run house prints the words of each page').toBeLessThanOrEqual(30_000)
})

/** Those that are looked things up in, not read, and the specification of the service. */
const LISTS = ['docs/errors.md', 'docs/options.md', 'docs/cli.md', 'docs/schemes.md', 'service/SPEC.md']

it('a page has at most 1,000 words, programs aside, but for lists', () => {
  const long = pages.filter(({ page, words }) => !LISTS.includes(page) && words > 1000)
  expect(long).toEqual([])
})

it('every folder of docs is counted, but for what commands write', () => {
  const names = pages.map(({ page }) => page)
  const some = ['README.md', 'docs/errors.md', 'docs/stores/redis.md', 'docs/migrate/stripe.md']
  expect(names).toEqual(expect.arrayContaining(some))
  expect(names.filter((name) => /^docs\/(?:schemes|api)\/|node_modules/.test(name))).toEqual([])
})
