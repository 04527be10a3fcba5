import { describe, expect, it } from 'vitest'
import { webhookHandler } from '../../adapters/web.ts'
import { ListenerConfigError } from '../../src/errors.ts'
import { defineListener, hmac, verify } from '../../src/index.ts'
import { jwt, localKeySet } from '../../src/jwt.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { mutations, signAs, signHmac, signJwt, toDelivery } from '../../src/testing/index.ts'
import { newKey } from '../support/keys.ts'

const SECRET = 'mutations-0123456789-abcdefghijklmnop'
const { privateKey, publicKey } = newKey('ES256', 'k1')
const ENDPOINT = { subject: 'https://tenant.example', audience: 'https://tenant.example/hook' }
const BODIES = ['{"total":1.0}', { a: [1, 2] }, '12', '', new TextEncoder().encode('"é"')]

const METHODS = {
  HMAC: {
    auth: hmac({ secrets: SECRET }),
    sign: (body: (typeof BODIES)[number]) => signHmac({ secret: SECRET, body }),
  },
  JWT: {
    auth: jwt({ keySet: localKeySet({ keys: [publicKey] }), ...ENDPOINT }),
    sign: (body: (typeof BODIES)[number]) => signJwt({ privateKey, ...ENDPOINT, body }),
  },
}

describe.each(Object.entries(METHODS))('mutations of a delivery with %s', async (_, { auth, sign }) => {
  const all = mutations(await sign('{"total":1.0}'))
  const listener = () => defineListener({ id: 'mutations', auth, store: memoryStore() })

  it('the mutations are over 45, each with its own name', () => {
    expect(all.length).toBeGreaterThan(45)
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  })

  it('the mutations leave the delivery itself unchanged', async () => {
    const delivery = await sign('{"total":1.0}')
    mutations(delivery)
    expect(await verify(toDelivery(delivery), listener())).toMatchObject({ ok: true })
  })

  it.each(all)('$name is refused with $status $reason', async ({ request, reason, status }) => {
    expect(await verify(toDelivery(request), listener())).toMatchObject({ ok: false, reason, status })
  })

  it.each(all)('$name can be sent by fetch, and is answered $status', async ({ request, status }) => {
    const handle = webhookHandler(listener(), () => undefined)
    const answer = await handle(new Request('https://tenant.example/hook', request))
    expect(answer.status).toBe(status)
  })

  it.each(BODIES.filter((body) => body !== ''))(
    'the mutations are refused for the same reasons whatever the body: %j',
    async (body) => {
      for (const { name, request, reason } of mutations(await sign(body))) {
        expect(await verify(toDelivery(request), listener()), name).toMatchObject({ ok: false, reason })
      }
    },
  )
})

it.each([
  ['a promise', signHmac({ secret: SECRET, body: '{}' })],
  ["another sender's delivery", await signAs(stripe, { secret: 'whsec_for_trying', body: '{}' })],
  ['nothing', undefined],
])('%s cannot be mutated', (_, delivery) => {
  expect(() => mutations(delivery as never)).toThrow(ListenerConfigError)
})
