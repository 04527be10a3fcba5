import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { inChromium, WHY_NO_CHROMIUM } from '../../support/chromium.ts'
import { type Playground, usePlayground } from './playground-page.ts'

const SECRET = 'playground-0123456789-abcdefghijklmnop'
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe.skipIf(WHY_NO_CHROMIUM)(
  inChromium('the playground by keyboard, for screen readers and on phones, in Chromium'),
  () => {
    let playground: Playground
    usePlayground((opened) => {
      playground = opened
    })

    it('the playground works by keyboard alone', async () => {
      const { page } = playground
      await page.getByLabel('Scheme').focus()
      await page.keyboard.type('GitHub')
      await page.keyboard.press('Tab')
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.type(SECRET)
      const sign = page.getByRole('button', { name: 'Sign this body' })
      for (
        let presses = 0;
        presses < 12 && !(await sign.evaluate((button) => button.matches(':focus')));
        presses += 1
      ) {
        await page.keyboard.press('Tab')
      }
      await page.keyboard.press('Enter')
      await page.getByText('Signed with a new time and ID.').waitFor()
      await playground.verdict('Accepted')
      expect(await page.getByLabel('Headers').inputValue()).toContain('X-Hub-Signature-256')
    })

    it.each(['light', 'dark'] as const)('axe finds no violation, %s', async (colorScheme) => {
      await playground.page.emulateMedia({ colorScheme })
      const states = { stripe: 'Refused with 401', jwt: 'Not set up yet' }
      for (const [scheme, verdict] of Object.entries(states)) {
        await playground.choose(scheme)
        await playground.click('Change a byte')
        await playground.verdict(verdict)
        await playground.page.evaluate(AXE)
        const found = await playground.page.evaluate(
          `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))`,
        )
        expect(found).toEqual([])
        await playground.reload()
      }
      await playground.page.emulateMedia({ colorScheme: null })
    })

    it('the playground fits a screen of 360 pixels', async () => {
      await playground.page.setViewportSize({ width: 360, height: 800 })
      await playground.click('Change a byte')
      await playground.verdict('Refused with 401')
      expect(await playground.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
      await playground.page.setViewportSize({ width: 1_280, height: 900 })
    })
  },
)
