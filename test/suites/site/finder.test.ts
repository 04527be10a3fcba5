import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { Browser, inChromium, WHY_NO_CHROMIUM } from '../../support/chromium.ts'
import { type ServedSite, serveSite } from './serve-site.ts'
import { readBuilt } from './site-files.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

it('the page without JavaScript has the whole list, its links, and no field that does nothing', () => {
  const html = readBuilt('/schemes.html')
  const [list = ''] = /class="finder"[^>]*>.*?<\/ul>/s.exec(html) ?? []
  expect(list.match(/<li>/g)?.length).toBeGreaterThan(80)
  expect(list).toContain('href="/schemes/stripe.html"')
  expect(list).not.toContain('<input')
})

describe.skipIf(WHY_NO_CHROMIUM)(inChromium('the finder of senders, in Chromium'), () => {
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

  const field = () => page.getByRole('searchbox', { name: 'Sender' })
  const shown = () => page.locator('.finder + ul > li:visible strong').allInnerTexts()

  async function open(width: number) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(`${site.origin}/schemes.html`)
    await field().waitFor()
  }

  it.each([375, 1_280])(
    'at %i px the field filters the list, and no entry is wider than the screen',
    async (width) => {
      await open(width)
      expect((await shown()).length).toBeGreaterThan(80)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      await field().fill('stirpe')
      await expect.poll(shown).toEqual(['Stripe'])
      await page.locator('.finder + ul > li:visible a').first().click()
      await expect.poll(() => page.url()).toContain('/schemes/stripe.html')
      expect(browser.complaints).toEqual([])
    },
  )

  it('Escape empties the field, and shows all again', async () => {
    await open(1_280)
    const all = await shown()
    await field().fill('stripe')
    await expect.poll(shown).toEqual(['Stripe'])
    await field().press('Escape')
    expect(await field().inputValue()).toBe('')
    await expect.poll(shown).toEqual(all)
  })

  it.each([390, 1_280])(
    'at %i px the entries stand one below the other, with its details folded',
    async (width) => {
      await open(width)
      const lefts = `Array.from(document.querySelectorAll('.finder + ul > li'), (item) => item.getBoundingClientRect().left)`
      expect(new Set(await page.evaluate<number[]>(lefts)).size).toBe(1)
      const heights = `Array.from(document.querySelectorAll('.finder + ul > li'), (item) => item.getBoundingClientRect().height)`
      expect(Math.max(...(await page.evaluate<number[]>(heights)))).toBeLessThan(140)
      const first = page.locator('.finder + ul > li').first()
      const details = first.getByRole('link').first()
      expect(await details.isVisible()).toBe(false)
      await first.locator('summary').click()
      expect(await details.isVisible()).toBe(true)
      expect((await field().boundingBox())?.y).toBeLessThan(width > 1_000 ? 450 : 600)
    },
  )

  it('the field finds a sender that does not sign, and links to how to receive it', async () => {
    await open(375)
    await field().fill('sälesforce')
    await expect.poll(shown).toEqual(['Salesforce (outbound messages)'])
    await page.locator('.finder + ul > li:visible a[href="#senders-that-do-not-sign"]').click()
    await expect.poll(() => page.url()).toContain('#senders-that-do-not-sign')
  })

  it('the field takes markup as text, says that nothing was found, and shows all when it is emptied', async () => {
    await open(1_280)
    const all = await shown()
    await field().fill('<img src=x onerror="document.title=1"><script>document.title=2</script>')
    await expect.poll(shown).toEqual([])
    await expect.poll(() => page.getByRole('status').innerText()).toContain('No sender has this name')
    expect(await page.title()).not.toMatch(/^[12]/)
    await field().fill('')
    await expect.poll(shown).toEqual(all)
    expect(browser.complaints).toEqual([])
  })

  it.each(['light', 'dark'] as const)('the field has a name and enough contrast, %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await open(375)
    await field().fill('paypal')
    await page.evaluate(AXE)
    const rules = "['color-contrast', 'label', 'aria-input-field-name']"
    const found = await page.evaluate(
      `axe.run('.finder', { runOnly: ${rules} }).then(({ violations }) => violations.map(({ id }) => id))`,
    )
    expect(found).toEqual([])
    await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  })
})
