import { ListenerConfigError } from '../src/errors.ts'
import {
  checkedElsewhere,
  checkOptions,
  type OptionCheck,
  optional,
  wellFormedText,
} from '../src/lib/options.ts'
import type { SenderScheme } from '../src/scheme/code-scheme.ts'
import { type SignedRequest, signHmac, signJwt } from '../src/signing/sign.ts'
import { signAs } from '../src/signing/sign-as.ts'
import type { SignAsOptions } from '../src/signing/sign-as-options.ts'
import type { SignJwtOptions } from '../src/signing/sign-options.ts'
import type { OutgoingEvent } from './outgoing-event.ts'

interface Addressed {
  /** Where to send: `https:`, or `http:`. A URL with a user name or a password is not used. */
  readonly url: string
  /** Headers to send beside the signed ones, such as `user-agent`. The signed ones win. */
  readonly headers?: { readonly [name: string]: string } | undefined
}

/**
 * Signs with hookgate's HMAC.
 *
 * @see {@link deliver}
 */
export interface HmacEndpoint extends Addressed {
  /** The signing secret, as text. */
  readonly secret: string
  /** Belongs to the other kinds of endpoint. */
  readonly privateKey?: undefined
  /** Belongs to the other kinds of endpoint. */
  readonly scheme?: undefined
}

/**
 * Signs with hookgate's JWT. The token is good for 5 minutes.
 *
 * @see {@link deliver}
 */
export interface JwtEndpoint extends Addressed {
  /** A private JWK with `alg` and `kid`. */
  readonly privateKey: SignJwtOptions['privateKey']
  /** `sub`: the tenant base URL. */
  readonly subject: string
  /** `aud`: the full endpoint URL, as the receiver spells it. Default: `url`. */
  readonly audience?: string | undefined
  /** Belongs to the other kinds of endpoint. */
  readonly secret?: undefined
  /** Belongs to the other kinds of endpoint. */
  readonly scheme?: undefined
}

/**
 * Signs as any scheme does that has a signer: `hookgate/schemes/standard-webhooks`, or one of your own.
 *
 * @see {@link deliver}
 */
export interface SchemeEndpoint extends Addressed {
  /** What `hookgate/schemes/<name>` exports. */
  readonly scheme: { readonly scheme: SenderScheme }
  /** The shared secret. */
  readonly secret?: string | undefined
  /** The public name of the secret, if the sender gives it one: LiveKit's API key, Braintree's public key. */
  readonly keyId?: string | undefined
  /** For schemes with a key pair: a private JWK. */
  readonly privateKey?: SignAsOptions['privateKey']
  /** The URL to sign, where the scheme signs it. Default: `url`. */
  readonly publicUrl?: string | undefined
}

/**
 * Where an event goes, and how it is signed for there.
 *
 * @see {@link deliver}
 */
export type Endpoint = HmacEndpoint | JwtEndpoint | SchemeEndpoint

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

/** How long a token is good for, in seconds: half of what receivers accept. */
const TOKEN_SECONDS = 300

/** Signs an event for an endpoint, now. @throws ListenerConfigError (as a rejection) for an endpoint that cannot be signed for. */
export async function signFor(endpoint: Endpoint, event: OutgoingEvent, now: number): Promise<SignedRequest> {
  checkOptions('endpoint', endpoint, ENDPOINT)
  const { url } = endpoint
  const timestamp = Math.floor(now / 1000)
  const { body, id: eventId, type: eventType } = event
  if (endpoint.scheme !== undefined) {
    const { scheme, secret, keyId, privateKey, publicUrl = url } = endpoint
    return signAs(scheme, { secret, keyId, privateKey, publicUrl, body, eventId, eventType, timestamp })
  }
  if (endpoint.secret !== undefined) return signHmac({ secret: endpoint.secret, body, eventId, timestamp })
  const { privateKey, subject, audience = url } = endpoint
  if (privateKey === undefined || subject === undefined) {
    throw new ListenerConfigError('endpoint', 'needs a secret, or privateKey and subject, or a scheme')
  }
  const claims = { exp: timestamp + TOKEN_SECONDS }
  return signJwt({ privateKey, subject, audience, body, eventId, timestamp, claims })
}
