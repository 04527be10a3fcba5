import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { webhookHandler } from '../../adapters/web.ts'
import { defineListener, verify } from '../../src/index.ts'
import type { SchemeOptions } from '../../src/schemes/kit/index.ts'
import { standardWebhooks } from '../../src/schemes/standard-webhooks.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs, toDelivery } from '../../src/testing/index.ts'
import { type AnyFactory, SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'

const OPTIONS = { publicUrl: 'https://a.example/hooks' }
const WHSEC = `whsec_${btoa('k'.repeat(32))}`

const refusalOf = async (name: string, secrets: SchemeOptions['secrets']) => {
  const factory = await schemeFactory(name)
  const options = factory.scheme.name === 'qstash' ? { ...OPTIONS, secrets } : { secrets }
  try {
    factory(options)
    return undefined
  } catch (error) {
    return String(error)
  }
}

/** The senders whose console shows how a secret begins. */
const PREFIXED = [
  ['stripe', 'whsec_', 'for Stripe, pass the signing secret of the endpoint, whsec_…'],
  ['paddle', 'pdl_ntfset_', 'for Paddle, pass the secret key of the notification destination, pdl_ntfset_…'],
  ['qstash', 'sig_', 'for QStash, pass the current and next signing key, sig_…'],
  ['clerk', 'whsec_', 'for Clerk, pass the signing secret of the endpoint, whsec_…'],
  [
    'standard-webhooks',
    'whsec_',
    'for Standard Webhooks, pass the signing secret, whsec_…, or public key, whpk_…',
  ],
] as const

describe.each(PREFIXED)('the secret of %s', (name, prefix, named) => {
  it.each(['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'pk_live_', 'pk_test_'])(
    'the secret is no API key, %s…',
    async (key) => {
      expect(await refusalOf(name, `${key}51H8xYz0123456789`)).toContain(`is an API key; ${named}`)
    },
  )

  it('the secret is more than its prefix', async () => {
    expect(await refusalOf(name, prefix)).toContain(`has nothing after ${prefix}; ${named}`)
  })

  it('the secret is checked wherever it stands, and named by its place', async () => {
    const right = name === 'clerk' || name === 'standard-webhooks' ? WHSEC : `${prefix}a`
    const wrong = { id: 'new', secret: 'sk_live_51H8xYz' }
    expect(await refusalOf(name, [right, wrong])).toContain('secrets[1].secret: is an API key')
    expect(await refusalOf(name, [right])).toBeUndefined()
  })
})

describe('a secret that may be genuine', () => {
  it.each([
    'whsec_a',
    'whsec_0123456789abcdef',
    'a secret of this test',
    'sk_live',
    'my sk_live_ secret',
    'SK_LIVE_a',
    'acct_sk_live_1',
  ])('a secret of Stripe is accepted: %s', async (secret) => {
    expect(await refusalOf('stripe', secret)).toBeUndefined()
  })

  it.each(['sk_live_0123456789', 'sk_test_0123456789'])(
    'a secret of Paystack is its API key: %s',
    async (secret) => {
      expect(await refusalOf('paystack', secret)).toBeUndefined()
    },
  )

  it.each(['github', 'gitlab', 'telegram', 'polar', 'vercel', 'buildkite'])(
    'a secret of %s is any text',
    async (name) => {
      expect(await refusalOf(name, 'sk_live_chosen_by_the_user')).toBeUndefined()
      expect(await refusalOf(name, 'whsec_')).toBeUndefined()
    },
  )
})

describe('the secret of SurveyMonkey', () => {
  it.each([
    'undefined&undefined',
    'client_id&undefined',
    'null&7f3a9c',
    '&',
    'client_id&',
    '&7f3a9c',
    ' & ',
    '7f3a9c',
    'client_id&7f3a9c&',
    'client_id&7f3a9c&7f3a9c',
  ])('is not accepted without both of its values: %s', async (secret) => {
    const right = 'client_id&7f3a9c'
    for (const secrets of [secret, [right, secret], { id: 'main', secret }])
      expect(await refusalOf('surveymonkey', secrets)).toContain('for SurveyMonkey, pass the client ID')
  })

  it.each(['client_id&7f3a9c', 'undefined-app&7f3a9c', 'nullable&7f3a9c'])(
    'is accepted with both of its values: %s',
    async (secret) => {
      expect(await refusalOf('surveymonkey', secret)).toBeUndefined()
    },
  )
})

it('every row whose console shows a prefix is held to it', async () => {
  const factories = await Promise.all(SCHEME_NAMES.map(schemeFactory))
  for (const { scheme } of factories) {
    const [shown] = /\b[a-z_]+_(?=…)/.exec(scheme.secretName) ?? []
    const { key, secretPrefix } = scheme
    expect([scheme.name, typeof key === 'object' ? key.base64After : secretPrefix]).toEqual([
      scheme.name,
      shown,
    ])
  }
})

const factories = await Promise.all(SCHEME_NAMES.map(schemeFactory))
const named = (factory: AnyFactory) => ({ name: factory.scheme.name, factory })

describe('the secret of Standard Webhooks and its kin', () => {
  const rows = factories.filter(({ scheme }) => typeof scheme.key === 'object').map(named)

  it('the kin has more than five rows', () => {
    expect(rows.length).toBeGreaterThan(5)
  })

  it.each(rows)(
    '$name: a secret with the version in front, as Supabase shows it, is the same key',
    async ({ factory }) => {
      const { scheme } = factory
      const auth = factory({ secrets: `v1,${WHSEC}` })
      const listener = defineListener({ id: 'kin', auth, store: memoryStore({ maxRecords: 9 }) })
      for (const secret of [WHSEC, `v1,${WHSEC}`]) {
        const request = await signAs(factory, {
          secret,
          body: '{"type":"a"}',
          eventId: secret.length.toString(),
        })
        expect(await verify(toDelivery(request), listener), scheme.name).toMatchObject({ ok: true })
      }
    },
  )

  it.each(rows)('$name: a secret that lost its padding is named', async ({ name, factory }) => {
    const { sender, secretName } = factory.scheme
    for (const bytes of [31, 32]) {
      const unpadded = `whsec_${btoa('k'.repeat(bytes)).replace(/=+$/, '')}`
      for (const secret of [unpadded, `v1,${unpadded}`, unpadded.slice(6)]) {
        const refusal = await refusalOf(name, secret)
        expect(refusal).toContain(
          `must be whsec_ followed by base64, as the sender shows it; its padding (=) is missing at its end; for ${sender}, pass the ${secretName}`,
        )
        expect(refusal).not.toContain('a2tra2')
      }
    }
  })

  it.each(rows)('$name: a secret cut short is not called unpadded', async ({ name }) => {
    const cut = `whsec_${btoa('k'.repeat(33)).slice(0, -3)}` // one digit over
    expect(await refusalOf(name, cut)).toMatch(
      /must be whsec_ followed by base64, as the sender shows it; for /,
    )
  })

  it.each([
    'v1,v1,whsec_a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s=',
    'v2,whsec_a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s=',
    'v1,',
    'v1,whsec_',
    `v1,${WHSEC}|v1,${WHSEC}`,
  ])('a secret that no console shows is refused: %s', async (secret) => {
    expect(await refusalOf('svix', secret)).toMatch(/ListenerConfigError/)
  })

  it('a public key may have its version in front too', () => {
    const whpk = `whpk_${btoa(String.fromCharCode(88, ...Array.from({ length: 31 }, () => 0x66)))}` // the base point of Ed25519
    expect(() => standardWebhooks({ publicKeys: `v1a,${whpk}` })).not.toThrow()
  })

  it('a public key without its prefix is no secret, for which everybody could sign', async () => {
    const point = Uint8Array.from([88, ...Array.from({ length: 31 }, () => 0x66)]) // the base point of Ed25519
    const auth = standardWebhooks({ publicKeys: btoa(String.fromCharCode(...point)) })
    const listener = defineListener({ id: 'a', auth, store: memoryStore(), onVerdict: null })
    const [id, time] = ['msg_1', `${Math.floor(Date.now() / 1000)}`]
    const signature = `v1,${createHmac('sha256', point).update(`${id}.${time}.{}`).digest('base64')}`
    const webhook = { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature }
    const headers = { ...webhook, 'content-type': 'application/json' }
    const verdict = await verify(toDelivery({ method: 'POST', headers, body: '{}' }), listener)
    expect(verdict).toMatchObject({ ok: false, status: 401 })
    expect(() => standardWebhooks({ publicKeys: WHSEC })).toThrow(/^publicKeys/)
  })

  it('only base64 after a prefix has a version: the text of the secret of Stripe is its key', async () => {
    expect(await refusalOf('stripe', 'v1,whsec_0123456789abcdef')).toMatch(/has a comma/)
  })
})

describe('two signatures of Supabase, which it joins by a comma and a space', () => {
  const keys = ['k', 'l'].map((letter) => `v1,whsec_${btoa(letter.repeat(32))}`)

  it.each(keys)('either secret is enough, on Node and on the web: %s', async (secrets) => {
    const timestamp = Math.floor(Date.now() / 1000)
    const body = '{"type":"a"}'
    const [one, other] = await Promise.all(
      keys.map((secret) => signAs(standardWebhooks, { secret, body, eventId: 'a', timestamp })),
    )
    if (one === undefined || other === undefined) throw new Error('two secrets make two requests')
    const both = [one, other].map(({ headers }) => headers['webhook-signature'] ?? '').join(', ')
    const headers = { ...one.headers, 'webhook-signature': both }
    const listener = () =>
      defineListener({
        id: 'supabase',
        auth: standardWebhooks({ secrets }),
        store: memoryStore({ maxRecords: 9 }),
      })
    expect(await verify(toDelivery({ ...one, headers }), listener())).toMatchObject({ ok: true })
    const request = new Request('https://a.example/', { method: 'POST', headers, body })
    expect((await webhookHandler(listener(), () => {})(request)).status).toBe(200)
    const twice = `${headers['webhook-signature']}, ${both}`
    const again = new Request('https://a.example/', {
      method: 'POST',
      headers: { ...headers, 'webhook-signature': twice },
      body,
    })
    expect((await webhookHandler(listener(), () => {})(again)).status).toBe(401)
  })

  it('a space in front of a secret is named, also before its version', async () => {
    expect(await refusalOf('standard-webhooks', ` v1,${WHSEC}`)).toMatch(/has a space at its start/)
  })
})

describe('a space behind the comma of a signature header', () => {
  const rows = factories
    .filter(({ scheme: { signature } }) => [',', ', ', ';'].includes(signature.separator ?? ''))
    .map(named)

  it("is Sanity's and WorkOS's, whose SDKs take it, and Mollie's, who repeats the header", () => {
    const spaced = rows.filter(({ factory }) => factory.scheme.signature.separator === ', ')
    expect(spaced.map(({ name }) => name)).toEqual(['mollie', 'sanity', 'workos'])
    expect(rows.length).toBeGreaterThan(spaced.length)
  })

  it.each(rows)('$name: it counts only if the sender does not write it', async ({ factory }) => {
    const { scheme } = factory
    const secret = scheme.secretPrefix ? `${scheme.secretPrefix}0123456789` : 'a-secret-0123456789abcdef'
    const url = scheme.takes?.includes('publicUrl') && { publicUrl: 'https://example.com/hooks' }
    const [header = ''] = scheme.signature.headers
    const body = JSON.stringify({ event: { occurred_at: new Date().toISOString() } })
    const request = await signAs(factory, { secret, ...url, body })
    const listener = defineListener({
      id: 'spaces',
      auth: factory({ secrets: secret, ...url }),
      store: memoryStore({ maxRecords: 9 }),
    })
    const { separator = '' } = scheme.signature
    const parts = (request.headers[header] ?? '').split(separator.trim()).map((part) => part.trim())
    if (parts.length === 1) parts.unshift('x=1')
    const spaced = {
      ...request,
      headers: { ...request.headers, [header]: parts.join(`${separator.trim()} `) },
    }
    expect((await verify(toDelivery(spaced), listener)).ok).toBe(separator === ', ')
  })
})
