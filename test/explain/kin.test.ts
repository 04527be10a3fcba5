import { describe, expect, it } from 'vitest'
import { explain } from '../../src/explain/index.ts'
import { defineListener, verify } from '../../src/index.ts'
import { rowsOf } from '../../src/schemes/kit/header-families.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { toDelivery } from '../../src/testing/index.ts'
import { SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'

/** As the command line has them: all schemes. */
const all = await Promise.all(SCHEME_NAMES.map(schemeFactory))
const schemes = all.map(({ scheme }) => scheme)

const SECRET = `whsec_${btoa('k'.repeat(32))}`
const FAMILIES = ['svix', 'webhook'] as const

/** The senders of Standard Webhooks and Svix, by their rows. */
const kin = all
  .filter(
    ({ scheme: { signs, signature } }) => signs === '{id}.{timestamp}.{body}' && signature.prefix === 'v1,',
  )
  .map((factory) => {
    const families = FAMILIES.filter((family) =>
      rowsOf(factory.scheme).some(({ signature }) => signature.headers.includes(`${family}-signature`)),
    )
    return { name: factory.scheme.name, factory, families }
  })

const headersOf = (family: (typeof FAMILIES)[number], without = '') =>
  Object.fromEntries(
    [
      ['content-type', 'application/json'],
      [`${family}-id`, 'msg_1'],
      [`${family}-timestamp`, `${Math.floor(Date.now() / 1000)}`],
      [`${family}-signature`, `v1,${btoa('x'.repeat(32))}`],
    ].filter(([name]) => name !== `${family}-${without}`),
  )

async function explained({ factory, name }: (typeof kin)[number], headers: Record<string, string>) {
  const listener = defineListener({ id: name, auth: factory({ secrets: SECRET }), store: memoryStore() })
  const delivery = toDelivery({ method: 'POST', headers, body: '{"a": 1}' })
  return explain(delivery, await verify(delivery, listener), listener, { schemes })
}

it('the kin are those that have a name of their own', () => {
  expect(kin.length).toBeGreaterThan(20)
  expect(kin.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['clerk', 'incident-io', 'recall-ai', 'standard-webhooks', 'supabase', 'svix']),
  )
})

describe.each(kin)('headers that fit twenty senders, at a listener of $name', (row) => {
  it.each(['', 'signature', 'id', 'timestamp'])(
    'the explanation names no other sender if the listener reads these headers (without %j)',
    async (missing) => {
      for (const family of row.families) {
        const { likely, looksLike } = await explained(row, headersOf(family, missing))
        expect(looksLike).toBeUndefined()
        expect(likely.join()).not.toContain('looks like a delivery')
      }
    },
  )

  it('the explanation names the scheme that they share if the listener does not read these headers', async () => {
    for (const family of FAMILIES.filter((each) => !row.families.includes(each))) {
      const { looksLike } = await explained(row, headersOf(family))
      expect(looksLike).toBe(family === 'svix' ? 'svix' : 'standard-webhooks')
    }
  })
})
