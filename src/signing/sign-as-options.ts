import type { JWK } from 'jose'
import { ListenerConfigError } from '../errors.ts'
import type { Json } from '../lib/json.ts'
import type { OptionCheck, OptionTable } from '../lib/options.ts'
import { aBody } from './body.ts'

/**
 * What `signAs` signs, and with what.
 *
 * @see {@link signAs}
 */
export interface SignAsOptions {
  /** The shared secret, as the sender's console shows it. */
  readonly secret?: string | undefined
  /** The public name of the secret, if the sender gives it one: LiveKit's API key, Braintree's public key. */
  readonly keyId?: string | undefined
  /** For schemes that sign with a private key: a private JWK. */
  readonly privateKey?: JWK | undefined
  /** The body: text, bytes, or a value to send as JSON. */
  readonly body: Uint8Array | string | Json
  /** The event's ID, where it is a header. Default: a new UUID. In a body it is yours to write. */
  readonly eventId?: string | undefined
  /** The event's name, if the sender has a header for it. Without it, the header is left out. */
  readonly eventType?: string | undefined
  /** When it was sent, where that is a header: Unix seconds, or a text to send as it is. Default: now. */
  readonly timestamp?: number | string | undefined
  /** The endpoint's URL, where the scheme signs it. */
  readonly publicUrl?: string | undefined
  /** Default: the sender's usual content type. */
  readonly contentType?: string | undefined
}

const optionalText: OptionCheck = (value, option) => {
  if (value !== undefined && typeof value !== 'string') throw new ListenerConfigError(option, 'must be text')
}

/** Tests want to sign wrong values, too. */
const anything: OptionCheck = () => {}

export const SIGN_AS_OPTIONS: OptionTable<SignAsOptions> = {
  secret: optionalText,
  keyId: optionalText,
  privateKey: anything,
  body: aBody,
  eventId: optionalText,
  eventType: optionalText,
  timestamp: anything,
  publicUrl: optionalText,
  contentType: optionalText,
}
