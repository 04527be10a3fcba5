// All verifiers of HMAC deliveries. verify() returns whether the delivery is valid.
import { verify as octokitVerify } from '@octokit/webhooks-methods'
import { defineListener, hmac, verify } from 'hookgate'
import { memoryStore } from 'hookgate/stores/memory'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { floorWithHandMadeHmac, floorWithOwnHmac } from './floor.mjs'
import { CIDRS, SECRET, signedDelivery, tampered } from './workload.mjs'

const SECRET_BASE64 = Buffer.from(SECRET).toString('base64')

function answers(work) {
  try {
    work()
    return true
  } catch {
    return false
  }
}

export function hookgateListener() {
  const auth = hmac({ secrets: { id: 'main', secret: SECRET } })
  return defineListener({ id: 'bench', auth, store: memoryStore(), allowedCidrs: CIDRS })
}

/** Each make() returns a verifier with its own memory, if it has one. */
export const HMAC_VARIANTS = [
  {
    name: 'floor',
    make:
      (floor = floorWithOwnHmac()) =>
      (delivery) =>
        floor(delivery) === 200,
  },
  {
    name: 'floor, HMAC by hand',
    make:
      (floor = floorWithHandMadeHmac()) =>
      (delivery) =>
        floor(delivery) === 200,
  },
  {
    name: 'hookgate',
    make:
      (listener = hookgateListener()) =>
      async (delivery) =>
        (await verify(delivery, listener)).ok,
  },
  {
    name: 'standardwebhooks',
    make:
      (webhook = new StandardWebhook(SECRET_BASE64)) =>
      ({ body, standard }) =>
        answers(() => webhook.verify(body, standard)),
  },
  {
    name: 'svix',
    make:
      (webhook = new SvixWebhook(SECRET_BASE64)) =>
      ({ body, standard }) =>
        answers(() => webhook.verify(body, standard)),
  },
  {
    name: 'stripe',
    make:
      ({ webhooks } = new Stripe('sk_test_none')) =>
      ({ body, stripe }) =>
        answers(() => webhooks.constructEvent(body, stripe, SECRET)),
  },
  {
    name: '@octokit/webhooks-methods',
    make:
      () =>
      ({ body, octokit }) =>
        octokitVerify(SECRET, body.toString(), octokit),
  },
]

/** Checks each verifier first: it must accept a valid delivery and refuse a changed one. */
export async function proveVerifiers(variants, size) {
  for (const { name, make } of variants) {
    const good = signedDelivery(size, 1)
    const said = [await make()(good), await make()(tampered(good))]
    if (said[0] !== true || said[1] !== false) throw new Error(`${name} accepts and refuses: ${said}`)
  }
}
