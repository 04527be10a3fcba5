import { describe, expect, it } from 'vitest'
import { defineListener, verify } from '../../../src/index.ts'
import { memoryStore } from '../../../src/stores/memory.ts'
import { deliver } from '../../../tools/vectors/deliver.mjs'
import { recipes } from '../../../tools/vectors/recipes.mjs'
import { bothSecrets } from '../../../tools/vectors/vectors.mjs'
import { SCHEME_NAMES, schemeFactory } from '../../support/schemes.ts'
import { senderOf } from './senders/sender-of.mjs'

interface Signer {
  readonly scheme: string
  readonly sign: (signed: object) => string | Promise<string>
}

const signers: Signer[] = []
for (const { scheme, sdk, signature } of recipes) {
  if (!sdk || !signature || !SCHEME_NAMES.includes(scheme)) continue
  const { sign } = await senderOf(scheme, sdk)
  if (sign) signers.push({ scheme, sign })
}

/** A delivery signed by the SDK. The rest follows the sender's documents, which may ask for a form. */
async function signedBySdk({ scheme, sign }: Signer, text: string) {
  const recipe = recipes.find((each) => each.scheme === scheme)
  const isForm = recipe.contentType?.startsWith('application/x-www-form-urlencoded')
  const body = isForm ? String(new URLSearchParams({ Body: text })) : text
  let signed = {}
  deliver(recipe, { body, value: (_: string, parts: { readonly signed: object }) => (signed = parts.signed) })
  const signature = (await sign(signed)).split(/[,=](?=.{20})/).at(-1)
  return { recipe, delivery: deliver(recipe, { body, spelling: () => signature }) }
}

describe.each(signers)('a delivery signed by the SDK of $scheme', (signer) => {
  it.each([
    ['an object', '{"type": "made.by.the.sdk", "n": 0.10}'],
    ['characters outside ASCII', '{"note": "Grüße, 漢字, 🚀"}'],
    ['line ends of two kinds', '{\r\n"a": 1\n}'],
  ])('the delivery is accepted: %s', async (_, body) => {
    const { recipe, delivery } = await signedBySdk(signer, body)
    const factory = await schemeFactory(signer.scheme)
    const clock = { now: () => recipe.now * 1000 }
    const listener = defineListener({
      id: signer.scheme,
      auth: factory(recipe.options ?? bothSecrets(recipe)),
      store: memoryStore({ clock, maxRecords: 10 }),
      clock,
    })
    const header = (name: string) =>
      delivery.headers.find(([each]: readonly string[]) => each?.toLowerCase() === name)?.[1]
    const { method, body: bytes } = delivery
    expect(await verify({ method, header, body: bytes, sourceIp: undefined }, listener)).toMatchObject({
      ok: true,
    })
  })
})

it('the test covers the SDKs that can sign', () => {
  expect(signers.length).toBeGreaterThan(7)
})
