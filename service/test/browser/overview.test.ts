import { signHmac } from 'hookgate/testing'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { Browser, inChromium, WHY_NO_CHROMIUM } from '../../../test/support/chromium.ts'
import type { ServiceProcess } from '../processes/service-process.ts'
import { startedService } from '../support/started-service.ts'

/** Scripts that would set `owned`, hide the page, or leave it. */
const HOSTILE = [
  '<script>owned = 1</script>',
  '"><img src=x onerror="owned = 1">',
  '</pre></details><svg onload="owned = 1">',
  '<style>main { display: none }</style>',
  '<link rel="stylesheet" href="https://example.com/x.css">',
  '<meta http-equiv="refresh" content="0; url=https://example.com/">',
  '<base href="https://example.com/"><iframe srcdoc="<script>parent.owned = 1</script>">',
  '</main><main>&lt;script&gt;owned = 1&lt;/script&gt;',
  '{{owned = 1}}<%= owned = 1 %>',
  '\u202e\u2066\u200b]]><!--',
  `${'x'.repeat(60_000)}`,
]

describe.skipIf(WHY_NO_CHROMIUM)(inChromium('the overview, in Chromium'), () => {
  let service: ServiceProcess
  let browser: Browser
  let page: Page
  let deliver: (body: unknown) => Promise<number>

  beforeAll(async () => {
    const started = await startedService()
    service = started.service
    browser = await Browser.open({ token: service.token })
    deliver = await newHostileListener(service)
    for (const text of HOSTILE) expect(await deliver(text)).toBe(200)
    page = await browser.page(service.origin)
    page.on('dialog', (dialog) => browser.complaints.push(dialog.message()))
    await page.goto(`${service.origin}/`)
    await page.getByText('Live.').waitFor()
    await page.evaluate('window.stayed = true')
    return async () => {
      await browser.close()
      await started.end()
    }
  }, 120_000)

  it('the overview shows hostile names, bodies and outcomes as text', async () => {
    await expect
      .poll(() => page.locator('li[id^=run-] .badge[data-state=succeeded]').count())
      .toBe(HOSTILE.length + 1) // and the demo's
    const inputs = await page.locator('pre').allTextContents()
    for (const text of HOSTILE.filter((text) => text.length < 1_000 && !text.includes('\u202e'))) {
      expect(inputs).toContain(JSON.stringify(text))
    }
    expect(inputs.join()).toContain('\\u{202e}\\u{2066}\\u{200b}]]><!--')
    expect(inputs.join()).toContain(`${'x'.repeat(1_000)}`)
    const automation = page.locator('li[id^=run-] h3').first()
    expect(await automation.innerText()).toContain('<script>owned = 1</script>')
  })

  it('the overview shows a new delivery without a reload', async () => {
    expect(await deliver({ late: '<script>owned = 1</script>' })).toBe(200)
    await page.getByText('{"late":"<script>owned = 1</script>"}').first().waitFor({ state: 'attached' })
    expect(await page.evaluate('window.stayed')).toBe(true)
  })

  it('the overview keeps an input open after an update', async () => {
    const first = page.locator('li[id^=run-]').first()
    const id = await first.getAttribute('id')
    await first.locator('summary').click()
    await deliver({ another: 1 })
    await page.getByText('{"another":1}').first().waitFor({ state: 'attached' })
    expect(await page.locator(`[id="${id}"] details`).getAttribute('open')).toBe('')
    expect(await page.locator('details[open]').count()).toBe(1)
  })

  it('the overview keeps the keyboard at its place after an update', async () => {
    const id = await page.locator('li[id^=run-]').first().getAttribute('id')
    await page.locator(`[id="${id}"] summary`).focus()
    await deliver({ typed: 1 })
    await page.getByText('{"typed":1}').first().waitFor({ state: 'attached' })
    expect(await page.evaluate('document.activeElement.closest("li")?.id')).toBe(id)
  })

  it('the overview never violates its Content-Security-Policy', async () => {
    expect(await page.evaluate('[typeof owned, document.querySelectorAll("main").length]')).toEqual([
      'undefined',
      1,
    ])
    expect(page.url()).toBe(`${service.origin}/`)
    expect(await page.getByRole('heading', { name: 'Listeners' }).isVisible()).toBe(true)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(1_280)
    expect(await browser.coloursIn(await page.screenshot())).toBeGreaterThan(50)
    expect(browser.complaints).toEqual([])
  })

  it('the overview asks nothing while it is hidden, and again once it is shown', async () => {
    const hidden = await browser.page(service.origin)
    await hidden.clock.install()
    await hidden.addInitScript(
      "Object.defineProperty(document, 'hidden', { get: () => window.isShown !== true })",
    )
    let asked = 0
    hidden.on('request', (request) => {
      if (request.url().endsWith('/overview/latest')) asked += 1
    })
    await hidden.goto(`${service.origin}/`)
    await hidden.clock.runFor(60_000)
    expect(asked).toBe(0)
    await hidden.evaluate('window.isShown = true')
    await hidden.clock.runFor(2_000)
    await hidden.getByText('Live.').waitFor()
    expect(asked).toBeGreaterThan(0)
    await hidden.close()
  })

  it('the overview is live again after answers of 503', async () => {
    let refused = 0
    await page.route('**/overview/latest', (route) => {
      refused += 1
      return refused < 3 ? route.fulfill({ status: 503 }) : route.continue()
    })
    await page.getByText('Not connected.').waitFor()
    await page.getByText('Live.').waitFor({ timeout: 0 })
    expect(refused).toBe(3)
    await page.unroute('**/overview/latest')
  })

  it('the overview is live again after a restart, and does not delay it', async () => {
    await page.evaluate('window.stayed = true')
    await service.kill('SIGTERM')
    expect([service.exitCode, service.printed]).toEqual([0, expect.not.stringContaining('in flight')])
    await page.getByText('Not connected.').waitFor()
    await service.start({ SERVICE_PORT: new URL(service.origin).port })
    await page.getByText('Live.').waitFor({ timeout: 0 })
    expect(await deliver({ after: 'the restart' })).toBe(200)
    await page.getByText('{"after":"the restart"}').first().waitFor({ state: 'attached' })
    expect(await page.evaluate('window.stayed')).toBe(true)
  }, 60_000)

  it('the overview says that its token is revoked, keeps what it shows, and opens no dialog', async () => {
    await page.route('**/overview/latest', (route) => route.fulfill({ status: 401 }))
    await page.getByText('Your token is no longer valid.').waitFor()
    expect(await page.locator('li[id^=run-]').count()).toBeGreaterThan(0)
    await page.unroute('**/overview/latest')
    await page.getByText('Live.').waitFor()
  })
})

/**
 * Creates an automation with a hostile name. It keeps what it was sent, and fails with it too.
 * @returns A function that delivers a signed body.
 */
async function newHostileListener(service: ServiceProcess) {
  const { automation, signingSecret } = await service.ask('POST', '/api/v1/automations', {
    displayName: '<script>owned = 1</script>',
    steps: [{ type: 'record', valueCel: 'ctx.trigger' }],
    trigger: { enabled: true, incomingWebhook: { hmac: {} } },
  })
  await service.ask('POST', `/api/v1/automations/${automation.id}/action/publish`)
  const { secret } = signingSecret
  const { url } = automation.trigger.incomingWebhook
  return async (body: unknown) =>
    (await fetch(url, await signHmac({ secret, body: JSON.stringify(body) }))).status
}
