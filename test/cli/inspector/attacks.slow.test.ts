import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { signHmac } from '../../../src/testing/index.ts'
import { Browser, inChromium, WHY_NO_CHROMIUM } from '../../support/chromium.ts'
import { type RunningInspector, SECRET, startInspector } from './support.ts'

/** A foreign page on another port of this machine. Browsers consider it same-site. */
describe.skipIf(WHY_NO_CHROMIUM)(inChromium('a hostile page in the same browser'), () => {
  let browser: Browser
  let hostile: string
  let page: Page
  let inspector: RunningInspector

  beforeAll(async () => {
    browser = await Browser.open({ flags: ['--host-resolver-rules=MAP rebind.test 127.0.0.1'] })
    const server = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<p>hello'),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    hostile = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return async () => {
      await browser.close()
      server.closeAllConnections()
      server.close()
    }
  }, 60_000)

  beforeEach(async () => {
    inspector = await startInspector()
    await inspector.deliver(await signHmac({ secret: SECRET, body: '{}' }))
    const own = await browser.page(inspector.origin)
    await own.goto(inspector.address)
    await own.locator('.row').waitFor()
    page = await browser.page(hostile)
    await page.goto(hostile)
    return async () => {
      await page.close()
      await own.close()
    }
  })

  const fetching = (target: string, init = '{}') =>
    page.evaluate(
      `fetch(${JSON.stringify(target)}, ${init}).then((r) => r.text()).catch((error) => 'blocked')`,
    )

  async function deliveries(): Promise<number> {
    return (await (await inspector.ask('export.ndjson')).text()).trimEnd().split('\n').length
  }

  it('a hostile page reads nothing, with the token or without', async () => {
    const { origin, token } = inspector
    expect(await fetching(`${origin}/`)).toBe('blocked')
    expect(await fetching(`${origin}/api/export.ndjson`)).toBe('blocked')
    const headers = `{ headers: { authorization: 'Bearer ${token}' } }`
    expect(await fetching(`${origin}/api/export.ndjson`, headers)).toBe('blocked')
  })

  it('a hostile page sends nothing again, not even blindly', async () => {
    const { origin } = inspector
    for (const mode of ['no-cors', 'cors']) {
      const init = `{ method: 'POST', mode: '${mode}', credentials: 'include', body: '{"isNewEvent":true}' }`
      await fetching(`${origin}/api/deliveries/1/send`, init)
    }
    const posted = page.waitForResponse((response) => response.request().method() === 'POST')
    await page.evaluate(`(() => {
      const frame = Object.assign(document.createElement('iframe'), { name: 'frame' })
      const form = document.createElement('form')
      Object.assign(form, { method: 'post', action: '${origin}/api/deliveries/1/send', target: 'frame' })
      document.body.append(frame, form)
      form.submit()
    })()`)
    expect((await posted).status()).toBe(403)
    expect(await deliveries()).toBe(1)
  })

  it('a hostile page cannot frame the page, or load an export as a script', async () => {
    const { origin } = inspector
    const framed = page.waitForResponse(`${origin}/`)
    await page.evaluate(`document.body.appendChild(document.createElement('iframe')).src = '${origin}/'`)
    expect((await framed).status()).toBe(403)
    const loaded = await page.evaluate(`new Promise((done) => {
      const script = document.head.appendChild(document.createElement('script'))
      Object.assign(script, { onload: () => done('loaded'), onerror: () => done('error'), src: '${origin}/api/export.ndjson' })
    })`)
    expect(loaded).toBe('error')
  })

  it('a hostile page gets nothing by DNS rebinding', async () => {
    const rebound = `http://rebind.test:${inspector.port}`
    const response = await page.goto(`${rebound}/`)
    expect(response?.status()).toBe(403)
    const headers = `{ headers: { authorization: 'Bearer ${inspector.token}' } }`
    expect(await fetching(`${rebound}/api/export.ndjson`, headers)).toContain('only its own origin')
  })

  it('no code of the page turns text into HTML', async () => {
    const own = await browser.page(inspector.origin)
    await own.goto(inspector.address)
    const tried = await own.evaluate(`(() => {
      try { document.body.innerHTML = '<b>x</b>'; return 'made' } catch (error) { return error.name }
    })()`)
    expect(tried).toBe('TypeError')
    const policy = await own.evaluate(`(() => {
      try { trustedTypes.createPolicy('x', {}); return 'made' } catch (error) { return error.name }
    })()`)
    expect(policy).toBe('TypeError')
    await own.close()
  })
})
