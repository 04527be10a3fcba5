import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { ANSWER_TO } from '../../../docs/site/.vitepress/search.ts'
import { Browser, inChromium, WHY_NO_CHROMIUM } from '../../support/chromium.ts'
import { type ServedSite, serveSite } from './serve-site.ts'
import { ROOT, SITE } from './site-files.ts'

const REASONS = [...readFileSync(`${ROOT}docs/errors.md`, 'utf8').matchAll(/^### `([a-z_0-9]+)`$/gm)].map(
  ([, reason = '']) => reason,
)

describe.skipIf(WHY_NO_CHROMIUM)(inChromium('the site, in Chromium'), () => {
  let browser: Browser
  let site: ServedSite
  let page: Page

  beforeAll(async () => {
    site = await serveSite()
    browser = await Browser.open()
    page = await browser.page(site.origin)
    await page.goto(`${site.origin}/`)
    return async () => {
      await browser.close()
      site.close()
    }
  })

  /** The targets of the search results, best first. */
  async function search(words: string): Promise<(string | null)[]> {
    await page.locator('.VPLocalSearchBox .search-input').fill(words)
    await page.locator('.VPLocalSearchBox .result').first().waitFor()
    return page
      .locator('.VPLocalSearchBox .result')
      .evaluateAll((results) => results.map((result) => result.getAttribute('href')))
  }

  it('the search finds every reason, every error code and every export', { timeout: 120_000 }, async () => {
    expect(REASONS.length).toBeGreaterThan(20)
    await page.getByRole('button', { name: 'Search' }).click()
    for (const reason of REASONS) {
      await expect.poll(() => search(reason), { message: reason }).toContain(`/errors.html#${reason}`)
    }
    await expect.poll(() => search('memoryStore')).toContain('/api/hookgate/stores/memory.html#memorystore')
    await page.keyboard.press('Escape')
  })

  const WORDS =
    'prisma drizzle mysql mongo retry queue order express vercel rotate test raw constructEvent ngrok duplicate'

  it('search.ts says which page answers each word that readers search for', () => {
    const words = WORDS.toLowerCase().split(' ')
    expect(Object.keys(ANSWER_TO)).toEqual(expect.arrayContaining(words))
  })

  it('the search finds the page that answers a word first', { timeout: 120_000 }, async () => {
    await page.goto(`${site.origin}/`)
    await page.getByRole('button', { name: 'Search' }).click()
    for (const [word, target] of Object.entries(ANSWER_TO)) {
      const first = async () => (await search(word))[0]?.replace(/#.*/, '')
      await expect.poll(first, { message: word }).toBe(`/${target}.html`)
    }
    await page.keyboard.press('Escape')
  })

  it.each([
    ['raw body', ANSWER_TO.raw],
    ['rotate secrets', ANSWER_TO.rotate],
    ['express.json', `(?:troubleshooting|${ANSWER_TO.express})`],
    ['signature verification failed', '(?:troubleshooting|errors)'],
    ['stripe signature wrong', 'troubleshooting'],
    ['github webhooks', 'schemes/github'],
    ['vercel', 'frameworks/vercel'],
    ['vercel webhooks', 'schemes/vercel'],
    ['Vercel webhook', 'schemes/vercel'],
    ['stripe', 'schemes/stripe'],
    ['GitHub', 'schemes/github'],
    ['timeout', 'events'],
    ['dead letter', 'inbox'],
    ['retry', ANSWER_TO.retry],
    ['compare', ANSWER_TO.compare],
    ['supabase', ANSWER_TO.supabase],
    ['docker', ANSWER_TO.docker],
    ['golang', ANSWER_TO.golang],
  ])('the search finds the right page first for %s', { timeout: 60_000 }, async (words, target) => {
    await page.goto(`${site.origin}/`)
    await page.getByRole('button', { name: 'Search' }).click()
    await expect.poll(async () => (await search(words))[0]).toMatch(new RegExp(`^/${target}\\.html`))
    const excerpt = page.locator('.VPLocalSearchBox .result').first().locator('.excerpt')
    await expect.poll(() => excerpt.innerText()).not.toBe('')
    await page.keyboard.press('Escape')
  })

  it("the search finds each sender's page by its title", { timeout: 120_000 }, async () => {
    await page.goto(`${site.origin}/`)
    await page.getByRole('button', { name: 'Search' }).click()
    const names = readdirSync(`${ROOT}docs/schemes`).filter((name) => name.endsWith('.md'))
    expect(names.length).toBeGreaterThanOrEqual(26)
    for (const name of names) {
      const [, title = ''] = /^# (.+)/.exec(readFileSync(`${ROOT}docs/schemes/${name}`, 'utf8')) ?? []
      const target = `/schemes/${name.replace('.md', '.html')}`
      await expect.poll(async () => (await search(title))[0], { message: title }).toMatch(target)
    }
    await page.keyboard.press('Escape')
  })

  it('the site opens the playground from the home page, and from the page on local development', async () => {
    for (const start of ['/', '/tunnels.html']) {
      await page.goto(site.origin + start)
      await page.locator('.VPContent a[href="/playground/"]').click()
      await page.locator('#result h2', { hasText: 'Accepted' }).waitFor()
    }
  })

  it('the page for a dead link leads on, and has a main part', async () => {
    await page.goto(`${site.origin}/404.html`)
    const links = page.locator('main.not-found a')
    await links.first().waitFor()
    for (const link of await links.evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? '')))
      expect(existsSync(SITE + link), link).toBe(true)
    expect(await links.count()).toBeGreaterThan(3)
  })

  it('the site shows the picture of the theme, and the other one after the switch', async () => {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(`${site.origin}/`)
    const shown = () =>
      page
        .locator('.VPContent picture img:visible')
        .evaluateAll((all) => all.map((each) => Reflect.get(each, 'src')))
    await expect.poll(shown).toEqual([expect.stringContaining('inspector-light')])
    await page.locator('.VPSwitchAppearance:visible').first().click()
    await expect.poll(shown).toEqual([expect.stringContaining('inspector-dark')])
  })

  it('the site renders light and dark without an error or a request to another host', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.goto(`${site.origin}/schemes.html`)
      await page.locator('main table').first().waitFor()
    }
    expect(browser.complaints).toEqual([])
  })
})
