import type { JWK } from 'jose'
import { describe, expect, it } from 'vitest'
import type { TimeUnit } from '../../../src/lib/time.ts'
import { signAs } from '../../../src/testing/index.ts'
import { writeTime } from '../../../tools/vectors/deliver.mjs'
import { recipes } from '../../../tools/vectors/recipes.mjs'
import { bothSecrets } from '../../../tools/vectors/vectors.mjs'
import { SCHEME_NAMES, schemeFactory } from '../../support/schemes.ts'
import { ask } from './senders/ask.mjs'
import { senderOf } from './senders/sender-of.mjs'

/** The part of tools/vectors/recipes that this test uses, because they have no types. */
interface Recipe {
  readonly scheme: string
  readonly sdk?: string
  readonly now: number
  readonly keys: { readonly new: string | { readonly privateJwk: JWK } }
  readonly body: string | ((time: string) => string)
  readonly time?: { readonly unit: TimeUnit }
  readonly publicUrl?: string
  readonly options?: object
  readonly extra?: readonly (readonly [name: string, value: string])[]
}

/** Rows with an SDK to ask. */
const asked: readonly Recipe[] = recipes.filter(({ scheme, sdk }) => sdk && SCHEME_NAMES.includes(scheme))
const schemes = await Promise.all(
  asked.map(async (recipe) => ({ name: recipe.scheme, recipe, factory: await schemeFactory(recipe.scheme) })),
)
const rows = schemes.filter(({ factory: { scheme } }) => typeof scheme?.signs === 'string')

function sampleOf({ body, now, time }: Recipe): string {
  if (typeof body === 'string') return body
  return body(writeTime(time?.unit, now))
}

const keyOf = ({ keys }: Recipe) =>
  typeof keys.new === 'string' ? { secret: keys.new } : { privateKey: keys.new.privateJwk }

describe.each(rows)('a delivery signed by us as $name', ({ name, recipe, factory }) => {
  it.each([
    ['its own sample', sampleOf(recipe)],
    [
      'characters outside ASCII',
      sampleOf(recipe).replace(/^(\[?\{)/, '$1"note": "Grüße, 漢字, 🚀 \\u00e9", '),
    ],
    ['line ends of two kinds', sampleOf(recipe).replace(/^(\[?\{)/, '$1\r\n"a": 1,\n')],
  ])('the delivery is accepted by its SDK: %s', async (_, body) => {
    const { publicUrl, now } = recipe
    const signed = await signAs(factory, {
      ...keyOf(recipe),
      body,
      publicUrl,
      timestamp: now,
      eventId: 'made-up-1',
    })
    const unsigned = (recipe.extra ?? []).filter(([each]) => !(each.toLowerCase() in signed.headers))
    const headers = [...Object.entries(signed.headers), ...unsigned]
    const vectors = { options: recipe.options ?? bothSecrets(recipe), now }
    const sender = await senderOf(name, recipe.sdk)
    expect(await ask(sender, vectors, { method: 'POST', headers, body: signed.body })).toBe('accepts')
  })
})

it('the test covers all rows with an SDK', () => {
  expect(rows.length).toBeGreaterThan(20)
})
