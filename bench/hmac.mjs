import { verify as octokitVerify } from '@octokit/webhooks-methods'
import { defineListener, hmac, verify } from 'hookgate'
import { memoryStore } from 'hookgate/stores/memory'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { floorWithHandMadeHmac, floorWithOwnHmac } from './floor.mjs'
import { interleave, least, ratio, roundsInAll } from './rounds.mjs'
import { answers, CIDRS, SECRET, SIZES, signedDelivery, tampered } from './workload.mjs'

const MICROSECONDS_A_ROUND = 6000
const SECRET_BASE64 = Buffer.from(SECRET).toString('base64')

export function hookgateListener() {
  const auth = hmac({ secrets: { id: 'main', secret: SECRET } })
  return defineListener({ id: 'bench', auth, store: memoryStore(), allowedCidrs: CIDRS })
}

/** Each make() returns a verifier with its own memory, if it has one. It returns whether a delivery is valid. */
export const HMAC_VERIFIERS = [
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

/** The CPU time of a verified delivery in µs, and its ratios to both floors, at each size. */
export async function measure({ rounds, progress }) {
  const rows = []
  for (const size of SIZES) {
    await prove(size)
    const operations = Math.ceil(MICROSECONDS_A_ROUND / (3 + size / 220))
    const deliveries = Array.from({ length: roundsInAll(rounds) }, (_, round) =>
      Array.from({ length: operations }, (_, index) => signedDelivery(size, round * operations + index)),
    )
    const variants = HMAC_VERIFIERS.map(({ name, make }) => ({ name, run: verifyAll(make(), deliveries) }))
    const { cpu } = await interleave(variants, {
      rounds,
      operations,
      progress: (where) => progress(`${size} bytes, ${where}`),
    })
    for (const { name } of variants) {
      rows.push({
        size,
        name,
        microseconds: least(cpu, name),
        toFloor: ratio(cpu, name, 'floor'),
        toHandMade: ratio(cpu, name, 'floor, HMAC by hand'),
      })
    }
  }
  return rows
}

/** Each verifier has its own loop, so that each gets its own JIT code. */
function verifyAll(verifier, deliveries) {
  const loop = new Function(
    'verifier',
    'deliveries',
    `return async (round) => {
      for (const delivery of deliveries[round]) {
        const said = verifier(delivery)
        if ((said === true || said === false ? said : await said) !== true) throw new Error('refused')
      }
    }`,
  )
  return loop(verifier, deliveries)
}

/** Checks each verifier first: it must accept a valid delivery and refuse a changed one. */
async function prove(size) {
  for (const { name, make } of HMAC_VERIFIERS) {
    const good = signedDelivery(size, 1)
    const said = [await make()(good), await make()(tampered(good))]
    if (said[0] !== true || said[1] !== false) throw new Error(`${name} accepts and refuses: ${said}`)
  }
}
