import { expect, it } from 'vitest'
import { explain } from '../../src/explain/index.ts'
import { type Delivery, defineListener, verify } from '../../src/index.ts'
import { github } from '../../src/schemes/github.ts'
import { shopify } from '../../src/schemes/shopify.ts'
import { slack } from '../../src/schemes/slack.ts'
import { twilio } from '../../src/schemes/twilio.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs } from '../../src/testing/index.ts'

const HEX = '8f742231b10e8888abcd99yyyzzz85a5'.replace(/[yz]/g, '0')
const publicUrl = 'https://example.com/sms'

const SENDERS = {
  slack: { factory: slack, secret: HEX, auth: (secrets: string) => slack({ secrets }) },
  twilio: { factory: twilio, secret: HEX, auth: (secrets: string) => twilio({ secrets, publicUrl }) },
  shopify: { factory: shopify, secret: `shpss_${HEX}`, auth: (secrets: string) => shopify({ secrets }) },
  github: { factory: github, secret: HEX, auth: (secrets: string) => github({ secrets }) },
}

/** What is said first of a genuine delivery, if the secret was copied as `copied` makes it. */
async function said(name: keyof typeof SENDERS, copied: (secret: string) => string) {
  const { factory, secret, auth } = SENDERS[name]
  const signed = await signAs(factory, {
    secret,
    publicUrl,
    eventType: 'push',
    body: { id: 1, event_id: 'Ev1' },
  })
  const headers = new Headers(signed.headers)
  const delivery: Delivery = {
    method: 'POST',
    url: '/sms',
    header: (header) => headers.get(header) ?? undefined,
    body: new TextEncoder().encode(`${signed.body}`),
    sourceIp: undefined,
  }
  const listener = defineListener({ id: name, auth: auth(copied(secret)), store: memoryStore() })
  const verdict = await verify(delivery, listener)
  expect(verdict).toMatchObject({ ok: false, reason: 'signature_mismatch' })
  return (await explain(delivery, verdict, listener)).likely[0]
}

it.each(['slack', 'twilio', 'shopify', 'github'] as const)(
  'a secret of hexadecimal digits in upper case is named: %s',
  async (name) => {
    expect(await said(name, (secret) => secret.toUpperCase())).toMatch(
      /^the configured secret is in upper case: pass it as \w+ has it/,
    )
  },
)

it.each(['slack', 'twilio', 'shopify'] as const)(
  'a secret that lacks a hexadecimal digit is named: %s',
  async (name) => {
    expect(await said(name, (secret) => secret.slice(0, -1))).toMatch(
      /^the configured secret looks wrong: it has 31 hexadecimal digits, so one is missing/,
    )
  },
)

it('a secret that you chose may have any length, and of a pair that is missing nothing is known', async () => {
  expect(await said('github', (secret) => secret.slice(0, -1))).toMatch(/nothing more specific was found$/)
  expect(await said('shopify', (secret) => secret.slice(0, -2))).toMatch(/nothing more specific was found$/)
})

it.each(['slack', 'twilio'] as const)(
  'a secret that lacks some of its 32 digits is named: %s',
  async (name) => {
    expect(await said(name, (secret) => secret.slice(2))).toMatch(
      /^the configured secret looks wrong: it has 30 hexadecimal digits, so 2 are missing; for/,
    )
  },
)
