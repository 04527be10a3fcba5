import { constantTimeEqual, hmacSha256 } from '#crypto'
import type { Attempt } from '../checks/check.ts'
import { fail } from '../checks/check.ts'
import { headerOf } from '../delivery.ts'
import { ListenerConfigError } from '../errors.ts'
import { encodeBase64url } from '../lib/base64url.ts'
import { isPromise, type MaybePromise } from '../lib/maybe-promise.ts'
import { checkedElsewhere, checkOptions, wellFormedText } from '../lib/options.ts'
import { SECRET_BYTES } from '../limits.ts'
import type { Authentication, Authenticator } from './authenticator.ts'

/** A live secret and its name. While senders change over, a listener has two (specification 5.2). */
export interface HmacSecret {
  /** Names the secret in `event.auth.secretId` and in nothing the sender sees. */
  readonly id: string
  /** The signing secret as it was given out. Its UTF-8 bytes are the key: it is not decoded. */
  readonly secret: string
}

/** The options of `hmac`. */
export interface HmacOptions {
  /** One secret, or several: a delivery signed with any of them passes. */
  readonly secrets: HmacSecret | readonly HmacSecret[]
}

const SIGNATURE = /^[A-Za-z0-9_-]{43}$/
const SHORTEST_SECRET = 16

/**
 * Authentication by `Webhook-Signature`: HMAC-SHA256 over `timestamp.eventId.body`, as base64url without padding
 * (specification 5.2). Header texts and body bytes count exactly as received.
 *
 * Not covered by the signature: the listener, the URL and the other headers. Give each listener its own secret.
 *
 * @throws ListenerConfigError for an empty, blank, short or ill-formed secret, and for repeated ids or secrets.
 */
export function hmac(options: HmacOptions): Authenticator {
  checkOptions('hmac', options, { secrets: checkedElsewhere })
  const keys = compileSecrets([options.secrets].flat()).map(({ id, secret }) => ({
    id,
    mac: hmacSha256(secret),
  }))
  return Object.freeze({
    method: 'hmac' as const,
    authenticate: (attempt: Attempt) => authenticate(attempt, keys),
  })
}

interface HmacKey {
  readonly id: string
  readonly mac: ReturnType<typeof hmacSha256>
}

function authenticate(attempt: Attempt, keys: readonly HmacKey[]): MaybePromise<Authentication> {
  const signature = headerOf(attempt.delivery, 'webhook-signature')
  if (signature === undefined) return fail('auth_missing', 'no Webhook-Signature')
  if (typeof signature !== 'string') return fail('signature_mismatch', 'more than one Webhook-Signature')
  if (signature.length !== 43 || !SIGNATURE.test(signature)) {
    return fail('signature_mismatch', 'Webhook-Signature is not 43 characters of base64url')
  }
  const prefix = `${attempt.timestampText}.${attempt.eventIdText}.`
  const { body } = attempt.delivery
  const texts = keys.map(({ mac }) => mac(prefix, body))
  return isPromise(texts[0])
    ? Promise.all(texts).then((known) => nameSecret(keys, signature, known))
    : nameSecret(keys, signature, texts as string[]) // if one of them is, all are
}

/** Text against text, so only the canonical spelling matches. Every key is compared: the time tells nobody which. */
function nameSecret(keys: readonly HmacKey[], signature: string, texts: readonly string[]): Authentication {
  let secretId: string | undefined
  for (let index = 0; index < keys.length; index += 1) {
    if (constantTimeEqual(signature, texts[index] ?? '')) secretId ??= keys[index]?.id
  }
  return secretId === undefined
    ? fail('signature_mismatch', `the signature matches none of the secrets (${keys.length})`)
    : { method: 'hmac', secretId }
}

function compileSecrets(secrets: readonly HmacSecret[]): readonly HmacSecret[] {
  const seen = new Set<string>()
  for (const [index, entry] of secrets.entries()) {
    const option = `secrets[${index}]`
    checkOptions(option, entry, {
      id: (value) => wellFormedText(value, `${option}.id`),
      secret: (value) => checkSecret(value, `${option}.secret`),
    })
    if (seen.has(`id ${entry.id}`)) throw new ListenerConfigError(`${option}.id`, 'is used twice')
    if (seen.has(`secret ${entry.secret}`)) throw new ListenerConfigError(`${option}.secret`, 'is used twice')
    seen.add(`id ${entry.id}`).add(`secret ${entry.secret}`)
  }
  if (secrets.length === 0) throw new ListenerConfigError('secrets', 'must have at least one { id, secret }')
  return secrets.map(({ id, secret }) => ({ id, secret }))
}

function checkSecret(value: unknown, option: string): void {
  const refuse = (problem: string) => new ListenerConfigError(option, problem)
  if (typeof value !== 'string') throw refuse('must be a string; is the environment variable set?')
  if (value === '') throw refuse('is empty; is the environment variable set?')
  if (value.trim().length < SHORTEST_SECRET) throw refuse(`must have at least ${SHORTEST_SECRET} characters`)
  if (!value.isWellFormed()) throw refuse('has a lone surrogate, which has no UTF-8 bytes')
  if (/^[\r\n]|[\r\n]$/.test(value))
    throw refuse('begins or ends with a line break; trim what you read from a file')
}

/** A new signing secret: 256 random bits as 43 characters of base64url (specification 5.2, 8.2). */
export function generateSecret(
  randomBytes: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array = (bytes) => crypto.getRandomValues(bytes),
): string {
  return encodeBase64url(randomBytes(new Uint8Array(SECRET_BYTES)))
}
