import { constantTimeEqual, hmacWith } from '#crypto'
import { type NamedSecret, namedSecrets, type Secrets, secretText } from '../../auth/secrets.ts'
import { tryAll } from '../../auth/try-all.ts'
import type { Mac, Signed, SignedBody, Spelling } from '../../crypto/algorithms.ts'
import { ListenerConfigError } from '../../errors.ts'
import { decodeBase64, decodeHex, encodeUtf8 } from '../../lib/bytes.ts'
import { whenKnown } from '../../lib/maybe-promise.ts'
import type { KeyForm } from '../../scheme.ts'

const FEWEST_BYTES = 24
/** Svix's limit. Standard Webhooks limits senders to 64. */
const MOST_BYTES = 75

/** A version of Standard Webhooks. Supabase writes it in front of the secret, as in a signature: `v1,whsec_…`. */
const VERSION = /(?<=^\W*)v1a?,(?=wh(?:sec|pk)_)/

/** A secret as its sender's SDK takes it: without the version in front. Only base64 after a prefix may have one. */
export function withoutVersion(form: KeyForm, secret: string): string {
  return typeof form === 'object' ? secret.replace(VERSION, '') : secret
}

/** An environment variable may hold a line break as two characters, which no base64 has. */
const ARMOUR = /-----(?:BEGIN|END) PUBLIC KEY-----|[\r\n]|\\[rn]/g

/** The base64 of a public key's PEM. All other texts as they are, but for line breaks. */
export const withoutArmour = (text: string): string => text.replace(ARMOUR, '')

/** Decodes a secret into a key, or returns the problem. */
export function keyBytes(form: KeyForm, secret: string): Uint8Array<ArrayBuffer> | string {
  if (form === 'text') return encodeUtf8(secret)
  if (form === 'hex') return decodeHex(secret.toLowerCase()) ?? 'must be hex'
  if (form === 'base64') return decodeBase64(secret) ?? `must be base64${unpadded(secret)}`
  const prefix = form.base64After
  const shown = withoutVersion(form, secret)
  const digits = shown.startsWith(prefix) ? shown.slice(prefix.length) : shown
  const bytes = decodeBase64(digits)
  if (bytes === undefined)
    return `must be ${prefix} followed by base64, as the sender shows it${unpadded(digits)}`
  return bytes.length < FEWEST_BYTES || bytes.length > MOST_BYTES
    ? `must encode ${FEWEST_BYTES} to ${MOST_BYTES} bytes, not ${bytes.length}`
    : bytes
}

/** Libraries in other languages take a secret without its padding, so it may have been lost long ago. */
const unpadded = (digits: string) =>
  digits.length % 4 > 1 && /^[a-z\d+/]+$/i.test(digits) ? '; its padding (=) is missing at its end' : ''

/** One of a code scheme's `secrets`, imported for HMAC-SHA256. */
interface MacKey {
  readonly id: string
  readonly mac: Mac
}

/** @throws ListenerConfigError for secrets that are missing, blank or malformed. */
export function macKeys(secrets: Secrets, form: KeyForm, spelling: Spelling): readonly MacKey[] {
  return namedSecrets(secrets, 'secrets', secretText).map(({ id, secret }) => {
    const bytes = keyBytes(form, secret)
    if (typeof bytes === 'string') throw new ListenerConfigError('secrets', bytes)
    return { id, mac: hmacWith('sha256', bytes, spelling) }
  })
}

/** The ID of the key that made the signature. */
export async function signerOf(
  keys: readonly MacKey[],
  signature: string,
  signed: SignedBody | Signed,
): Promise<string | undefined> {
  const { before, body, after } = 'body' in signed ? signed : { before: '', body: signed, after: '' }
  const signer = await tryAll(keys, ({ mac }) =>
    whenKnown(mac(before, body, after, keys.length), (right) => constantTimeEqual(right, signature)),
  )
  return signer?.id
}

/** The ID of the secret that was sent. */
export function holderOf(secrets: readonly NamedSecret[], given: string): string | undefined {
  return tryAll(secrets, ({ secret }) => sameText(given, secret))?.id
}

/** Compares two strings in time that depends only on their lengths. */
export function sameText(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length
  for (let index = 0; index < expected.length; index += 1) {
    difference |= given.charCodeAt(index) ^ expected.charCodeAt(index) // NaN past the end counts as 0
  }
  return difference === 0
}
