import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { Browser, inChromium, WHY_NO_CHROMIUM } from '../../../test/support/chromium.ts'
import type { ServiceProcess } from '../processes/service-process.ts'
import { startedService } from '../support/started-service.ts'

describe.skipIf(WHY_NO_CHROMIUM)(inChromium('/docs, in Chromium'), () => {
  let service: ServiceProcess
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    browser = await Browser.open()
    const started = await startedService()
    service = started.service
    page = await browser.page(service.origin)
    await page.goto(`${service.origin}/docs`)
    await page.waitForSelector('.opblock')
    return async () => {
      await browser.close()
      await started.end()
    }
  }, 120_000)

  async function opened(id: string) {
    const block = page.locator(`.opblock[id$=${JSON.stringify(`-${id}`)}]`)
    if (!(await block.getAttribute('class'))?.includes('is-open'))
      await block.locator('.opblock-summary-control').click()
    return block
  }

  it('the page shows every operation and marks the additions', async () => {
    const text = await (await fetch(`${service.origin}/openapi.json`)).text()
    const { paths }: { paths: Record<string, Record<string, object>> } = JSON.parse(text)
    const documented = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        isAddition: 'x-addition-to-specification' in operation,
      })),
    )
    const rows = await page.locator('.opblock .opblock-summary-control').allInnerTexts()
    const shown = rows.map((row) => {
      const [method, path, summary = ''] = row.split(/\s*\n\s*/)
      return {
        name: `${method} ${path?.replaceAll('\u200b', '')}`,
        isAddition: summary.endsWith(' (addition)'),
      }
    })
    expect(shown).toEqual(expect.arrayContaining(documented))
    expect(shown).toHaveLength(documented.length)
  })

  it('the page shows numericId as a string', async () => {
    const block = await opened('getTask')
    const sample = await block.locator('.responses-wrapper .example').first().innerText()
    expect(sample).toContain('"numericId": "1"')
    expect(sample).not.toMatch(/"numericId": \d/)
  })

  async function authorize() {
    await page.click('.btn.authorize')
    await page.fill('.auth-container input', service.token)
    await page.click('.auth-btn-wrapper .authorize')
    await page.click('.auth-btn-wrapper .btn-done')
  }

  /** The status of an operation that is executed as the page proposes it. Empty if the page sends nothing. */
  async function statusOf(id: string): Promise<string> {
    const block = await opened(id)
    await block.locator('.try-out__btn').click()
    await block.locator('.execute').click()
    const status = block.locator('.live-responses-table .response-col_status').nth(1)
    // The page sends nothing if it finds a parameter missing.
    await status
      .or(block.locator('input.invalid').first())
      .first()
      .waitFor()
      .catch(() => {})
    const text = (await status.count()) > 0 ? await status.innerText() : ''
    await block.locator('.opblock-summary-control').click()
    return text.slice(0, 3)
  }

  it('the page executes every operation unchanged on a fresh demo, given a token', async () => {
    await authorize()
    const ids = await page.locator('.opblock').evaluateAll((blocks) => blocks.map(({ id }) => id))
    const operations = ids.map((id) => id.replace(/^operations-[^-]+-/, ''))
    expect(operations.length).toBeGreaterThan(35)
    const answers: Record<string, string> = {}
    for (const id of operations) answers[id] = await statusOf(id)
    const unanswered = Object.entries(answers).filter(([, status]) => !/^2/.test(status))
    expect(Object.fromEntries(unanswered)).toEqual({ receiveWebhook: '' }) // the page cannot sign
  }, 300_000)

  it('the page applies its colours, fits the window and logs no errors', async () => {
    expect(await browser.coloursIn(await page.screenshot())).toBeGreaterThan(100)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(1_280)
    expect(browser.complaints).toEqual([])
  })
})
