import type { JWK } from 'jose'
import type { Authenticator } from '../../../src/index.ts'
import { discord } from '../../../src/schemes/discord.ts'
import { github } from '../../../src/schemes/github.ts'
import type { Scheme, SchemeOptions } from '../../../src/schemes/kit/index.ts'
import { linear } from '../../../src/schemes/linear.ts'
import { meta } from '../../../src/schemes/meta.ts'
import { paddle } from '../../../src/schemes/paddle.ts'
import { shopify } from '../../../src/schemes/shopify.ts'
import { slack } from '../../../src/schemes/slack.ts'
import { standardWebhooks } from '../../../src/schemes/standard-webhooks.ts'
import { stripe } from '../../../src/schemes/stripe.ts'
import { svix } from '../../../src/schemes/svix.ts'
import { twilio } from '../../../src/schemes/twilio.ts'
import { newKey } from '../../support/keys.ts'

/** A sender as its users meet it: how its console shows a secret, and how it writes a body. */
export interface TriedSender {
  readonly name: string
  readonly factory: { readonly scheme: Scheme }
  /** Makes the listener's `auth`. */
  readonly auth: (secret: string, publicUrl: string) => Authenticator
  readonly secret: string
  /** The secret of another endpoint. */
  readonly otherSecret: string
  readonly privateKey?: JWK
  readonly body: string
  readonly headers?: { readonly [name: string]: string }
}

const publicHex = (key: { readonly publicKey: JWK }) =>
  Buffer.from(key.publicKey.x ?? '', 'base64url').toString('hex')
const discordKey = newKey('EdDSA')

/** Any factory, called with the options of all. */
type Take = (options: SchemeOptions) => Authenticator
const withSecret = (factory: unknown) => (secrets: string) => (factory as Take)({ secrets }) // each takes `secrets`

const EVENT = { id: 'evt_1', url: 'https://example.com/a', name: 'Zoë', list: [1, true, { deep: null }] }
const compact = JSON.stringify(EVENT)

/** As PHP writes JSON. */
const escaped = compact.replaceAll('/', '\\/').replaceAll('ë', '\\u00eb')

export const SENDERS: readonly TriedSender[] = [
  {
    name: 'Stripe',
    factory: stripe,
    auth: withSecret(stripe),
    secret: 'whsec_4eC39HqLyjWDarjtT1zdp7dcTYooMQauvdEDq54N',
    otherSecret: 'whsec_9zZ39HqLyjWDarjtT1zdp7dcTYooMQauvdEDq54N',
    body: JSON.stringify(EVENT, undefined, 2),
  },
  {
    name: 'GitHub',
    factory: github,
    auth: withSecret(github),
    secret: 'chosen-by-the-user-0123456789',
    otherSecret: 'chosen-for-another-repository',
    body: compact,
    headers: { 'x-github-event': 'push' },
  },
  {
    name: 'Slack',
    factory: slack,
    auth: withSecret(slack),
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    otherSecret: '1f742231b10e8888abcd99yyyzzz85a5',
    body: compact.replaceAll('/', '\\/'),
  },
  {
    name: 'Shopify',
    factory: shopify,
    auth: withSecret(shopify),
    secret: 'shpss_0123456789abcdef0123456789abcdef',
    otherSecret: 'shpss_ffff456789abcdef0123456789abcdef',
    body: compact.replace('Zo', 'A \\u0026 B'),
    headers: { 'x-shopify-topic': 'orders/create' },
  },
  {
    name: 'Twilio',
    factory: twilio,
    auth: (secrets, publicUrl) => twilio({ secrets, publicUrl }),
    secret: '12345678901234567890123456789012',
    otherSecret: '92345678901234567890123456789012',
    body: 'To=%2B15005550006&From=%2B15005550001&Body=Zo%C3%AB+says+hi&NumMedia=0',
  },
  {
    name: 'Standard Webhooks',
    factory: standardWebhooks,
    auth: withSecret(standardWebhooks),
    secret: `whsec_${btoa('a-key-of-thirty-two-bytes-exact!')}`,
    otherSecret: `whsec_${btoa('b-key-of-thirty-two-bytes-exact!')}`,
    body: compact,
  },
  {
    name: 'Svix',
    factory: svix,
    auth: withSecret(svix),
    secret: `whsec_${btoa('c-key-of-24-bytes-exact!')}`,
    otherSecret: `whsec_${btoa('d-key-of-24-bytes-exact!')}`,
    body: compact,
  },
  {
    name: 'Linear',
    factory: linear,
    auth: withSecret(linear),
    secret: 'lin_wh_0123456789abcdefghijABCDEFGHIJ012345',
    otherSecret: 'lin_wh_9923456789abcdefghijABCDEFGHIJ012345',
    body: compact,
  },
  {
    name: 'Discord',
    factory: discord,
    auth: (publicKeys) => discord({ publicKeys }),
    secret: publicHex(discordKey),
    otherSecret: publicHex(newKey('EdDSA')),
    privateKey: discordKey.privateKey,
    body: compact,
  },
  {
    name: 'Meta',
    factory: meta,
    auth: withSecret(meta),
    secret: '0123456789abcdef0123456789abcdef',
    otherSecret: 'ffff456789abcdef0123456789abcdef',
    body: escaped,
  },
  {
    name: 'Paddle',
    factory: paddle,
    auth: withSecret(paddle),
    secret: 'pdl_ntfset_01gkdqenzbvc1wbz0qkk8eq3ac_abcdefghij0123456789',
    otherSecret: 'pdl_ntfset_01gkdqenzbvc1wbz0qkk8eq3ad_zbcdefghij0123456789',
    body: compact,
  },
]

/** The sender with this name. */
export function senderOf(name: string): TriedSender {
  const found = SENDERS.find((sender) => sender.name === name)
  if (found === undefined) throw new Error(`no sender ${name}`)
  return found
}
