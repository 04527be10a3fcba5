import { describe, expect, it } from 'vitest'
import { github } from '../../../src/schemes/github.ts'
import { twilio } from '../../../src/schemes/twilio.ts'
import { signAs } from '../../../src/testing/index.ts'
import { inChromium, WHY_NO_CHROMIUM } from '../../support/chromium.ts'
import { AT, BODY, ID, MISTAKES, SECRET } from '../../support/signing-mistakes.ts'
import { headerText, type Playground, usePlayground } from './playground-page.ts'

const SENDER_SECRET = 'whsec_of_this_test_0123456789'
const HOST = 'abc.ngrok.app'
const SIGNED_URL = `https://${HOST}/hook`

/** What somebody enters in place of the right value. */
interface Entered {
  readonly secret?: string
  readonly url?: string
}

describe.skipIf(WHY_NO_CHROMIUM)(
  inChromium('the mistakes in signing that the playground names, in Chromium'),
  () => {
    let playground: Playground
    usePlayground((opened) => {
      playground = opened
    })

    it.each(MISTAKES)(
      'the playground names: %s',
      async (_, { signature, body = BODY, id = ID, timestamp = AT }, words) => {
        await playground.choose('hmac')
        await playground.page.getByLabel('Accept any age').check()
        await playground.paste({
          'Signing secret': SECRET,
          Headers: headerText({
            'Content-Type': 'application/json',
            'Webhook-Timestamp': timestamp,
            'Webhook-Event-Id': id,
            'Webhook-Signature': signature,
          }),
          Body: body,
        })
        await playground.verdict('Refused')
        await expect.poll(() => playground.why()).toMatch(new RegExp(words, 'i'))
        expect(await playground.why()).not.toContain(SECRET)
      },
    )

    it.each([
      ['GitHub', github, { secret: `"${SENDER_SECRET}"` }, /[Ss]ecret has quotes around it: remove them/],
      ['GitHub', github, { secret: `ghp_${'a'.repeat(36)}` }, /secret looks like an access token/],
      ['Twilio', twilio, { url: 'http://localhost:3000/hook' }, /Twilio signed https:.*set publicUrl/],
    ] as const)(
      'the playground names a mistake of %s',
      async (sender, factory, { secret = SENDER_SECRET, url = SIGNED_URL }: Entered, words) => {
        const { page } = playground
        const body = factory === twilio ? 'Body=Hi' : { id: 'evt_1' }
        const signed = await signAs(factory, { secret: SENDER_SECRET, publicUrl: SIGNED_URL, body })
        await page.getByLabel('Scheme').selectOption({ label: sender })
        await page.locator('#secret').fill(secret)
        await page.locator('#url').fill(url)
        await playground.paste({ Headers: headerText({ ...signed.headers, Host: HOST }), Body: signed.body })
        await playground.verdict('Refused')
        await expect.poll(() => playground.why()).toMatch(words)
      },
    )
  },
)
