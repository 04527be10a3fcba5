import { hmacWith } from '#crypto'
import { namedSecrets, secretText } from '../auth/secrets.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { SchemeOptions } from './scheme-options.ts'

const encoder = new TextEncoder()

/** HMAC-SHA256 of a text with the first secret, in hex. Some handshakes expect it in the reply. */
export function macOfText({ secrets }: SchemeOptions, text: string): MaybePromise<string> {
  const [first] = namedSecrets(secrets, 'secrets', secretText)
  return hmacWith('sha256', encoder.encode(first?.secret), 'hex')('', encoder.encode(text), '')
}
