import { describe, expect, it } from 'vitest'
import { inChromium, WHY_NO_CHROMIUM } from '../support/chromium.ts'
import { AT, BODY, ID, MISTAKES, SECRET } from '../support/signing-mistakes.ts'
import { headerText, type Playground, usePlayground } from './playground-page.ts'

describe.skipIf(WHY_NO_CHROMIUM)(
  inChromium('the playground names a mistake in signing, in Chromium,'),
  () => {
    let playground: Playground
    usePlayground((opened) => {
      playground = opened
    })

    it.each(MISTAKES)('%s', async (_, { signature, body = BODY, id = ID, timestamp = AT }, words) => {
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
      await expect.poll(() => playground.why()).toMatch(words)
      expect(await playground.why()).not.toContain(SECRET)
    })
  },
)
