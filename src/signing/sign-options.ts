import type { JWK } from 'jose'
import type { JwtAlgorithm } from '../crypto/signature-keys.ts'
import { ListenerConfigError } from '../errors.ts'
import type { Json } from '../lib/json.ts'
import type { OptionCheck, OptionTable } from '../lib/options.ts'
import { aBody } from './body.ts'

/**
 * The options that both methods share.
 *
 * @see {@link signHmac}
 */
export interface SignOptions {
  /** The body to sign and send: text (as UTF-8), bytes, or a value to send as JSON. */
  readonly body: Uint8Array | string | Json
  /** The event's ID. Defaults to a new UUID v4. */
  readonly eventId?: string | undefined
  /** The timestamp, in Unix seconds. Defaults to now. */
  readonly timestamp?: number | string | undefined
}

/**
 * The options of `signHmac`.
 *
 * @see {@link signHmac}
 */
export interface SignHmacOptions extends SignOptions {
  /** The signing secret, as text. It is not decoded. */
  readonly secret: string
}

/**
 * The options of `signJwt`.
 *
 * @see {@link signJwt}
 */
export interface SignJwtOptions extends SignOptions {
  /** A private JWK. Its `alg` and `kid` are used unless you set them here. */
  readonly privateKey: JWK
  /** `alg` of the token's header. Defaults to the key's. */
  readonly algorithm?: JwtAlgorithm | undefined
  /** `kid` of the token's header. Defaults to the key's. */
  readonly keyId?: string | undefined
  /** The tenant base URL. */
  readonly subject: string
  /** The full webhook endpoint URL. */
  readonly audience: string
  /** How long the token is valid, in seconds. Defaults to 300. Receivers accept at most 600. */
  readonly expiresInSeconds?: number | undefined
  /** Claims to add or to override, e.g. with wrong values. `undefined` leaves a claim out. */
  readonly claims?: { readonly [claim: string]: unknown } | undefined
}

const text: OptionCheck = (value, option) => {
  if (typeof value !== 'string') throw new ListenerConfigError(option, 'must be text')
}

const jwk: OptionCheck = (value, option) => {
  const { kty, d, k } = Object(value)
  if (typeof kty === 'string' && typeof (d ?? k) === 'string') return
  throw new ListenerConfigError(option, 'must be a private JWK, like { kty, d, … }')
}

/** Wrong values are allowed, because tests need to sign them. */
const anything: OptionCheck = () => {}

const OPTIONS: OptionTable<SignOptions> = { body: aBody, eventId: anything, timestamp: anything }

export const HMAC_OPTIONS: OptionTable<SignHmacOptions> = { ...OPTIONS, secret: text }

export const JWT_OPTIONS: OptionTable<SignJwtOptions> = {
  ...OPTIONS,
  privateKey: jwk,
  algorithm: anything,
  keyId: anything,
  subject: anything,
  audience: anything,
  expiresInSeconds: anything,
  claims: anything,
}
