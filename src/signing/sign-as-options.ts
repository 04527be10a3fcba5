import type { JWK } from 'jose'
import { ListenerConfigError } from '../errors.ts'
import type { Json } from '../lib/json.ts'
import type { OptionCheck, OptionTable } from '../lib/options.ts'
import { aBody } from './body.ts'

/**
 * The options of `signAs`.
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
  /**
   * The event's ID, if it is a header. Defaults to a new UUID. If the ID is in the body, write it there
   * yourself.
   */
  readonly eventId?: string | undefined
  /** The event's type, if the sender has a header for it. If omitted, so is the header. */
  readonly eventType?: string | undefined
  /** When it was sent, if that is a header: Unix seconds, or text to send unchanged. Defaults to now. */
  readonly timestamp?: number | string | undefined
  /** The endpoint's URL, if the scheme signs it. */
  readonly publicUrl?: string | undefined
  /** The content type. Defaults to the sender's usual one. */
  readonly contentType?: string | undefined
}

const optionalText: OptionCheck = (value, option) => {
  if (value !== undefined && typeof value !== 'string') throw new ListenerConfigError(option, 'must be text')
}

/** Wrong values are allowed, because tests need to sign them. */
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
