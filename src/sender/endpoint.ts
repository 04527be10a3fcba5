import type { SenderScheme } from '../code-scheme.ts'
import { ListenerConfigError } from '../errors.ts'
import { checkedElsewhere, checkOptions, type OptionCheck, optional, wellFormedText } from '../lib/options.ts'
import { withQueryOf } from '../schemes/kit/signed-url.ts'
import {
  type SignedRequest,
  type SignJwtOptions,
  type SignOptions,
  signHmac,
  signJwt,
} from '../signing/sign.ts'
import { type SignAsOptions, signAs } from '../signing/sign-as.ts'

interface Addressed {
  /** The `https:` or `http:` URL to send to. A user name or password in it is refused. */
  readonly url: string
  /** Additional headers, e.g. `user-agent`. Signed headers take precedence. */
  readonly headers?: { readonly [name: string]: string } | undefined
}

/** Signs with hookgate's HMAC. */
export interface HmacEndpoint extends Addressed {
  /** The signing secret, as text. One that begins with `whsec_` is refused: it needs a `scheme`. */
  readonly secret: string
  /** Only for other kinds of endpoint. */
  readonly privateKey?: undefined
  /** Only for other kinds of endpoint. */
  readonly scheme?: undefined
}

/** Signs with hookgate's JWT. The token is valid for 5 minutes. */
export interface JwtEndpoint extends Addressed {
  /** A private JWK with `alg` and `kid`. */
  readonly privateKey: SignJwtOptions['privateKey']
  /** `sub`: the tenant base URL. */
  readonly subject: string
  /** `aud`: the full endpoint URL, as the receiver spells it. Defaults to `url`. */
  readonly audience?: string | undefined
  /** Only for other kinds of endpoint. */
  readonly secret?: undefined
  /** Only for other kinds of endpoint. */
  readonly scheme?: undefined
}

/** Signs with any scheme that has a signer, e.g. `hookgate/schemes/standard-webhooks` or your own. */
export interface SchemeEndpoint extends Addressed {
  /** The export of `hookgate/schemes/<name>`. */
  readonly scheme: { readonly scheme: SenderScheme }
  /** The shared secret. */
  readonly secret?: string | undefined
  /** The public ID of the secret, if the sender uses one, e.g. LiveKit's API key. */
  readonly keyId?: string | undefined
  /** A private JWK, for schemes with a key pair. */
  readonly privateKey?: SignAsOptions['privateKey']
  /** The URL to sign, if the scheme signs it. Its query has to be that of `url`; without one, the query of `url` is signed too. Defaults to `url`. */
  readonly publicUrl?: string | undefined
}

/** Where to send an event, and how to sign it. */
export type Endpoint = HmacEndpoint | JwtEndpoint | SchemeEndpoint

/** An event to send. Use the same ID and the same body for every attempt. */
export interface OutgoingEvent {
  /** The event's ID: a UUID v4 for hookgate's own scheme. */
  readonly id: string
  /**
   * The body: text, bytes, or a value to send as JSON. Store text or bytes for retries, because a value may be
   * serialised in another order.
   */
  readonly body: SignOptions['body']
  /** The event's type, for schemes that send it in a header. */
  readonly type?: string | undefined
}

const text = optional(wellFormedText)
const ENDPOINT: { readonly [name: string]: OptionCheck } = {
  url: wellFormedText,
  headers: checkedElsewhere,
  secret: text,
  keyId: text,
  privateKey: checkedElsewhere,
  subject: text,
  audience: text,
  scheme: checkedElsewhere,
  publicUrl: text,
}

/** Its receiver decodes it, and hookgate's own scheme does not: no signature would match. */
const NO_SCHEME =
  'begins with whsec_, as those of Standard Webhooks do: pass scheme: standardWebhooks, from hookgate/schemes/standard-webhooks, with it'

/** The lifetime of a token in seconds, half of what receivers accept. */
const TOKEN_SECONDS = 300

/**
 * Signs an event for an endpoint at the current time.
 *
 * @throws ListenerConfigError (as a rejection) for an invalid endpoint.
 */
export async function signFor(endpoint: Endpoint, event: OutgoingEvent, now: number): Promise<SignedRequest> {
  checkOptions('endpoint', endpoint, ENDPOINT)
  const { url } = endpoint
  const timestamp = Math.floor(now / 1000)
  const { body, id: eventId, type: eventType } = event
  if (endpoint.scheme !== undefined) {
    const { scheme, secret, keyId, privateKey, publicUrl = url } = endpoint
    const called = withQueryOf(publicUrl, url)
    return signAs(scheme, {
      secret,
      keyId,
      privateKey,
      publicUrl: called,
      body,
      eventId,
      eventType,
      timestamp,
    })
  }
  if (endpoint.secret !== undefined) {
    if (endpoint.secret.startsWith('whsec_')) throw new ListenerConfigError('secret', NO_SCHEME)
    return signHmac({ secret: endpoint.secret, body, eventId, timestamp })
  }
  const { privateKey, subject, audience = url } = endpoint
  if (privateKey === undefined || subject === undefined) {
    throw new ListenerConfigError('endpoint', 'needs a secret, or privateKey and subject, or a scheme')
  }
  const claims = { exp: timestamp + TOKEN_SECONDS }
  return signJwt({ privateKey, subject, audience, body, eventId, timestamp, claims })
}
