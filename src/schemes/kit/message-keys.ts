import { constantTimeEqual } from '#crypto'
import { namedSecrets, publicKeyText } from '../../auth/secrets.ts'
import { ListenerConfigError } from '../../errors.ts'
import { decodeBase64, decodeBase64url, decodeHex } from '../../lib/bytes.ts'
import type { OptionCheck } from '../../lib/options.ts'
import type { SchemeOptions } from './define-scheme.ts'
import { macKeys } from './keys.ts'
import { type PublicKeyAlgorithm, readPublicKey, verifierOf } from './message-public-key.ts'

/** A key that verifies HTTP Message Signatures of one algorithm (RFC 9421 3.3). */
export interface MessageKey {
  readonly id: string
  /** The only `keyid` that it verifies. Undefined if the user did not name the key, which then verifies any. */
  readonly keyid: string | undefined
  /** The value of the parameter `alg`. */
  readonly algorithm: 'hmac-sha256' | PublicKeyAlgorithm
  /** @param signature In base64. */
  verifies(message: Uint8Array<ArrayBuffer>, signature: string): Promise<boolean>
}

/** The encoding of `secrets`. */
export type SecretForm = 'text' | 'base64' | 'hex'

/** @throws ListenerConfigError for keys that are missing, blank or malformed. */
export function messageKeys(
  { secrets, publicKeys }: Pick<SchemeOptions, 'secrets' | 'publicKeys'>,
  form: SecretForm = 'text',
): readonly MessageKey[] {
  const given = publicKeys === undefined ? [] : namedSecrets(publicKeys, 'publicKeys', publicKeyText)
  const shared = publicKeys !== undefined && secrets === undefined ? [] : secretKeys(secrets, form)
  return [
    ...named(secrets, shared),
    ...named(
      publicKeys,
      given.flatMap(({ id, secret }) => publicKey(id, secret)),
    ),
  ]
}

type UnnamedKey = Omit<MessageKey, 'keyid'>

/** Tells names that the user gave from those by position. */
function named(given: SchemeOptions['secrets'], keys: readonly UnnamedKey[]): readonly MessageKey[] {
  const names = new Set([given].flat().map((entry) => (typeof entry === 'object' ? entry.id : undefined)))
  return keys.map((key) => ({ ...key, keyid: names.has(key.id) ? key.id : undefined }))
}

/** What holds a public key, in a form that `publicKeys` takes or not: PEM, a certificate, a JWK, or DER in base64 or hex. */
function isPublic(text: string): boolean {
  if (/-----BEGIN (?!.*PRIVATE)/.test(text) || /^\s*\{.*"kty"/s.test(text)) return true
  const plain = text.replaceAll(/\s|=+\s*$/g, '')
  const bytes = decodeHex(plain) ?? decodeBase64url(plain.replaceAll('+', '-').replaceAll('/', '_'))
  return bytes !== undefined && isKeyDer(bytes)
}

/** A SEQUENCE that is as long as it says, and begins with another one (RFC 5280 4.1) or with an integer (RFC 8017 A.1.1). */
function isKeyDer(bytes: Uint8Array): boolean {
  const [tag, first = 0, second = 0, third = 0] = bytes
  const [head, length] =
    first < 0x80 ? [2, first] : first === 0x81 ? [3, second] : [4, first === 0x82 ? second * 256 + third : -1]
  const inner = bytes[head]
  return tag === 0x30 && length > 32 && head + length === bytes.length && (inner === 0x30 || inner === 0x02)
}

/** 32 bytes may be a secret, or the bare key of Ed25519: those pass. */
const notPublic: OptionCheck = (secret, place) => {
  if (typeof secret !== 'string' || !isPublic(secret)) return
  throw new ListenerConfigError(place, 'is a public key, with which anyone could sign; pass it as publicKeys')
}

function secretKeys(secrets: SchemeOptions['secrets'], form: SecretForm): readonly UnnamedKey[] {
  if (secrets !== undefined) namedSecrets(secrets, 'secrets', notPublic)
  return macKeys(secrets, form, 'base64').map(({ id, mac }, _, { length }) => ({
    id,
    algorithm: 'hmac-sha256',
    verifies: async (message, signature) => constantTimeEqual(await mac('', message, '', length), signature),
  }))
}

/** Returns two keys for RSA, which serves two algorithms. */
function publicKey(id: string, text: string): readonly UnnamedKey[] {
  const key = readPublicKey(text)
  if (typeof key === 'string') {
    throw new ListenerConfigError(
      'publicKeys',
      `${key}. Pass PEM, the base64 of a SubjectPublicKeyInfo, or the base64 of an Ed25519 key's 32 bytes`,
    )
  }
  return key.algorithms.map((algorithm) => {
    const verify = verifierOf(key.spki, algorithm)
    return {
      id,
      algorithm,
      async verifies(message, signature) {
        const given = decodeBase64(signature)
        return given !== undefined && verify(message, given)
      },
    }
  })
}
