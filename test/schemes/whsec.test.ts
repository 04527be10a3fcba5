import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { defineListener, verify } from '../../src/index.ts'
import type { Scheme } from '../../src/schemes/kit/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { toDelivery } from '../../src/testing/index.ts'
import { type AnyFactory, SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'

const all = await Promise.all(SCHEME_NAMES.map(schemeFactory))
const takesWhsec = ({ scheme: { key } }: AnyFactory) =>
  typeof key === 'object' && key.base64After === 'whsec_'

/** The senders whose secrets are `whsec_` and base64, and those of the same scheme whose key is the text. */
const rows = all.filter(takesWhsec).map((factory) => ({ name: factory.scheme.name, factory }))
const texts = all
  .filter(({ scheme: { signs, key } }) => signs === '{id}.{timestamp}.{body}' && key === 'text')
  .filter(({ scheme: { signature } }) => signature.prefix === 'v1,')
  .map((factory) => ({ name: factory.scheme.name, factory }))

const KEY = Buffer.from('a key of 32 bytes, made by these')
const BASE64 = KEY.toString('base64')
const now = 1_763_640_000
const BODY = '{"a": 1}'

const mac = (key: Buffer | string) =>
  createHmac('sha256', key).update(`msg_1.${now}.${BODY}`).digest('base64')

/** Delivers what is signed with the key, by Node's own HMAC. */
async function verdict({ factory }: { readonly factory: AnyFactory }, secrets: string, signature: string) {
  const clock = { now: () => now * 1000 }
  const store = memoryStore({ clock, maxRecords: 10 })
  const listener = defineListener({ id: 'whsec', auth: factory({ secrets }), store, clock })
  const headers = {
    'content-type': 'application/json',
    ...nameHeaders(factory.scheme, ['msg_1', `${now}`, signature]),
  }
  const { ok } = await verify(toDelivery({ method: 'POST', headers, body: BODY }), listener)
  return ok
}

function nameHeaders({ eventId, timestamp, signature }: Scheme, values: readonly string[]) {
  const places = [eventId, timestamp].map((place) => (place && 'header' in place ? place.header : ''))
  return Object.fromEntries(
    [...places, signature.headers[0]].map((name, index) => [name, values[index] ?? '']),
  )
}

describe.each(rows)('the secret of $name', (row) => {
  it.each([
    ['as most senders show it', `whsec_${BASE64}`],
    ['without its beginning', BASE64],
    ['with the version in front, as Supabase shows it', `v1,whsec_${BASE64}`],
  ])('the secret is taken %s', async (_, secret) => {
    expect(await verdict(row, secret, `v1,${mac(KEY)}`)).toBe(true)
    expect(await verdict(row, secret, `v1,${mac(secret)}`), 'its text is no key').toBe(false)
  })

  it.each([
    ['the version without the beginning', `v1,${BASE64}`],
    ['the version twice', `v1,v1,whsec_${BASE64}`],
    ['another version', `v2,whsec_${BASE64}`],
    ['the version of a public key', `v1a,whsec${BASE64}`],
    ['no padding', `whsec_${BASE64.replace('=', '')}`],
    ['base64url', `whsec_${Buffer.alloc(32, 0xfb).toString('base64url')}=`],
    ['another beginning', `whsk_${BASE64}`],
    ['an upper-case beginning', `WHSEC_${BASE64}`],
    ['nothing after its beginning', 'whsec_'],
    ['nothing after the version', 'v1,'],
  ])('the secret is refused at the start: %s', (_, secret) => {
    expect(() => row.factory({ secrets: secret })).toThrow(/^secrets/)
  })

  it('the secret has 24 to 75 bytes', () => {
    const secret = (bytes: number) => () =>
      row.factory({ secrets: `whsec_${Buffer.alloc(bytes, 'k').toString('base64')}` })
    expect(secret(23)).toThrow(/24 to 75 bytes, not 23/)
    expect(secret(24)).not.toThrow()
    expect(secret(75)).not.toThrow()
    expect(secret(76)).toThrow(/24 to 75 bytes, not 76/)
  })

  it('hex is not taken for hex: its digits are base64 of other bytes', async () => {
    const hex = KEY.toString('hex')
    expect(await verdict(row, hex, `v1,${mac(KEY)}`)).toBe(false)
  })

  it.each(['v1a', 'v2', 'V1', ''])('the right digest under the version %j is refused', async (version) => {
    expect(await verdict(row, `whsec_${BASE64}`, `${version},${mac(KEY)}`)).toBe(false)
  })

  it('a signature of v1a beside the right one is ignored, and alone is refused', async () => {
    const v1a = `v1a,${Buffer.alloc(64, 7).toString('base64')}`
    expect(await verdict(row, `whsec_${BASE64}`, v1a)).toBe(false)
    expect(await verdict(row, `whsec_${BASE64}`, `${v1a} v1,${mac(KEY)}`)).toBe(true)
  })
})

describe.each(texts)('the secret of $name, whose text is the key', (row) => {
  it.each(['a client secret', BASE64, `whsec_${BASE64}`])(
    'the secret is taken as it is: %s',
    async (secret) => {
      expect(await verdict(row, secret, `v1,${mac(secret)}`)).toBe(true)
      expect(await verdict(row, secret, `v1,${mac(KEY)}`)).toBe(false)
    },
  )
})

it('the test covers all senders of Standard Webhooks and Svix', () => {
  expect(rows.length).toBeGreaterThan(18)
  expect(texts.map(({ name }) => name)).toEqual(['bigcommerce', 'polar'])
})
