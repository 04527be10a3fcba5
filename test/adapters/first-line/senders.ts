import { randomBytes } from 'node:crypto'
import type { Authenticator } from '../../../src/index.ts'
import { github } from '../../../src/schemes/github.ts'
import type { SchemeOptions } from '../../../src/schemes/kit/index.ts'
import { shopify } from '../../../src/schemes/shopify.ts'
import { slack } from '../../../src/schemes/slack.ts'
import { stripe } from '../../../src/schemes/stripe.ts'
import { twilio } from '../../../src/schemes/twilio.ts'
import { signAs } from '../../../src/testing/index.ts'

/** A delivery as it is sent. */
export interface Sent {
  readonly method?: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

/** One sender, and what its deliveries look like. */
export interface Sender {
  readonly auth: (secret: string | undefined) => Authenticator
  /** Of the endpoint. */
  readonly secret: string
  /** Of another endpoint of the same account. */
  readonly otherSecret: string
  /** A key of the same console that is not the secret. */
  readonly otherKey: string
  readonly body: string
  sign(
    secret: string,
    now: number,
    changed?: { readonly at?: number; readonly publicUrl?: string },
  ): Promise<Sent>
}

export const PUBLIC_URL = 'https://shop.example/webhooks'
const hex = (bytes: number) => randomBytes(bytes).toString('hex')

function sender(
  factory: typeof stripe | typeof github | typeof slack | typeof shopify | typeof twilio,
  make: () => string,
  otherKey: string,
  body: string,
): Sender {
  // Each factory takes these options, and Twilio's needs the URL.
  const withOptions = factory as (options: SchemeOptions) => Authenticator
  const url = factory === twilio ? { publicUrl: PUBLIC_URL } : {}
  return {
    auth: (secrets) => withOptions({ secrets, ...url }),
    secret: make(),
    otherSecret: make(),
    otherKey,
    body,
    async sign(secret, now, { at = now, publicUrl = PUBLIC_URL } = {}) {
      const contentType = body.startsWith('{') ? {} : { contentType: 'application/x-www-form-urlencoded' }
      const event =
        factory === github ? { eventType: 'push' } : factory === shopify ? { eventType: 'orders/create' } : {}
      const signed = factory === twilio ? { publicUrl } : {}
      return signAs(factory, {
        secret,
        body,
        timestamp: Math.floor(at / 1000),
        ...signed,
        ...contentType,
        ...event,
      })
    },
  }
}

/** The spaces and the `é` are lost or changed by what parses a body and writes it again. */
export const SENDERS: { readonly [name: string]: Sender } = {
  stripe: sender(
    stripe,
    () => `whsec_${hex(16)}`,
    `sk_test_${hex(12)}`,
    JSON.stringify(
      { id: 'evt_1', type: 'customer.created', data: { object: { name: 'Zoé' } } },
      undefined,
      2,
    ),
  ),
  github: sender(github, () => hex(20), `ghp_${hex(18)}`, '{"zen": "Être ou ne pas être", "hook_id": 1}'),
  slack: sender(
    slack,
    () => hex(16),
    `xoxb-123456789012-${hex(12)}`,
    '{"type": "event_callback", "event_id": "Ev1", "event": {"type": "message", "text": "café"}}',
  ),
  twilio: sender(
    twilio,
    () => hex(16),
    `AC${hex(16)}`,
    'MessageSid=SM1&From=%2B15550001&Body=caf%C3%A9+au+lait',
  ),
  shopify: sender(shopify, () => hex(32), `shpat_${hex(16)}`, '{"id": 1, "customer": {"first_name": "Zoé"}}'),
}
