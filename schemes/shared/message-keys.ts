import { constantTimeEqual, hmacWith, verifySignature } from '#crypto'
import { namedSecrets, secretText } from '../../src/auth/secrets.ts'
import type { SignatureKey } from '../../src/crypto/signature-keys.ts'
import { ListenerConfigError } from '../../src/errors.ts'
import { decodeBase64 } from '../../src/lib/base64.ts'
import { ed25519Problem, p256Point } from '../../src/scheme/public-key.ts'
import type { SchemeOptions } from '../../src/scheme/scheme.ts'

/** A key of HTTP Message Signatures (RFC 9421 3.3). */
export interface MessageKey {
  readonly id: string
  /** As the parameter `alg` names it. */
  readonly algorithm: 'hmac-sha256' | 'ed25519' | 'ecdsa-p256-sha256'
  /** @param signature In base64. */
  verifies(message: Uint8Array<ArrayBuffer>, signature: string): Promise<boolean>
}

const encoder = new TextEncoder()

/** @throws ListenerConfigError for keys that are missing, blank or of another form. */
export function messageKeys({ secrets, publicKeys }: SchemeOptions): readonly MessageKey[] {
  if (publicKeys === undefined) return secretKeys(secrets)
  const shared = secrets === undefined ? [] : secretKeys(secrets)
  return [
    ...shared,
    ...namedSecrets(publicKeys, 'publicKeys', secretText).map(({ id, secret }) => publicKey(id, secret)),
  ]
}

function secretKeys(secrets: SchemeOptions['secrets']): readonly MessageKey[] {
  return namedSecrets(secrets, 'secrets', secretText).map(({ id, secret }) => {
    const mac = hmacWith('sha256', encoder.encode(secret), 'base64')
    return {
      id,
      algorithm: 'hmac-sha256',
      verifies: async (message, signature) => constantTimeEqual(await mac('', message, ''), signature),
    }
  })
}

function publicKey(id: string, text: string): MessageKey {
  const bytes = decodeBase64(text) ?? new Uint8Array(0)
  const point = p256Point(bytes)
  const problem = point === undefined ? ed25519Problem(bytes) : undefined
  if (problem !== undefined) {
    throw new ListenerConfigError(
      'publicKeys',
      `${problem}; give an Ed25519 key as 32 bytes, or a P-256 key as SubjectPublicKeyInfo, in base64`,
    )
  }
  const importKey = () =>
    point === undefined
      ? crypto.subtle.importKey('raw', bytes, { name: 'Ed25519' }, false, ['verify'])
      : crypto.subtle.importKey('raw', point, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['verify'])
  // The key is kept, never its promise: workerd forbids awaiting what another request started.
  let imported: SignatureKey | undefined
  return {
    id,
    algorithm: point === undefined ? 'ed25519' : 'ecdsa-p256-sha256',
    async verifies(message, signature) {
      const given = decodeBase64(signature)
      imported ??= await importKey()
      return given !== undefined && verifySignature(point ? 'ES256' : 'EdDSA', imported, given, message)
    },
  }
}
