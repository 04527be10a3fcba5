import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { textOf } from '../../../src/lib/member-of.ts'
import { github } from '../../../src/schemes/github.ts'
import { stripe } from '../../../src/schemes/stripe.ts'
import { signAs, signHmac } from '../../../src/testing/index.ts'
import { Browser, inChromium, WHY_NO_CHROMIUM } from '../../support/chromium.ts'
import { ROOT, shell, temporaryFile } from '../support.ts'
import { type RunningInspector, SECRET, startInspector } from './support.ts'

it('the page is at most 12 KB, compressed', () => {
  const files = ['page.html', 'page.css', 'page.js', 'icon.svg']
  const sizes = files.map(
    (file) => gzipSync(readFileSync(join(ROOT, 'dist/cli/inspector/page', file))).length,
  )
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(12 * 1024)
})

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds on levels A and AA: each rule with the first element that breaks it. */
async function violations(page: Page): Promise<unknown> {
  await page.evaluate(AXE)
  return page.evaluate(`axe
    .run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html + ' ' + nodes[0].failureSummary))`)
}

const sign = (body: string, secret = SECRET) => signHmac({ secret, body })

/** An app that answers 200 without a body, unless told otherwise. */
async function startApp(answer: RequestListener = (_, response) => void response.end()) {
  const app = createServer(answer)
  await once(app.listen(0, '127.0.0.1'), 'listening')
  const stop = () => {
    app.closeAllConnections()
    return new Promise((resolve) => app.close(resolve))
  }
  onTestFinished(async () => void (await stop()))
  const { port } = app.address() as AddressInfo // a TCP server has a port
  return { url: `http://127.0.0.1:${port}/`, stop }
}

const HOSTILE = [
  '"><img src=x onerror="owned = 1">',
  '<script>owned = 1</script>',
  '</pre><style>main { display: none }</style>',
  '\u202e\u2066\u200b\u001b]0;owned\u0007',
]

describe.skipIf(WHY_NO_CHROMIUM)(inChromium('the inspector, in Chromium'), () => {
  let browser: Browser
  let inspector: RunningInspector
  let page: Page

  beforeAll(async () => {
    browser = await Browser.open()
    return () => browser.close()
  }, 60_000)

  beforeEach(async () => {
    browser.complaints.length = 0
    inspector = await startInspector(['--forward-to', (await startApp()).url])
    page = await opened()
    return () => page.close()
  })

  async function opened(path = ''): Promise<Page> {
    const { origin, token } = inspector
    const made = await browser.page(origin)
    await made.goto(`${origin}/${path}#${token}`)
    await made.locator('#state[data-state=live]').waitFor()
    return made
  }

  const rows = () => page.locator('.row:visible')
  const detail = () => page.locator('#detail')

  it('the inspector shows a delivery as it arrives, which check refused it, and the likely mistake', async () => {
    await page.getByText('Waiting for the first delivery').waitFor()
    await inspector.deliver(await sign('{"a":1}', `${SECRET}\n`))
    await expect.poll(() => rows().count()).toBe(1)
    await detail()
      .getByText(/line break/)
      .first()
      .waitFor()
    const [time = ''] = await page.locator('.row time').allInnerTexts()
    expect(time).toMatch(/^\d\d:\d\d:\d\d\.\d{3}$/)
    expect(await detail().innerText()).toContain(` ${time}`) // one format in the list and beside it
    const refused = await detail().locator('li[data-ok=false]').innerText()
    expect(refused).toMatch(/authenticity/)
    expect(await detail().locator('li[data-ok=null]').innerText()).toMatch(/claim/)
    expect(await page.getByText('Waiting for the first delivery').isVisible()).toBe(false)
  })

  it('the inspector takes the key out of the address, and needs no cookie', async () => {
    expect(page.url()).toBe(`${inspector.origin}/`)
    await page.reload()
    await page.locator('#state[data-state=live]').waitFor()
    expect(await page.context().cookies()).toEqual([])
  })

  it('the inspector tells a tab without the key where to find it', async () => {
    const other = await browser.page(inspector.origin)
    await other.goto(`${inspector.origin}/`)
    await other.getByText('Open the address that hookgate listen printed').waitFor()
    await other.close()
  })

  it('the inspector shows headers in wire order, repetitions included', async () => {
    const signed = await sign('{}')
    const headers: [string, string][] = [
      ...Object.entries(signed.headers),
      ['X-B', '1'],
      ['x-a', '2'],
      ['X-B', '3'],
    ]
    const { request } = await import('node:http')
    await new Promise<void>((resolve) => {
      const flat = headers.flat()
      const sent = request(inspector.listener.url, {
        method: 'POST',
        headers: ['Host', 'x', ...flat, 'Content-Length', '2'],
      })
      sent.once('response', (response) => response.resume().once('end', resolve)).end('{}')
    })
    const names = async () => (await detail().locator('.headers').last().locator('th').allInnerTexts()).join()
    await expect.poll(names).toMatch(/X-B,x-a,X-B/)
  })

  it('the inspector shows a body as received, pretty and in hex, without rounding its numbers', async () => {
    await inspector.deliver(await sign('{"n[]":12345678901234567890.10,"n":[ ],"ü":"\\u00e9"}'))
    const body = detail().locator('pre').first()
    await body.waitFor()
    expect(await body.innerText()).toBe(
      '{\n  "n[]": 12345678901234567890.10,\n  "n": [],\n  "ü": "\\u00e9"\n}',
    )
    await detail().getByText('As received', { exact: true }).click()
    expect(await body.innerText()).toBe('{"n[]":12345678901234567890.10,"n":[ ],"ü":"\\u00e9"}')
    await detail().getByText('Hex').click()
    expect(await body.innerText()).toMatch(/^000000 {2}7b 22 6e 5b 5d 22 3a 31 .* {2}\{"n\[\]":123456789\n/)
  })

  it('the inspector shows hostile bodies, headers and paths as text, and every hidden character', async () => {
    for (const text of HOSTILE) {
      const signed = await sign(JSON.stringify(text))
      const header = text.replace(/[^\x20-\x7e]/g, '')
      await inspector.deliver({
        ...signed,
        headers: { ...signed.headers, 'x-note': header, [`x-${'n'.repeat(900)}`]: '1' },
      })
      await fetch(new URL(`/${encodeURI(text)}`, inspector.listener.url), signed)
    }
    await expect.poll(() => rows().count()).toBe(HOSTILE.length * 2)
    for (const index of [1, 3, 5, 7]) {
      await rows().nth(index).click()
      await detail().locator('pre').first().waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(1_280)
    }
    await rows().nth(1).click()
    await detail().getByText('Edit').waitFor()
    await expect
      .poll(() => detail().locator('pre').first().innerText())
      .toContain('\\u{202e}\\u{2066}\\u{200b}')
    expect(await page.evaluate('[typeof owned, document.title, document.images.length]')).toEqual([
      'undefined',
      'hookgate inspector',
      1,
    ])
    expect(await page.locator('main').isVisible()).toBe(true)
    expect(browser.complaints).toEqual([])
  })

  it('the inspector filters by words and by field, and keeps the filter in the address', async () => {
    await inspector.deliver(await sign('{}'))
    await inspector.deliver(await sign('{'))
    await inspector.deliver(await sign('{}', 'another-secret-0123456789'))
    await expect.poll(() => rows().count()).toBe(3)
    await page.getByRole('searchbox').fill('verdict:refused reason:signature')
    await expect.poll(() => rows().count()).toBe(1)
    expect(await page.locator('#count').innerText()).toBe('1 of 3')
    expect(new URL(page.url()).searchParams.get('q')).toBe('verdict:refused reason:signature')
    await page.reload()
    await expect.poll(() => rows().count()).toBe(1)
    await page.getByRole('searchbox').fill('status:400')
    await expect.poll(() => rows().first().innerText()).toMatch(/body_not_json/)
  })

  it('Escape empties the filter, and the list and the address with it', async () => {
    await inspector.deliver(await sign('{}'))
    await inspector.deliver(await sign('{'))
    await expect.poll(() => rows().count()).toBe(2)
    await page.getByRole('searchbox').fill('verdict:accepted')
    await expect.poll(() => rows().count()).toBe(1)
    await page.getByRole('searchbox').press('Escape')
    expect(await page.getByRole('searchbox').inputValue()).toBe('')
    await expect.poll(() => rows().count()).toBe(2)
    expect(new URL(page.url()).search).toBe('')
  })

  it('a duplicate is filtered by its own verdict, and is none that was refused', async () => {
    const delivery = await sign('{}')
    await inspector.deliver(delivery)
    await inspector.deliver(delivery)
    await inspector.deliver(await sign('{'))
    await expect.poll(() => rows().count()).toBe(3)
    for (const [typed, found] of [
      ['verdict:refused', 'body_not_json'],
      ['refused', 'body_not_json'],
      ['verdict:duplicate', 'event_duplicate'],
    ]) {
      await page.getByRole('searchbox').fill(typed ?? '')
      await expect.poll(() => rows().locator('.verdict').allInnerTexts()).toEqual([found])
    }
  })

  it('the inspector can be used with the keyboard alone: choose, read, run again', async () => {
    await inspector.deliver(await sign('{"first":1}'))
    await inspector.deliver(await sign('{"second":2}'))
    await expect.poll(() => rows().count()).toBe(2)
    await detail().getByText('"second"').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('accepted')
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowDown')
    await detail().getByText('"first"').waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('Ran again as #3: your app answered 200').waitFor()
    await page.keyboard.press('Escape')
    await detail().getByText('run again from #1').waitFor()
  })

  it.each([
    [
      'JSON, indented, with escapes for what an input field would hide',
      String.raw`{\n  "a": "\u202e\udb40\udc41Zoë",\n  "n": 1.0\n}`.replaceAll('\\n', '\n'),
      '{"a":"\u202e\u{e0041}Zoë","n":1.0}',
    ],
    ['a text alone', '"Zoë"', '"Zoë"\n'],
  ])('the inspector edits %s, and sends what it shows, byte for byte', async (_, shown, body) => {
    await inspector.deliver(await sign(body))
    await page.getByRole('button', { name: 'Edit and run…' }).click()
    expect(await page.getByRole('textbox', { name: 'Body' }).inputValue()).toBe(shown)
    expect(await page.evaluate(`document.querySelector('#edit-body').selectionEnd`)).toBe(0) // seen from its beginning
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('Ran again as #2').waitFor()
    const sent = textOf(await (await inspector.ask('deliveries/2')).json(), 'body')
    expect(Buffer.from(sent ?? '', 'base64').toString()).toBe(shown)
  })

  it('the inspector runs an edited body, and tests that a duplicate is recognised', async () => {
    await inspector.deliver(await sign('{"a":1}'))
    await page.getByRole('button', { name: 'Edit and run…' }).click()
    await page.getByRole('textbox', { name: 'Body' }).fill('{"edited":true}')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('Ran again as #2').waitFor()
    await detail().getByText('"edited"').waitFor()
    await rows().nth(1).click()
    await detail().getByText('#1, answered 200').waitFor()
    await page.getByText('More').click()
    await page.getByRole('button', { name: 'Test for a duplicate' }).click()
    await page.getByText('Recognised as a duplicate: #3 was answered 409').waitFor()
    expect(await page.getByRole('button', { name: 'Test for a duplicate' }).isVisible()).toBe(false)
    await rows().filter({ hasText: 'event_duplicate' }).click()
    await detail().getByRole('heading', { name: 'Duplicate' }).waitFor()
    expect(await detail().locator('.why').getAttribute('class')).toBe('why neutral')
  })

  it('the inspector shows the command to try on an empty page, copies it, and copies a body', async () => {
    const shown = await page.locator('#command').innerText()
    expect(shown).toMatch(/ send .*\/demo.* --data '\{"hello":"world"\}'$/)
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByText('Copied: run it in another terminal').waitFor()
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(shown)
    await inspector.deliver(await sign('{ "a":  1 }'))
    await page.getByRole('button', { name: 'Copy body' }).click()
    await page.getByText('Copied: body').waitFor()
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe('{ "a":  1 }')
  })

  it('the inspector empties the list in every tab', async () => {
    const other = await opened()
    await inspector.deliver(await sign('{}'))
    await expect.poll(() => other.locator('.row').count()).toBe(1)
    await expect.poll(() => rows().count()).toBe(1)
    await page.getByRole('button', { name: 'Clear' }).click()
    await expect.poll(() => other.locator('.row').count()).toBe(0)
    await page.getByText('Waiting for the first delivery').waitFor()
    await inspector.deliver(await sign('{"next":1}'))
    await detail().getByText('"next"').waitFor()
    await other.close()
  })

  it.each(['light', 'dark'] as const)(
    'the inspector keeps the colours of a primary button under the mouse, %s',
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme })
      await inspector.deliver(await sign('{}'))
      const run = page.getByRole('button', { name: 'Run again' })
      const style = "getComputedStyle(document.querySelector('.actions .primary'))"
      const colours = () => page.evaluate<string>(`${style}.color + ',' + ${style}.backgroundColor`)
      await run.waitFor()
      const before = await colours()
      await run.hover()
      expect(await colours()).toBe(before)
      expect(before).toMatch(/^rgb\(255, 255, 255\),(?!rgb\(255, 255, 255\))/)
    },
  )

  it('the inspector does not scroll sideways on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    const width = () => page.evaluate<number>('document.documentElement.scrollWidth')
    expect(await width()).toBeLessThanOrEqual(390)
    const signed = await sign(JSON.stringify({ a: 'x'.repeat(500) }), `${SECRET}\n`)
    await inspector.deliver({
      ...signed,
      headers: { ...signed.headers, [`x-${'n'.repeat(300)}`]: 'y'.repeat(300) },
    })
    await detail().getByText('Likely:').waitFor()
    expect(await detail().innerText()).not.toContain('hookgate/explain')
    expect(await page.locator('.row .verdict').first().isVisible()).toBe(true)
    expect(await width()).toBeLessThanOrEqual(390)
    await page.getByText('More').click()
    const sideways = `document.querySelector('#detail').scrollWidth - document.querySelector('#detail').clientWidth`
    expect(await page.evaluate(sideways)).toBe(0)
  })

  it('the inspector shows the type and the ID, marks an ID that nothing signs, and filters by type', async () => {
    const secret = 'a-secret-for-github-0123456789'
    const file = await temporaryFile('secret.txt', secret)
    inspector = await startInspector(['--scheme', 'github', '--secret-file', file], {})
    await page.close()
    page = await opened()
    for (const [n, eventType] of ['push', 'issues', undefined].entries()) {
      await inspector.deliver(await signAs(github, { secret, body: `{"n":${n}}`, eventType }))
    }
    await expect.poll(() => page.locator('.row .type').allInnerTexts()).toEqual(['issues', 'push'])
    const ids = await page.locator('.row .id').allInnerTexts()
    expect(ids.every((id) => id.endsWith('*'))).toBe(true)
    await page.getByRole('searchbox').fill('type:push')
    await expect.poll(() => page.locator('.row:visible .type').allInnerTexts()).toEqual(['push'])
  })

  it.each([375, 1_280])(
    'the inspector shows the names of a refused delivery too, whole and marked, %d pixels wide',
    async (width) => {
      inspector = await startInspector(['--scheme', 'stripe'], { HOOKGATE_SECRET: `whsec_${SECRET}` })
      await page.close()
      page = await opened()
      await page.setViewportSize({ width, height: 844 })
      const type = 'customer.subscription.pending_update_expired'
      for (const text of [...HOSTILE, type]) {
        const body = { id: `evt_${'0123456789'.repeat(3)}`, type: text }
        await inspector.deliver(await signAs(stripe, { secret: 'whsec_of_another_0123456789', body }))
      }
      await inspector.deliver({ method: 'POST', headers: {}, body: `{"id":1e3,"type":"${'x'.repeat(300)}"}` })
      await inspector.deliver({
        method: 'POST',
        headers: {},
        body: `{"id":{},"type":"${' '.repeat(70_000)}"}`,
      })
      await expect.poll(() => rows().count()).toBe(HOSTILE.length + 3)
      expect(await rows().nth(2).locator('.type').innerText()).toBe(type)
      expect(await rows().nth(1).locator('.names').innerText()).toContain('x'.repeat(200))
      expect(await rows().nth(1).locator('.names').innerText()).not.toContain('x'.repeat(201))
      expect(await rows().nth(3).locator('.type').innerText()).toContain('\\u{202e}\\u{2066}')
      const marked = page.locator('.row', { hasText: 'not verified' })
      expect(await marked.count()).toBe(HOSTILE.length + 2) // no names are read from a longer body
      await rows().nth(2).click()
      await detail().getByText('not verified: anyone can write this').first().waitFor()
      expect(await rows().nth(1).locator('.names').innerText()).toMatch(/^not verified/) // long names hide nothing
      const cut = `[...document.querySelectorAll('.row .names')].filter((node) => node.scrollHeight > node.clientHeight).length`
      expect(await page.evaluate(cut)).toBe(0)
      expect(
        await page.evaluate('[typeof owned, document.images.length, document.documentElement.scrollWidth]'),
      ).toEqual(['undefined', 1, width])
      expect(browser.complaints).toEqual([])
    },
  )

  it('the inspector and the terminal show one clock', async () => {
    await inspector.deliver(await sign('{}'))
    const [line = ''] = await inspector.listener.deliveries(1)
    const time = await page.locator('.row time').innerText()
    expect(time.slice(0, 8)).toBe(line.slice(0, 8))
    await detail().getByText(`${time} UTC`).waitFor()
  })

  it.each([390, 800, 1_280])('a reason is whole beside a type, %d pixels wide', async (width) => {
    const secret = 'a-secret-for-github-0123456789'
    const file = await temporaryFile('secret.txt', secret)
    const nothing = ['--forward-to', 'http://127.0.0.1:1']
    inspector = await startInspector(['--scheme', 'github', '--secret-file', file, ...nothing], {})
    await page.close()
    page = await opened()
    await page.setViewportSize({ width, height: 844 })
    await inspector.deliver(await signAs(github, { secret, body: '{}', eventType: 'push' }))
    await inspector.deliver({ method: 'POST', body: '{}', headers: { 'content-encoding': 'gzip' } })
    const reasons = page.locator('.row .reason')
    await expect
      .poll(() => reasons.allInnerTexts())
      .toEqual(['content_encoding_not_identity', 'upstream_unreachable'])
    const cut = `[...document.querySelectorAll('.row .reason')].filter((node) => node.scrollWidth > node.clientWidth).length`
    expect(await page.evaluate(cut)).toBe(0)
  })

  it('on a phone, the hint of the filter is whole', async () => {
    await page.setViewportSize({ width: 320, height: 844 })
    const [room, hint] = await page.evaluate<[number, number]>(`(() => {
      const field = document.querySelector('#filter')
      const { font, paddingLeft, paddingRight } = getComputedStyle(field)
      const context = document.createElement('canvas').getContext('2d')
      context.font = font
      const room = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
      return [room, context.measureText(field.placeholder).width]
    })()`)
    expect(hint).toBeLessThanOrEqual(room)
  })

  it('the inspector says that it shows the latest 2,000 of those that are kept', async () => {
    const record = await temporaryFile('record.ndjson', '')
    const first = await startInspector(['--record', record])
    await first.deliver(await sign('{}'))
    await first.listener.stop()
    await writeFile(record, (await readFile(record, 'utf8')).repeat(2_100))
    inspector = await startInspector(['--load', record, '--keep', '12000'])
    await page.close()
    page = await opened()
    await expect.poll(() => page.locator('#count').innerText()).toBe('latest 2000 of 2100; exports have all')
  })

  it('the inspector copies a curl command that is accepted, and saves both exports', async () => {
    await inspector.deliver(await sign('{"a":1}'))
    await page.getByText('More').click()
    await page.getByRole('button', { name: 'Copy curl' }).click()
    await page.getByText('Copied').waitFor()
    const command = await page.evaluate<string>('navigator.clipboard.readText()')
    expect((await shell(command)).stdout).toMatch(/^HTTP\/1\.1 200/)
    for (const name of ['NDJSON', 'HAR']) {
      const saved = page.waitForEvent('download')
      await page.getByRole('button', { name: `Export ${name}` }).click()
      const text = readFileSync(await (await saved).path(), 'utf8')
      expect(Object.keys(JSON.parse(text.split('\n')[0] ?? ''))).toContain(
        name === 'HAR' ? 'log' : 'bodyBase64',
      )
    }
  })

  it('the inspector shows what a tampered delivery changes, hostile bytes as text, and no hidden header', async () => {
    for (const text of HOSTILE) {
      const [was, is] = [JSON.stringify({ note: 'genuine', n: 1 }), JSON.stringify({ note: text, n: 1 })]
      const genuine = await sign(was)
      await inspector.deliver(genuine)
      await inspector.deliver({ ...genuine, body: is, headers: { ...genuine.headers, 'x-note': 'added' } })
    }
    await expect.poll(() => rows().count()).toBe(HOSTILE.length * 2)
    const difference = detail().locator('section', { hasText: 'Difference to #' })
    await rows().nth(6).click()
    await detail().getByText('Difference to #1, accepted with the same ID').waitFor()
    expect(await difference.locator('del').first().innerText()).toBe('genuine')
    expect(await difference.locator('ins').first().innerText()).toBe(JSON.stringify(HOSTILE[0]).slice(1, -1))
    expect(await difference.innerText()).toMatch(/byte 9 \{"note":"genuine.*","n":1\}/)
    expect(await difference.innerText()).toContain('x-note: added')
    expect(await difference.innerText()).not.toContain('webhook-signature')
    await rows().first().click()
    await detail()
      .getByText(`Difference to #${HOSTILE.length * 2 - 1}`)
      .waitFor()
    expect(await difference.locator('ins').first().innerText()).toContain('\\u{202e}\\u{2066}\\u{200b}')
    expect(await page.evaluate('[typeof owned, document.images.length]')).toEqual(['undefined', 1])
    expect(await page.locator('main').isVisible()).toBe(true)
    expect(browser.complaints).toEqual([])
    expect(await violations(page)).toEqual([])
    await rows().nth(1).click()
    await detail().getByRole('heading', { name: 'Accepted' }).waitFor()
    await expect.poll(() => difference.count()).toBe(0)
  })

  it('the inspector searches in bodies, also in those that arrive later, and says when nothing is found', async () => {
    const visibleIds = () => rows().evaluateAll((nodes) => nodes.map(({ id }) => id).join())
    await inspector.deliver(await sign('{"customer":"Ann"}'))
    await inspector.deliver(await sign('{"customer":"Bob"}'))
    await expect.poll(() => rows().count()).toBe(2)
    await page.getByRole('searchbox').fill('body:ann')
    await expect.poll(visibleIds).toBe('row-1')
    await inspector.deliver(await sign('{"customer":"Hannah"}'))
    await expect.poll(visibleIds).toBe('row-3,row-1')
    await page.getByRole('searchbox').fill('body:customer body:bob verdict:accepted')
    await expect.poll(visibleIds).toBe('row-2')
    await page.getByRole('searchbox').fill('body:<script>')
    await expect.poll(() => page.locator('#count').innerText()).toBe('0 of 3')
    await page.getByRole('searchbox').fill(`body:${'x'.repeat(201)}`)
    await page.getByText('Search for at most 8 words of 200 characters.').waitFor()
    await page.getByRole('searchbox').press('Escape')
    await expect.poll(() => rows().count()).toBe(3)
  })

  it('the inspector searches less often while a search takes long', async () => {
    const askedAt: number[] = []
    await page.route('**/api/search', async (route) => {
      askedAt.push(performance.now())
      await setTimeout(500) // as long as many large bodies take
      await route.continue()
    })
    await page.getByRole('searchbox').fill('body:n')
    await inspector.deliver(await sign('{"n":0}'))
    await expect.poll(() => askedAt.length).toBe(1)
    await inspector.deliver(await sign('{"n":1}')) // it was not there when the search began
    await expect.poll(() => askedAt.length).toBe(2)
    const [first = 0, second = 0] = askedAt
    expect(second - first).toBeGreaterThanOrEqual(1_900)
  })

  it('the inspector copies a request as received, with its signature, tokens and cookies hidden', async () => {
    const signed = await sign('{ "a":  1 }')
    const headers = {
      ...signed.headers,
      cookie: 'pin=1',
      authorization: 'Bearer abcdefghijklmnopqrstuvwxyz',
      'x-team': 'a',
    }
    await inspector.deliver({ ...signed, headers })
    await page.getByText('More').click()
    await page.getByRole('button', { name: 'Copy as received' }).click()
    await page.getByText('Copied: the request as received').waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).toMatch(/^POST \/\S* HTTP\/1\.1\r?\n/)
    expect(copied).toMatch(/\r?\nx-team: a\r?\n/)
    expect(copied).toMatch(/\r?\n\r?\n\{ "a": {2}1 \}$/)
    expect(copied).toMatch(/^webhook-signature: \(\d+ characters hidden\)\r?$/m)
    expect(copied).toMatch(/^cookie: \(5 characters hidden\)\r?$/m)
    expect(copied).not.toContain('abcdefghij')
    await inspector.deliver(await sign('a\u001b[201~b'))
    await detail().getByText('body_not_json').waitFor()
    await page.getByText('More').click()
    for (const name of ['Copy as received', 'Copy body'])
      expect(await page.getByRole('button', { name }).isDisabled()).toBe(true)
  })

  it('the inspector says what its keys and its mark do, and j and k choose', async () => {
    await inspector.deliver(await sign('{"first":1}'))
    await inspector.deliver(await sign('{"second":2}'))
    await expect.poll(() => rows().count()).toBe(2)
    expect(await page.locator('.keys').innerText()).toMatch(
      /↑ ↓ or j k choose.*\* not covered by the signature/s,
    )
    await page.locator('#list').focus()
    await page.keyboard.press('j')
    await detail().getByText('"first"').waitFor()
    await page.keyboard.press('k')
    await detail().getByText('"second"').waitFor()
  })

  it.each(['light', 'dark'] as const)('axe finds no violation, %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme })
    expect(await violations(page)).toEqual([])
    await inspector.deliver(await sign('{"a":1,"b":[true,null]}'))
    await inspector.deliver(await sign('{}', `${SECRET}\n`))
    await detail().getByText('Likely:').waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByText('More').click()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Edit and run…' }).click()
    expect(await violations(page)).toEqual([])
  })

  it('the inspector stays usable in a burst of 1,000, and keeps up with every tab of nine', async () => {
    const tabs: Page[] = []
    const signed = await sign('{}')
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(Array.from({ length: 50 }, () => inspector.deliver(signed)))
    }
    await expect.poll(() => page.locator('#count').innerText()).toBe('1000')
    for (let tab = 2; tab <= 9; tab += 1) tabs.push(await opened())
    await page.getByText('Live in another tab').waitFor()
    await Promise.all(tabs.map((tab) => tab.close()))
  }, 60_000)

  it('the inspector shows what the app answered first, and when it is silent', async () => {
    const app = await startApp((_, response) =>
      response.writeHead(500, { 'x-app': 'yes' }).end('{"error":"no such customer"}'),
    )
    inspector = await startInspector(['--forward-to', app.url])
    await page.close()
    page = await opened()
    await inspector.deliver(await sign('{"a":1}'))
    await detail().getByRole('heading', { name: 'Accepted, then the app answered 500' }).waitFor()
    expect(await detail().locator('pre').first().innerText()).toContain('"error": "no such customer"')
    await detail().getByText('headers').first().click()
    await detail().getByText('x-app').waitFor()
    const [title = '', word = ''] = await page.evaluate<string[]>(
      `['#detail h2 span', '.row .verdict'].map((each) => document.querySelector(each).className)`,
    )
    expect([title, word]).toEqual(['accepted', 'verdict mono accepted'])
    expect(await rows().first().innerText()).toMatch(/accepted\s+app answered 500/)
    expect((await inspector.listener.deliveries(1)).join()).toContain('accepted, app 500')
    await app.stop()
    await inspector.deliver(await sign('{"a":2}'))
    await detail().getByRole('heading', { name: 'Accepted, then the app did not answer' }).waitFor()
    expect(await detail().locator('.why').innerText()).toContain('nothing listens on 127.0.0.1:')
    expect(await rows().first().innerText()).toMatch(/upstream_unreachable/)
  })

  it('the inspector offers Run again only where something can run', async () => {
    const run = page.getByRole('button', { name: 'Run again' })
    await inspector.deliver(await sign('{}'))
    await run.waitFor()
    await fetch(inspector.listener.url)
    await detail().getByText('method_not_post').waitFor()
    expect(await run.count()).toBe(0)
    inspector = await startInspector()
    await page.close()
    page = await opened()
    await inspector.deliver(await sign('{}'))
    await detail().getByText('To run it again, add --forward-to').waitFor()
    expect(await page.getByRole('button', { name: /run/i }).count()).toBe(0)
  })

  it('the inspector says when listen is gone', async () => {
    await inspector.deliver(await sign('{}'))
    await detail().waitFor()
    await inspector.listener.stop()
    await page.getByText('Reconnecting').waitFor()
    await page.getByText('Run again').click()
    await page
      .getByText('hookgate listen does not answer: start it, and open the address that it prints.')
      .waitFor()
  })
})
