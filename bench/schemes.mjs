import { verify as octokitVerify } from '@octokit/webhooks-methods'
import { defineListener, verify } from 'hookgate'
import { github } from 'hookgate/schemes/github'
import { standardWebhooks } from 'hookgate/schemes/standard-webhooks'
import { stripe } from 'hookgate/schemes/stripe'
import { memoryStore } from 'hookgate/stores/memory'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { interleave, least, ratio, roundsInAll } from './rounds.mjs'
import { answers, bodyOf, deliveryOf, SECRET, SIZES, signedDelivery, tampered } from './workload.mjs'

const MICROSECONDS_A_ROUND = 6000
const REFUSED_SIZE = 8192
const SECRET_BASE64 = Buffer.from(SECRET).toString('base64')

function hookgate(auth) {
  const listener = defineListener({ id: 'bench', auth, store: memoryStore() })
  return ({ own }) => verify(own, listener).then(({ ok }) => ok)
}

const withHeaders = (body, headers) => deliveryOf({ 'content-type': 'application/json', ...headers }, body)

/** Each sender: its delivery, hookgate's verifier, and the package to compare with, which also parses the body. */
const SENDERS = [
  {
    name: 'stripe',
    own: ({ body, stripe }) => withHeaders(body, { 'stripe-signature': stripe }),
    ours: () => hookgate(stripe({ secrets: SECRET })),
    peer: 'stripe constructEvent',
    theirs:
      ({ webhooks } = new Stripe('sk_test_none')) =>
      ({ body, stripe }) =>
        answers(() => webhooks.constructEvent(body, stripe, SECRET)),
  },
  {
    name: 'standard-webhooks',
    own: ({ body, standard }) => withHeaders(body, standard),
    ours: () => hookgate(standardWebhooks({ secrets: `whsec_${SECRET_BASE64}` })),
    peer: 'standardwebhooks verify',
    theirs:
      (webhook = new StandardWebhook(SECRET_BASE64)) =>
      ({ body, standard }) =>
        answers(() => webhook.verify(body, standard)),
  },
  {
    name: 'github',
    own: ({ body, octokit, eventId }) =>
      withHeaders(body, { 'x-hub-signature-256': octokit, 'x-github-delivery': eventId }),
    ours: () => hookgate(github({ secrets: SECRET })),
    peer: '@octokit/webhooks-methods and JSON.parse',
    theirs:
      () =>
      async ({ body, octokit }) => {
        const text = body.toString()
        return (await octokitVerify(SECRET, text, octokit)) && typeof JSON.parse(text) === 'object'
      },
  },
]

/**
 * The CPU time of a verified delivery next to the sender's own package, and of a wrong signature next to an accepted
 * one.
 */
export async function measure({ rounds, progress }) {
  const rows = []
  for (const sender of SENDERS) {
    for (const size of SIZES) {
      await prove(sender, size)
      rows.push(
        ...(await compare(sender, size, rounds, (where) => progress(`${sender.name} ${size}, ${where}`))),
      )
    }
  }
  return rows
}

/** The pairs of one interleaved run. At 8 KB a third variant has a wrong signature. */
async function compare(sender, size, rounds, progress) {
  const { name, peer, ours, theirs } = sender
  const operations = Math.ceil(MICROSECONDS_A_ROUND / (3 + size / 220))
  const made = Array.from({ length: roundsInAll(rounds) }, (_, round) =>
    Array.from({ length: operations }, (_, index) => delivered(sender, size, round * operations + index)),
  )
  const variants = [
    { name, run: runAll(ours(), made, true) },
    { name: peer, run: runAll(theirs(), made, true) },
  ]
  if (size === REFUSED_SIZE) {
    const wrong = made.map((deliveries) => deliveries.map((delivery) => mistaken(sender, delivery)))
    variants.push({ name: 'wrong signature', run: runAll(ours(), wrong, false) })
  }
  const { cpu } = await interleave(variants, { rounds, operations, progress })
  const row = { sender: name, size, peer, microseconds: least(cpu, name), toPeer: ratio(cpu, name, peer) }
  return [size === REFUSED_SIZE ? { ...row, wrongToAccepted: ratio(cpu, 'wrong signature', name) } : row]
}

/** A body with an ID, as in Stripe's events. */
function delivered({ own }, size, serial) {
  const id = Buffer.from(`{"id":"evt_${`${serial}`.padStart(10, '0')}",`)
  const body = Buffer.concat([id, bodyOf(size - id.length + 1, serial).subarray(1)])
  const delivery = signedDelivery(size, serial, { body })
  return Object.assign(delivery, { own: own(delivery) })
}

function mistaken({ own }, delivery) {
  const wrong = tampered(delivery)
  return Object.assign(wrong, { own: own(wrong) })
}

/** Checks each verifier first: it must accept a valid delivery and refuse a changed one. */
async function prove(sender, size) {
  const good = delivered(sender, size, 1)
  for (const make of [sender.ours, sender.theirs]) {
    const said = [await make()(good), await make()(mistaken(sender, good))]
    if (said[0] !== true || said[1] !== false) throw new Error(`${sender.name} accepts and refuses: ${said}`)
  }
}

/** Each verifier has its own loop, so that each gets its own JIT code. */
function runAll(verifier, deliveries, wanted) {
  const loop = new Function(
    'verifier',
    'deliveries',
    'wanted',
    `return async (round) => {
      for (const delivery of deliveries[round]) {
        const said = verifier(delivery)
        if ((said === true || said === false ? said : await said) !== wanted) throw new Error('decided otherwise')
      }
    }`,
  )
  return loop(verifier, deliveries, wanted)
}
