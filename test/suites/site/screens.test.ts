import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { PAGES } from '../../../docs/site/.vitepress/sidebar.ts'
import { Browser, inChromium, WHY_NO_CHROMIUM } from '../../support/chromium.ts'
import { type ServedSite, serveSite } from './serve-site.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const SCREENS = [
  { width: 375, height: 812 },
  { width: 1_280, height: 800 },
]

describe.skipIf(WHY_NO_CHROMIUM)(inChromium('what stands on a screen, in Chromium'), () => {
  let browser: Browser
  let site: ServedSite
  let page: Page

  beforeAll(async () => {
    site = await serveSite()
    browser = await Browser.open()
    page = await browser.page(site.origin)
    return async () => {
      await browser.close()
      site.close()
    }
  })

  /** How far down an element ends, in pixels of the first screen. */
  const bottomOf = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => element.getBoundingClientRect().bottom)

  it.each(SCREENS)(
    'the first screen of $width × $height has the name, the sentence and the install line, on a desk the program and the picture too',
    async (size) => {
      await page.setViewportSize(size)
      await page.goto(`${site.origin}/`)
      const parts = ['.says h1', '.says h1 + p', '.first pre']
      for (const part of [
        ...parts,
        ...(size.width > 1_000 ? ['.first section:first-of-type > div:last-child pre', '.first figure'] : []),
      ]) {
        expect(await bottomOf(part), part).toBeLessThanOrEqual(size.height)
      }
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(size.width)
    },
  )

  it.each(SCREENS)(
    'at $width px no page is wider than the screen, no code is cut off, and each wide table says that it scrolls',
    { timeout: 300_000 },
    async (size) => {
      await page.setViewportSize(size)
      const wrong: string[] = []
      for (const name of PAGES) {
        await page.goto(`${site.origin}/${name}.html`)
        await page.locator('.site-footer a').first().waitFor()
        const found = await page.evaluate<string[]>(`[
        ...(document.documentElement.scrollWidth > innerWidth ? ['the page'] : []),
        ...[...document.querySelectorAll('.vp-doc pre')]
          .filter((code) => code.scrollWidth > code.clientWidth + 1)
          .map((code) => code.innerText.slice(0, 40)),
        ...[...document.querySelectorAll('.vp-doc table')]
          .filter((table) => table.scrollWidth > table.clientWidth + 1 && !table.matches('[data-wide][tabindex="0"]'))
          .map((table) => table.innerText.slice(0, 40)),
      ]`)
        wrong.push(...found.map((what) => `${name}: ${what}`))
      }
      expect(wrong).toEqual([])
    },
  )

  it('on a phone, a broken line of code goes on no further left than it began', async () => {
    await page.setViewportSize({ width: 375, height: 812 })
    await page.goto(`${site.origin}/frameworks/hono.html`)
    const broken = await page.evaluate<string[]>(`[...document.querySelectorAll('.vp-doc pre .line')]
      .filter((line) => {
        const [first, ...rest] = [...line.querySelectorAll(':scope > span')]
        if (first === undefined) return false
        const start = new Range()
        start.setStart(first.firstChild, first.firstChild.data.search(/[^ ]|$/))
        start.setEndAfter(first)
        const { left, bottom } = start.getClientRects()[0]
        const rows = [first, ...rest].flatMap((span) => [...span.getClientRects()])
        return rows.some((row) => row.top > bottom - 4 && row.left < left - 1)
      })
      .map((line) => line.innerText)`)
    expect(broken).toEqual([])
  })

  it.each(['schemes/github', 'recover', 'runtimes'])(
    'on phones of any width, the page %s breaks no option of a command',
    async (name) => {
      await page.goto(`${site.origin}/${name}.html`)
      for (let width = 320; width <= 430; width += 5) {
        await page.setViewportSize({ width, height: 812 })
        const broken = await page.evaluate<
          string[]
        >(`[...document.querySelectorAll('.vp-doc code')].flatMap((code) => {
          const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
          const found = []
          while (texts.nextNode())
            for (const { index, 0: option } of texts.currentNode.data.matchAll(/(?<![\\w-])--[a-z-]+/g)) {
              const range = new Range()
              range.setStart(texts.currentNode, index)
              range.setEnd(texts.currentNode, index + option.length)
              if (range.getClientRects().length > 1) found.push(option)
            }
          return found
        })`)
        expect(broken, `${width}`).toEqual([])
      }
    },
  )

  it("the sidebar shows the page's own line, however far down it is", async () => {
    await page.setViewportSize({ width: 1_280, height: 800 })
    await page.goto(`${site.origin}/migrate/twilio.html`)
    const own = '.VPSidebarItem.is-active > .item > .link'
    await page.locator(own).first().waitFor() // its group is unfolded
    await expect.poll(() => bottomOf(own)).toBeLessThanOrEqual(800)
    expect(await page.evaluate('scrollY')).toBe(0)
  })

  it.each(['light', 'dark'] as const)('the text of the site has enough contrast, %s', async (colorScheme) => {
    await page.setViewportSize({ width: 1_280, height: 800 })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const path of ['/', '/errors.html', '/schemes.html', '/schemes/stripe.html']) {
      await page.goto(site.origin + path)
      await page.locator('.site-footer a').first().waitFor()
      await page.evaluate(AXE)
      const rules = "['color-contrast', 'image-alt', 'link-name', 'scrollable-region-focusable']"
      const found = await page.evaluate(
        `axe.run({ runOnly: ${rules} }).then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))`,
      )
      expect(found, path).toEqual([])
    }
    await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  })

  it.each(SCREENS)("at $width px the playground's verdict is seen without scrolling", async (size) => {
    await page.setViewportSize(size)
    await page.goto(`${site.origin}/playground/`)
    await page.locator('#result h2', { hasText: 'Accepted' }).waitFor()
    await page.locator('#secret').fill('whsec_another_secret')
    await page.locator('.clearest').waitFor()
    expect(await bottomOf('.clearest')).toBeLessThanOrEqual(size.height)
    expect(await page.evaluate('scrollY')).toBe(0)
  })
})
