import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { Browser, inChromium, WHY_NO_CHROMIUM } from '../../support/chromium.ts'
import { type ServedSite, serveSite } from './serve-site.ts'

describe.skipIf(WHY_NO_CHROMIUM)(inChromium('the switch of frameworks, in Chromium'), () => {
  let browser: Browser
  let site: ServedSite

  beforeAll(async () => {
    site = await serveSite()
    browser = await Browser.open()
    return async () => {
      await browser.close()
      site.close()
    }
  })

  const shown = (page: Page) => page.locator('.frameworks > section:visible').evaluateAll(names)
  const names = (sections: { getAttribute(name: string): string | null }[]) =>
    sections.map((section) => section.getAttribute('data-framework'))

  it('the switch shows Express first, then what the reader chose, on the next page and visit too', async () => {
    const page = await browser.page(site.origin)
    await page.goto(`${site.origin}/`)
    expect(await shown(page)).toEqual(['Express'])
    await page.getByRole('radio', { name: 'Hono' }).check()
    await expect.poll(() => shown(page)).toEqual(['Hono'])
    for (const other of ['schemes/stripe.html', 'quickstart.html']) {
      await page.goto(`${site.origin}/${other}`)
      await expect.poll(() => shown(page)).toEqual(['Hono'])
    }
    expect(await page.getByRole('radio', { name: 'Hono' }).isChecked()).toBe(true)
    await page.reload()
    await expect.poll(() => shown(page)).toEqual(['Hono'])
    expect(browser.complaints).toEqual([])
    await page.evaluate('localStorage.clear()')
    await page.close()
  })

  it('each framework says how its program is started', async () => {
    const page = await browser.page(site.origin)
    for (const path of ['quickstart.html', 'schemes/stripe.html']) {
      await page.goto(`${site.origin}/${path}`)
      for (const name of ['Express', 'Fastify', 'Hono', 'Next.js']) {
        await page.getByRole('radio', { name }).check()
        const commands = await page.locator('.frameworks > section:visible .language-sh pre').allInnerTexts()
        expect(commands.at(-1), `${path}, ${name}`).toContain(
          name === 'Next.js' ? 'npx next dev' : 'node app.mjs',
        )
      }
      expect(await page.getByText('node app.mjs').filter({ visible: true }).count(), path).toBe(0)
    }
    await page.evaluate('localStorage.clear()')
    await page.close()
  })

  it('the switch works by keyboard, and takes no framework that it does not know', async () => {
    const page = await browser.page(site.origin)
    await page.goto(`${site.origin}/`)
    await page.evaluate(`localStorage.setItem('hookgate-framework', '"><img src=x onerror=alert(1)>')`)
    await page.reload()
    expect(await shown(page)).toEqual(['Express'])
    await page.getByRole('radio', { name: 'Express' }).focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => shown(page)).toEqual(['Fastify'])
    expect(browser.complaints).toEqual([])
    await page.evaluate('localStorage.clear()')
    await page.close()
  })
})
