import { constantTimeEqual, hmacWith } from '#crypto'
import type { Mac } from '../crypto/algorithms.ts'
import { headerOf } from '../delivery.ts'
import { ListenerConfigError } from '../errors.ts'
import { encodeBase64url, encodeUtf8 } from '../lib/bytes.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import { checkedElsewhere, checkOptions, type OptionCheck } from '../lib/options.ts'
import { SECRET_BYTES } from '../limits.ts'
import { fail, fitsNone, mismatch } from '../reason.ts'
import { SIGNATURE_HEADER, signedBeforeBody } from '../specification.ts'
import type { Authentication, Authenticator } from './authenticator.ts'
import type { Evidence } from './evidence.ts'
import { namedSecrets, type Secrets, secretText } from './secrets.ts'
import { tryAll } from './try-all.ts'

/** The options of `hmac`. */
export interface HmacOptions {
  /** One secret or several; a delivery signed with any of them passes. The key is the secret's UTF-8 bytes. */
  readonly secrets: Secrets
}

const SIGNATURE = /^[A-Za-z0-9_-]{43}$/
const SHORTEST_SECRET = 16

/**
 * Authenticates by `Webhook-Signature`: HMAC-SHA256 over `timestamp.eventId.body`, as base64url without padding, as
 * [hookgate's scheme](https://github.com/hookgate/hookgate/blob/main/docs/specification.md#hmac) defines it. Uses the header
 * values and body bytes exactly as received. For another sender, e.g. GitHub, import its scheme from `hookgate/schemes/…`.
 *
 * The signature does not cover the listener, the URL or any other header. Give each listener its own secret.
 *
 * @example
 * ```ts
 * const auth = hmac({ secrets: process.env.WEBHOOK_SECRET ?? '' })
 * ```
 *
 * @throws ListenerConfigError for an empty, blank, short or ill-formed secret, and for repeated ids or secrets.
 */
export function hmac(options: HmacOptions): Authenticator {
  checkOptions('hmac', options, { secrets: checkedElsewhere })
  const keys = namedSecrets(options.secrets, 'secrets', longSecret).map(({ id, secret }) => ({
    id,
    mac: hmacWith('sha256', encodeUtf8(secret), 'base64url'),
  }))
  return Object.freeze({
    method: 'hmac' as const,
    authenticate: (evidence: Evidence) => authenticate(evidence, keys),
  })
}

interface HmacKey {
  readonly id: string
  readonly mac: Mac
}

function authenticate(evidence: Evidence, keys: readonly HmacKey[]): MaybePromise<Authentication> {
  const signature = headerOf(evidence.delivery, SIGNATURE_HEADER)
  if (signature === undefined) return fail('auth_missing', 'no Webhook-Signature')
  if (typeof signature !== 'string') return fail('signature_mismatch', 'more than one Webhook-Signature')
  if (!SIGNATURE.test(signature)) {
    return fail('signature_mismatch', 'Webhook-Signature is not 43 characters of base64url')
  }
  const before = signedBeforeBody(evidence.timestampText, evidence.eventIdText)
  // Compares texts, so that only canonical base64url matches.
  const found = tryAll(keys, ({ mac }) =>
    whenKnown(mac(before, evidence.bytes, '', keys.length), (right) => constantTimeEqual(signature, right)),
  )
  return whenKnown(found, (key) =>
    key === undefined ? mismatch(fitsNone(keys.length)) : { method: 'hmac', secretId: key.id },
  )
}

/** Rejects secrets that are too short. @throws ListenerConfigError */
const longSecret: OptionCheck = (value, option) => {
  if (typeof value === 'string' && value !== '' && value.trim().length < SHORTEST_SECRET) {
    throw new ListenerConfigError(option, `must have at least ${SHORTEST_SECRET} characters`)
  }
  secretText(value, option)
}

/**
 * Generates a signing secret: 256 random bits as 43 characters of base64url.
 *
 * @example
 * ```ts
 * const secret = generateSecret()
 * ```
 */
export function generateSecret(
  randomBytes: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array = (bytes) => crypto.getRandomValues(bytes),
): string {
  return encodeBase64url(randomBytes(new Uint8Array(SECRET_BYTES)))
}
