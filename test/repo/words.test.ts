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

it('the README and docs have at most 28,000 words, programs aside', () => {
  const words = pages.reduce((sum, page) => sum + page.words, 0)
  expect(words, 'npm run house prints the words of each page').toBeLessThanOrEqual(28_000)
})

it('every folder of docs is counted, but for what commands write', () => {
  const names = pages.map(({ page }) => page)
  const some = ['README.md', 'docs/errors.md', 'docs/stores/redis.md', 'docs/migrate/stripe.md']
  expect(names).toEqual(expect.arrayContaining(some))
  expect(names.filter((name) => /^docs\/(?:schemes|api)\/|node_modules/.test(name))).toEqual([])
})
