import { describe, expect, it } from 'vitest'
import { stripe } from '../../../src/schemes/stripe.ts'
import { signAs } from '../../../src/testing/index.ts'
import { inChromium, WHY_NO_CHROMIUM } from '../../support/chromium.ts'
import { headerText, type Playground, usePlayground } from './playground-page.ts'

const SECRET = 'playground-0123456789-abcdefghijklmnop'

describe.skipIf(WHY_NO_CHROMIUM)(
  inChromium('hostile input and secrets in the playground, in Chromium'),
  () => {
    let playground: Playground
    usePlayground((opened) => {
      playground = opened
    })

    it('the playground shows hostile headers, bodies and secrets as text', async () => {
      const hostile = '"><img src=x onerror="owned = 1"><script>owned = 1</script>\u202e\u200b'
      const { headers } = await signAs(stripe, {
        secret: SECRET,
        body: JSON.stringify({ id: hostile, type: hostile }),
      })
      await playground.paste({
        Secret: SECRET,
        Headers: `${headerText(headers)}\nX-Note: ${hostile}`,
        Body: JSON.stringify({ id: hostile, type: hostile }),
      })
      await playground.page.locator('dd .unseen').first().waitFor()
      expect(await playground.page.locator('dd', { hasText: '<script>owned' }).count()).toBeGreaterThan(0)
      await playground.choose('jwt')
      const claims = { sub: hostile, aud: hostile, jti: hostile, htm: hostile }
      const token = [{ alg: 'ES256', kid: hostile }, claims, {}].map((part) =>
        Buffer.from(JSON.stringify(part)).toString('base64url'),
      )
      const id = crypto.randomUUID()
      const times = { 'webhook-timestamp': `${Math.floor(Date.now() / 1000)}`, 'webhook-event-id': id }
      await playground.paste({
        JWKS: '{"keys":[]}',
        Headers: headerText({
          'content-type': 'application/json',
          ...times,
          authorization: `Bearer ${token.join('.')}`,
        }),
      })
      await playground.verdict('Refused with 401')
      expect(await playground.why()).toContain('<script>owned')
      expect(await playground.page.evaluate('[typeof owned, document.images.length]')).toEqual([
        'undefined',
        0,
      ])
    })

    it.each([
      ['body', 524_288],
      ['headers', 32_768],
      ['secret', 32_768],
    ])('the playground tries at most a %s of %d characters', async (id, most) => {
      const fill = (length: number) =>
        playground.page.evaluate(
          `${id}.value = 'x'.repeat(${length}); ${id}.dispatchEvent(new InputEvent('input', { bubbles: true }))`,
        )
      await fill(most + 1)
      await playground.verdict('Too much to try here')
      expect(await playground.why()).toBe('The body may have 512 KB, and each other field 32 KB.')
      await fill(most)
      await playground.page.locator('#result h2', { hasNotText: 'Too much' }).waitFor()
    })

    it('the playground stores nothing and keeps the address as it is', async () => {
      await playground.paste({ Secret: SECRET })
      expect(await playground.page.context().cookies()).toEqual([])
      const stored = await playground.page.evaluate<string>('JSON.stringify([localStorage, sessionStorage])')
      expect(stored).not.toMatch(/playground|whsec|evt_1/)
      expect(playground.page.url()).toBe(`${playground.site.origin}/playground/`)
    })

    it('the playground cannot be made to contact another host or to parse HTML', async () => {
      const attempts = ["fetch('https://stranger.example/')", "document.body.innerHTML = '<b>x</b>'"]
      for (const attempt of attempts) {
        await expect(playground.page.evaluate(`(async () => { await (${attempt}) })()`)).rejects.toThrow()
      }
      const complaints = playground.browser.complaints.splice(0).join('\n')
      expect(complaints).toMatch(
        /violates the following Content Security Policy directive: "connect-src 'self'"/,
      )
      expect(complaints).not.toContain('asks https://')
    })
  },
)
