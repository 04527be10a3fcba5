import { asana } from '../../../schemes/asana.ts'
import { discord } from '../../../schemes/discord.ts'
import { dropbox } from '../../../schemes/dropbox.ts'
import { github } from '../../../schemes/github.ts'
import { meta } from '../../../schemes/meta.ts'
import { okta } from '../../../schemes/okta.ts'
import { shopify } from '../../../schemes/shopify.ts'
import { slack } from '../../../schemes/slack.ts'
import { standardWebhooks } from '../../../schemes/standard-webhooks.ts'
import { stripe } from '../../../schemes/stripe.ts'
import { trello } from '../../../schemes/trello.ts'
import { twilio } from '../../../schemes/twilio.ts'
import { workos } from '../../../schemes/workos.ts'
import { xero } from '../../../schemes/xero.ts'
import type { Authenticator } from '../../../src/index.ts'
import { defineScheme, emptyReply, type Scheme, type SchemeOptions } from '../../../src/scheme/index.ts'

/** Sends an OPTIONS request before deliveries. The senders that do this have no row of data. */
const asksFirst = defineScheme({
  name: 'asks-first',
  sender: 'A sender that asks first',
  secretName: 'secret',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-signature'], spelling: 'hex' },
  signs: '{body}',
  handshake: {
    signed: false,
    answer: ({ method, header }) =>
      method === 'OPTIONS' ? emptyReply(200, { 'x-hook-secret': header('x-asked') ?? '' }) : undefined,
  },
  maxBodyBytes: 1024,
  limits: 'No time is signed.',
})

type Factory = ((options: SchemeOptions) => Authenticator) & { readonly scheme: Scheme }

/** The senders that are sent over sockets, by name, because a worker cannot get a function. */
export const SCHEMES = {
  asana,
  'asks-first': asksFirst,
  discord,
  dropbox,
  github,
  meta,
  okta,
  shopify,
  slack,
  'standard-webhooks': standardWebhooks,
  stripe,
  // Rows pass these schemes their URL.
  trello: trello as Factory,
  twilio: twilio as Factory,
  workos,
  xero,
} as const satisfies { readonly [name: string]: Factory }

export type SchemeName = keyof typeof SCHEMES

/** The options of a scheme's listener, equal on both sides of a socket. */
export function schemeAuth(name: SchemeName, options: SchemeOptions): Authenticator {
  const factory: Factory = SCHEMES[name]
  const isTold = options.secrets === undefined && factory.scheme.takes?.includes('onHandshake')
  return factory(isTold ? { ...options, onHandshake: () => {} } : options)
}
