import type { JWK } from 'jose'
import { describe, expect, it } from 'vitest'
import { defineListener, verify } from '../../../src/index.ts'
import type { TimeUnit } from '../../../src/lib/time.ts'
import type { SchemeOptions } from '../../../src/schemes/kit/index.ts'
import { memoryStore } from '../../../src/stores/memory.ts'
import { signAs, toDelivery } from '../../../src/testing/index.ts'
import { writeTime } from '../../../tools/vectors/deliver.mjs'
import { recipes } from '../../../tools/vectors/recipes.mjs'
import { bothSecrets } from '../../../tools/vectors/vectors.mjs'
import { SCHEME_NAMES, schemeFactory } from '../../support/schemes.ts'
import { randomForm, randomMembers, withAnotherLetter } from './random-body.ts'
import { ask, keysOf } from './senders/ask.mjs'
import { senderOf } from './senders/sender-of.mjs'

/** The part of tools/vectors/recipes that this test uses, because they have no types. */
interface Recipe {
  readonly scheme: string
  readonly sdk?: string
  readonly now: number
  readonly keys?: { readonly new: string | { readonly privateJwk: JWK } }
  readonly body?: string | ((time: string) => string)
  readonly time?: { readonly unit: TimeUnit }
  readonly options?: SchemeOptions & { readonly apiKey?: string; readonly publicKey?: string }
  readonly extra?: readonly (readonly [name: string, value: string])[]
}

const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1)

/** These senders sign with a key that only they have. */
const NOT_SIGNED_HERE = ['app-store', 'plaid', 'pubsub', 'sns', 'vercel-connect', 'wix']

/** These sign values of the body and the URL, but not the body. */
const BODY_NOT_SIGNED = ['mercado-pago']

/** Their SDKs look only at the beginning of a request. */
const HEAD_ONLY = ['rfc9421']

const tested: readonly Recipe[] = recipes.filter(
  ({ scheme, sdk }) =>
    sdk && SCHEME_NAMES.includes(scheme) && ![...NOT_SIGNED_HERE, ...BODY_NOT_SIGNED].includes(scheme),
)

const BODIES: { readonly [scheme: string]: (seed: number) => string } = {
  acuity: randomForm,
  twilio: randomForm,
  braintree: (seed) =>
    `<notification><timestamp type="datetime">2025-11-20T11:59:59Z</timestamp><kind>subscription_went_past_due</kind><subject><subscription><id>${'ü🚀'.repeat(seed)}</id><transactions type="array"></transactions><add_ons type="array"></add_ons><discounts type="array"></discounts></subscription></subject></notification>`,
  adyen: (seed) =>
    `{"live": "false", "notificationItems": [{"NotificationRequestItem": {"pspReference": "${seed}", "merchantReference": "ü 🚀 letters: abc", "amount": {"value": ${seed * 100}, "currency": "EUR"}, "eventCode": "AUTHORISATION", "success": "true", "additionalData": {}}}]}`,
}

/** The recipe's own sample with random members in front. */
function bodyOf({ scheme, body = '{"a": 1}', now, time }: Recipe, seed: number): string {
  const own = BODIES[scheme]
  if (own) return own(seed)
  const sample = typeof body === 'string' ? body : body(writeTime(time?.unit, now))
  return sample.replace(/^(\[?\{)/, (start) => start + randomMembers(seed))
}

async function signed(recipe: Recipe, body: string) {
  const { scheme, now, options = bothSecrets(recipe), keys, extra = [] } = recipe
  const key = keys?.new ?? keysOf(options)[0]
  const request = await signAs(await schemeFactory(scheme), {
    ...(typeof key === 'string' ? { secret: key } : { privateKey: key.privateJwk }),
    body,
    publicUrl: options.publicUrl,
    keyId: options.apiKey ?? options.publicKey,
    timestamp: now,
    eventId: 'made-up-1',
  })
  const others = extra.filter(([name]) => !(name.toLowerCase() in request.headers))
  return { ...request, headers: { ...request.headers, ...Object.fromEntries(others) } }
}

type Signed = Awaited<ReturnType<typeof signed>>

async function sdkSays({ scheme, now, ...recipe }: Recipe, { method, headers, body }: Signed) {
  const vectors = { options: recipe.options ?? bothSecrets(recipe), now }
  const sender = await senderOf(scheme, recipe.sdk)
  return await ask(sender, vectors, { method, headers: Object.entries(headers), body })
}

async function weSay({ scheme, now, ...recipe }: Recipe, request: Signed) {
  const clock = { now: () => now * 1000 }
  const listener = defineListener({
    id: scheme,
    auth: (await schemeFactory(scheme))(recipe.options ?? bothSecrets(recipe)),
    store: memoryStore({ clock, maxRecords: 10 }),
    clock,
  })
  return (await verify(toDelivery(request), listener)).ok ? 'accepts' : 'refuses'
}

describe.each(tested)('twenty random bodies of $scheme', (recipe) => {
  it('the bodies are accepted by its SDK and by us, and refused by both if one letter changes', async () => {
    const verdicts: object[] = []
    for (const seed of SEEDS) {
      const request = await signed(recipe, bodyOf(recipe, seed))
      const changed = { ...request, body: withAnotherLetter(request.body) }
      const sdk = [await sdkSays(recipe, request), await sdkSays(recipe, changed)]
      verdicts.push({ seed, sdk, we: [await weSay(recipe, request), await weSay(recipe, changed)] })
    }
    const right = ['accepts', 'refuses']
    const sdk = HEAD_ONLY.includes(recipe.scheme) ? ['accepts', 'accepts'] : right
    expect(verdicts).toEqual(SEEDS.map((seed) => ({ seed, sdk, we: right })))
  })
})

it('the test covers all senders with an SDK', () => {
  expect(tested.length).toBeGreaterThan(35)
})
