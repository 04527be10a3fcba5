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
  const words = pages.reduce((sum, { page, words }) => (page.startsWith('service/') ? sum : sum + words), 0)
  expect(words, 'npm run house prints the words of each page').toBeLessThanOrEqual(28_000)
})

/** Those of the tree in which the pages were laid out. */
const MOST_WORDS: { readonly [page: string]: number } = {
  'README.md': 450,
  'docs/quickstart.md': 400,
  'docs/how-it-works.md': 500,
  'docs/duplicates.md': 450,
  'docs/own-scheme.md': 400,
  'docs/tunnels.md': 300,
  'docs/testing.md': 350,
  'docs/types.md': 400,
  'docs/idempotent.md': 900,
  'docs/inbox.md': 900, // four minutes
  'docs/ordering.md': 250,
  'docs/handoff.md': 600,
  'docs/rotate.md': 200,
  'docs/recover.md': 900, // four minutes
  'docs/tenants.md': 450,
  'docs/proxies.md': 450,
  'docs/limits.md': 250,
  'docs/operating.md': 600,
  'docs/stopping.md': 300,
  'docs/observability.md': 600,
  'docs/stores.md': 350,
  'docs/stores/write-one.md': 350,
  'docs/troubleshooting.md': 700,
  'docs/faq.md': 300,
  'docs/options.md': 500,
  'docs/cli.md': 900,
  'docs/forward.md': 700,
  'docs/errors.md': 1270,
  'docs/runtimes.md': 250,
  'docs/versions.md': 200,
  'docs/security-model.md': 900,
  'docs/alternatives.md': 300,
  'docs/speed.md': 150,
  'docs/frameworks/express.md': 300,
  'docs/frameworks/fastify.md': 300,
  'docs/frameworks/hono.md': 300,
  'docs/frameworks/nextjs.md': 350,
  'docs/frameworks/nestjs.md': 300,
  'docs/frameworks/sveltekit-nuxt-astro.md': 400,
  'docs/frameworks/bun-deno.md': 200,
  'docs/frameworks/workers.md': 350,
  'docs/frameworks/vercel.md': 250,
  'docs/frameworks/serverless.md': 450,
  'docs/frameworks/other.md': 500,
  'service/README.md': 500,
  'service/OPERATING.md': 1000,
  'service/SPEC.md': 2000,
}

it.each(Object.entries(MOST_WORDS))('%s has at most %d words, programs aside', (page, most) => {
  expect(pages.find((each) => each.page === page)?.words).toBeLessThanOrEqual(most)
})

it('a page of a migration, or of an engine, has at most 350 words', () => {
  const long = pages.filter(({ page, words }) => /^docs\/(?:migrate|stores)\//.test(page) && words > 350)
  expect(long.map(({ page }) => page)).toEqual([])
})

it('the pages on sending have at most 1,200 words together', () => {
  const sending = pages.filter(({ page }) => /^docs\/(?:specification|senders|sender)\.md$/.test(page))
  expect(sending.reduce((sum, { words }) => sum + words, 0)).toBeLessThanOrEqual(1200)
})

it('every folder of docs is counted, but for what commands write', () => {
  const names = pages.map(({ page }) => page)
  const some = ['README.md', 'docs/errors.md', 'docs/stores/redis.md', 'docs/migrate/stripe.md']
  expect(names).toEqual(expect.arrayContaining(some))
  expect(names.filter((name) => /^docs\/(?:schemes|api)\/|node_modules/.test(name))).toEqual([])
})
