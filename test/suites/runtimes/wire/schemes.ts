import type { Authenticator } from '../../../../src/index.ts'
import { asana } from '../../../../src/schemes/asana.ts'
import { auth0 } from '../../../../src/schemes/auth0.ts'
import { chargebee } from '../../../../src/schemes/chargebee.ts'
import { cloudevents } from '../../../../src/schemes/cloudevents.ts'
import { deepgram } from '../../../../src/schemes/deepgram.ts'
import { discord } from '../../../../src/schemes/discord.ts'
import { dropbox } from '../../../../src/schemes/dropbox.ts'
import { github } from '../../../../src/schemes/github.ts'
import { gitlab } from '../../../../src/schemes/gitlab.ts'
import { googleChannels } from '../../../../src/schemes/google-channels.ts'
import { emptyReply } from '../../../../src/schemes/kit/handshake-answers.ts'
import { defineScheme, type SchemeOptions, type SenderScheme } from '../../../../src/schemes/kit/index.ts'
import { meta } from '../../../../src/schemes/meta.ts'
import { okta } from '../../../../src/schemes/okta.ts'
import { pipedrive } from '../../../../src/schemes/pipedrive.ts'
import { postmark } from '../../../../src/schemes/postmark.ts'
import { qstash } from '../../../../src/schemes/qstash.ts'
import { ringcentral } from '../../../../src/schemes/ringcentral.ts'
import { shopify } from '../../../../src/schemes/shopify.ts'
import { slack } from '../../../../src/schemes/slack.ts'
import { standardWebhooks } from '../../../../src/schemes/standard-webhooks.ts'
import { stripe } from '../../../../src/schemes/stripe.ts'
import { telegram } from '../../../../src/schemes/telegram.ts'
import { trello } from '../../../../src/schemes/trello.ts'
import { twilio } from '../../../../src/schemes/twilio.ts'
import { workos } from '../../../../src/schemes/workos.ts'
import { xero } from '../../../../src/schemes/xero.ts'

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

/** Methods are bivariant: the factory of each scheme is assignable. */
interface Bivariant {
  make(options: SchemeOptions): Authenticator
}

type Factory = Bivariant['make'] & { readonly scheme: SenderScheme }

/**
 * The senders that are sent over sockets, by name, because a worker cannot get a function. Rows pass a URL to those that are
 * cast: their URL is required.
 */
export const SCHEMES = {
  asana,
  'asks-first': asksFirst,
  auth0,
  cloudevents,
  discord,
  dropbox,
  github,
  gitlab,
  meta,
  okta,
  postmark,
  qstash: qstash as Factory,
  shopify,
  slack,
  'standard-webhooks': standardWebhooks,
  stripe,
  telegram,
  trello: trello as Factory,
  twilio: twilio as Factory,
  workos,
  xero,
  chargebee,
  deepgram,
  'google-channels': googleChannels,
  pipedrive,
  ringcentral,
} as const satisfies { readonly [name: string]: Factory }

export type SchemeName = keyof typeof SCHEMES

/** The options of a scheme's listener, equal on both sides of a socket. */
export function schemeAuth(name: SchemeName, options: SchemeOptions): Authenticator {
  const factory: Factory = SCHEMES[name]
  const { scheme } = factory
  const isTold =
    options.secrets === undefined && scheme.algorithm !== 'code' && scheme.takes?.includes('onHandshake')
  return factory(isTold ? { ...options, onHandshake: () => {} } : options)
}
