import { hmacWith } from '#crypto'
import { namedSecrets, secretText } from '../auth/secrets.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { SchemeOptions } from './scheme-options.ts'

const encoder = new TextEncoder()

/** HMAC-SHA256 of a text with the named secret, in hex. Some handshakes expect it in the reply. */
export function macOfText(
  { secrets }: SchemeOptions,
  secretId: string | undefined,
  text: string,
): MaybePromise<string> {
  const signer = namedSecrets(secrets, 'secrets', secretText).find(({ id }) => id === secretId)
  return hmacWith('sha256', encoder.encode(signer?.secret), 'hex')('', encoder.encode(text), '')
}
