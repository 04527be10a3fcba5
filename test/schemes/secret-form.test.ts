import { describe, expect, it } from 'vitest'
import type { SchemeOptions } from '../../src/schemes/kit/index.ts'
import { SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'

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
