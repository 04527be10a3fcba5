import { constantTimeEqual } from '#crypto'
import { namedSecrets, secretText } from '../../src/auth/secrets.ts'
import { ListenerConfigError } from '../../src/errors.ts'
import { decodeBase64 } from '../../src/lib/base64.ts'
import type { OptionCheck } from '../../src/lib/options.ts'
import { macKeys } from '../../src/scheme/mac-keys.ts'
import type { SchemeOptions } from '../../src/scheme/scheme-options.ts'
import { type PublicKeyAlgorithm, readPublicKey, verifierOf } from './message-public-key.ts'

/** What verifies HTTP Message Signatures of one algorithm (RFC 9421 3.3). */
export interface MessageKey {
  readonly id: string
  /** As the parameter `alg` names it. */
  readonly algorithm: 'hmac-sha256' | PublicKeyAlgorithm
  /** @param signature In base64. */
  verifies(message: Uint8Array<ArrayBuffer>, signature: string): Promise<boolean>
}

/** How `secrets` are written. */
export type SecretForm = 'text' | 'base64' | 'hex'

/** @throws ListenerConfigError for keys that are missing, blank or of another form. */
export function messageKeys(
  { secrets, publicKeys }: Pick<SchemeOptions, 'secrets' | 'publicKeys'>,
  form: SecretForm = 'text',
): readonly MessageKey[] {
  const given = publicKeys === undefined ? [] : namedSecrets(publicKeys, 'publicKeys', keyText)
  const shared = publicKeys !== undefined && secrets === undefined ? [] : secretKeys(secrets, form)
  return [...shared, ...given.flatMap(({ id, secret }) => publicKey(id, secret))]
}

/** PEM ends with a line feed. @throws ListenerConfigError */
const keyText: OptionCheck = (value, option) =>
  secretText(typeof value === 'string' ? value.trimEnd() : value, option)

function secretKeys(secrets: SchemeOptions['secrets'], form: SecretForm): readonly MessageKey[] {
  return macKeys(secrets, form, 'base64').map(({ id, mac }) => ({
    id,
    algorithm: 'hmac-sha256',
    verifies: async (message, signature) => constantTimeEqual(await mac('', message, ''), signature),
  }))
}

/** RSA keys verify two algorithms. */
function publicKey(id: string, text: string): readonly MessageKey[] {
  const key = readPublicKey(text)
  if (typeof key === 'string') {
    throw new ListenerConfigError(
      'publicKeys',
      `${key}; give PEM, the base64 of a SubjectPublicKeyInfo, or that of an Ed25519 key's 32 bytes`,
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
