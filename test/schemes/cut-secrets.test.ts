import { describe, expect, it, vi } from 'vitest'
import { refusalOf } from '../../cli/signing/schemes.ts'
import { explain } from '../../src/explain/index.ts'
import { defineListener, verify } from '../../src/index.ts'
import { oddSecret } from '../../src/schemes/kit/secret-forms.ts'
import { line } from '../../src/schemes/line.ts'
import { meta } from '../../src/schemes/meta.ts'
import { slack } from '../../src/schemes/slack.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { twilio } from '../../src/schemes/twilio.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs, toDelivery } from '../../src/testing/index.ts'

/** 32 digits, as these senders make their secrets. */
const WHOLE = '0123456789abcdef0123456789abcdef'

const FACTORIES = {
  slack: (secrets: string) => slack({ secrets }),
  meta: (secrets: string) => meta({ secrets }),
  line: (secrets: string) => line({ secrets }),
  twilio: (secrets: string) => twilio({ secrets, publicUrl: 'https://example.com/hook' }),
}

describe.each(Object.entries(FACTORIES))('a secret of %s, which has 32 digits', (name, factory) => {
  it('is told at the start if some are missing, once, and is not repeated', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const cut = WHOLE.slice(3)
    for (let time = 0; time < 3; time++) factory(cut)
    expect(warn.mock.calls).toEqual([
      [
        expect.stringMatching(
          RegExp(
            `^hookgate: ${name}\\({ secrets }\\): secrets\\[0\\] has 29 hexadecimal digits, so 3 are missing; for `,
          ),
        ),
      ],
    ])
    expect(`${warn.mock.calls}`).not.toContain(cut)
  })

  it('is not told whole, longer, with fewer than half of them, and as any other text', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const others = [WHOLE, `${WHOLE}0`, WHOLE.slice(0, 15), 'secret_for_trying', `${WHOLE.slice(1, 31)}g`]
    for (const secret of others) factory(secret)
    expect(warn).not.toHaveBeenCalled()
  })
})

it('doctor warns of a secret of Slack that was cut off', () => {
  expect(oddSecret(WHOLE.slice(1), slack.scheme)).toBe('has 31 hexadecimal digits, so one is missing')
  expect(oddSecret(WHOLE.slice(16), slack.scheme)).toBe('has 16 hexadecimal digits, so 16 are missing')
})

it('a secret that you choose, or that has a prefix, may have any length', () => {
  expect(refusalOf(stripe, `whsec_${WHOLE.slice(4)}`)).toBeUndefined()
})

it.each([
  [meta, 'the Instagram API with Instagram Login signs with the Instagram app secret'],
  [line, 'each channel has its own'],
  [stripe, 'each endpoint has its own, and `stripe listen` another'],
] as const)('explain says which other secrets there are (%#)', async (factory, says) => {
  const [secret, another] = ['whsec_for_trying', 'whsec_of_another']
  const listener = defineListener({ id: 'a', auth: factory({ secrets: secret }), store: memoryStore() })
  const body = '{"id":"evt_1","entry":[{"id":"1"}],"events":[{"type":"message"}]}'
  const delivery = toDelivery(await signAs(factory, { secret: another, body }))
  const { likely } = await explain(delivery, await verify(delivery, listener), listener)
  expect(likely.join('\n')).toContain(says)
})
