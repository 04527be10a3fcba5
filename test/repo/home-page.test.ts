import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { stripe } from '../../src/schemes/stripe.ts'
import { signAs } from '../../src/testing/index.ts'
import { answerOf, IMPORT } from '../support/answer-of.ts'
import { SCHEME_NAMES } from '../support/schemes.ts'

const page = readFileSync(new URL('../../docs/site/index.md', import.meta.url), 'utf8')
const SECRET = 'whsec_of_this_test'

/** The programs of the first page, by framework, each with what it has npm install. */
const PROGRAMS = [...page.matchAll(/^```sh\nnpm install ([^\n]*)\n```\n\n```js\n(.*?)^```$/gms)].map(
  ([, installs = '', code = '']) => ({
    framework: /from .(express|fastify|hono)./.exec(code)?.[1] ?? 'next',
    installs: installs.split(' '),
    code,
  }),
)

describe("the programs of the site's first page", () => {
  it('the programs are those of Express, Fastify, Hono and Next.js, in this order', () => {
    expect(PROGRAMS.map(({ framework }) => framework)).toEqual(['express', 'fastify', 'hono', 'next'])
  })

  it.each(PROGRAMS)(
    'the program of $framework needs no more than what it has you install',
    ({ code, installs }) => {
      const packages = [...code.matchAll(IMPORT)].map(([, , , from = '']) =>
        from.replace(/^((?:@[^/]+\/)?[^/]+).*/, '$1'),
      )
      expect([...new Set(packages)].toSorted()).toEqual(installs.toSorted())
    },
  )

  it.each(PROGRAMS)('the program of $framework answers as the picture beside it says', async ({ code }) => {
    vi.stubEnv('STRIPE_WEBHOOK_SECRET', SECRET)
    const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => {
      vi.unstubAllEnvs()
      vi.restoreAllMocks()
    })
    const answer = await answerOf(code)
    const sign = (id: string, timestamp?: number) =>
      signAs(stripe, {
        secret: SECRET,
        body: { id, type: 'invoice.paid' },
        ...(timestamp && { timestamp }),
      })
    const good = await sign('evt_1')
    const tampered = { ...(await sign('evt_2')), body: '{"id":"evt_3","type":"charge.failed"}' }
    const late = await sign('evt_4', Math.floor(Date.now() / 1000) - 3_600)
    const answers: string[] = []
    for (const request of [good, good, tampered, late]) {
      const { status } = await answer(new Request('http://site/webhooks/stripe', request))
      answers.push(`${status}`)
    }
    expect(answers).toEqual([...page.matchAll(/<td>([0-9]{3})<\/td>/g)].map(([, status]) => status))
    expect(logged.mock.calls).toEqual([['invoice.paid', 'evt_1']])
  })
})

it("the site's first page does not count more senders than there are", () => {
  const [, others] = /more than ([0-9]+) other senders/.exec(page) ?? []
  expect(SCHEME_NAMES.length - 4).toBeGreaterThan(Number(others))
})
