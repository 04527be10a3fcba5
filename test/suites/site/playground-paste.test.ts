import { describe, expect, it } from 'vitest'
import { curlCommand } from '../../../cli/command-line/shell.ts'
import { github } from '../../../src/schemes/github.ts'
import { stripe } from '../../../src/schemes/stripe.ts'
import { signAs } from '../../../src/testing/index.ts'
import { inChromium, WHY_NO_CHROMIUM } from '../../support/chromium.ts'
import { schemeFactory } from '../../support/schemes.ts'
import { type Playground, usePlayground } from './playground-page.ts'

const SECRET = 'playground-0123456789-abcdefghijklmnop'
const URL_OF_HOOK = 'https://example.com/hook'

describe.skipIf(WHY_NO_CHROMIUM)(inChromium('a request pasted into the playground, in Chromium'), () => {
  let playground: Playground
  usePlayground((opened) => {
    playground = opened
  })

  /** Fills in the field, as typing or dropping text does. */
  const paste = (text: string) => playground.page.getByLabel('Paste a request').fill(text)
  const told = (words: string | RegExp) => playground.page.locator('#told', { hasText: words }).waitFor()
  const commandOf = async (name: string, body: string, timestamp = 1_700_000_000) => {
    const signed = await signAs(await schemeFactory(name), {
      secret: SECRET,
      body,
      timestamp,
      eventType: 'push',
    })
    return curlCommand(URL_OF_HOOK, { ...signed.headers }, ['--data-raw', body])
  }

  it.each(['github', 'gitlab', 'meta', 'stripe'])(
    'the playground chooses %s by the headers, and accepts the old request',
    async (name) => {
      await paste(await commandOf(name, '{"id":"evt_7","type":"x"}'))
      await told(/^Read a curl command: [0-9]+ headers, 25 bytes\. Any age is accepted\.$/)
      expect(await playground.page.locator('#scheme').inputValue()).toBe(name)
      expect(await playground.page.locator('#url').inputValue()).toBe(URL_OF_HOOK)
      await playground.page.locator('#secret').fill(SECRET)
      await playground.verdict('Accepted')
    },
  )

  it('a wrong secret gives one clear line first, without a backtick', async () => {
    await paste(await commandOf('stripe', '{"id":"evt_7","type":"x"}'))
    await told(/^Read/)
    await playground.page.locator('#secret').fill('whsec_9fKq27LmZx0PvT4cRb8nWd1sYh3J')
    await playground.verdict('Refused with 401')
    await expect
      .poll(() => playground.page.locator('.why p').first().innerText())
      .toBe(
        'The secret is wrong, the body was changed, or Stripe did not send this; nothing more specific was found.',
      )
    expect(await playground.why()).not.toContain('`')
  })

  it('CRLF and bytes that are not UTF-8 stay as they are, until the body is edited', async () => {
    const { headers } = await signAs(github, {
      secret: SECRET,
      body: Buffer.from('{"a":"\xff\r\n"}', 'latin1'),
      eventType: 'push',
    })
    const bodyBase64 = Buffer.from('{"a":"\xff\r\n"}', 'latin1').toString('base64')
    await paste(JSON.stringify({ v: 1, method: 'POST', headers: Object.entries(headers), bodyBase64 }))
    await told(/^Read a record/)
    await playground.page.locator('#secret').fill(SECRET)
    await expect.poll(() => playground.checks()).toContain('ok authenticity')
    await playground.page.locator('#body').press('End')
    await playground.page.locator('#body').pressSequentially(' ')
    await expect.poll(() => playground.checks()).toContain('NO authenticity')
  })

  it('the clipboard keeps CRLF', async () => {
    const body = '{"id":"evt_7",\r\n"type":"x"}'
    const { headers } = await signAs(stripe, { secret: SECRET, body })
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const text = ['POST /hook HTTP/1.1', 'Host: example.com', ...lines, '', body].join('\r\n')
    await playground.page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
    await playground.page.getByLabel('Paste a request').focus()
    await playground.page.keyboard.press('ControlOrMeta+V')
    await told('27 bytes')
    await playground.page.locator('#secret').fill(SECRET)
    await playground.verdict('Accepted')
  })

  it.each([
    ['a file', 'curl https://a.example --data-binary @secret.json', /reads the file secret\.json/],
    ['markup', '<img src=x onerror="owned = 1">', /Paste a curl command/],
    ['markup as an option', 'curl --<img/src=x/onerror=owned=1>', /not read here|no URL/],
  ])('the playground refuses %s, and says what to paste', async (_, text, problem) => {
    await paste(text)
    await told(problem)
    expect(await playground.page.evaluate('[typeof owned, document.images.length]')).toEqual(['undefined', 0])
  })

  it('the playground shows markup in a pasted request as text', async () => {
    const hostile = '<img src=x onerror="owned = 1">'
    const body = JSON.stringify({ id: hostile, type: hostile })
    await paste(await commandOf('stripe', body))
    await told(/^Read/)
    await playground.page.locator('#secret').fill(SECRET)
    await playground.page.locator('dd', { hasText: '<img' }).first().waitFor()
    expect(await playground.page.evaluate('[typeof owned, document.images.length]')).toEqual(['undefined', 0])
  })

  it('the playground refuses megabytes before it reads them', async () => {
    playground.site.served.clear()
    await playground.page.evaluate(
      `pasted.value = "curl a.example -d '" + 'x'.repeat(5e6) + "'"; pasted.dispatchEvent(new InputEvent('input', { bubbles: true }))`,
    )
    await told(/^At most 512 KB are read, and this has 48[0-9]{2}\.$/)
    expect([...playground.site.served.keys()]).toEqual([])
    expect(await playground.page.getByLabel('Paste a request').inputValue()).toBe('')
  })

  it('the password of a URL is not shown in it', async () => {
    await paste('curl https://me:hunter2@example.com/hook -d x')
    await told(/^Read/)
    expect(await playground.page.locator('#url').inputValue()).toBe(URL_OF_HOOK)
  })
})
