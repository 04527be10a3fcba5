// Other senders' deliveries, verified by hookgate and by the senders' own packages.
import { verify as octokitVerify } from '@octokit/webhooks-methods'
import { defineListener, verify } from 'hookgate'
import { github } from 'hookgate/schemes/github'
import { standardWebhooks } from 'hookgate/schemes/standard-webhooks'
import { stripe } from 'hookgate/schemes/stripe'
import { memoryStore } from 'hookgate/stores/memory'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { deliveryOf, SECRET } from './workload.mjs'

const SECRET_BASE64 = Buffer.from(SECRET).toString('base64')

function answers(work) {
  try {
    work()
    return true
  } catch {
    return false
  }
}

function hookgate(auth) {
  const listener = defineListener({ id: 'bench', auth, store: memoryStore() })
  return ({ own }) => verify(own, listener).then(({ ok }) => ok)
}

const withHeaders = (body, headers) => deliveryOf({ 'content-type': 'application/json', ...headers }, body)

/** Each sender: its delivery, hookgate's verifier, and the package to compare with, which also parses the body. */
export const SENDERS = [
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
