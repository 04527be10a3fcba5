import { callHook } from '../lib/hooks.ts'
import type { Reply } from '../reply.ts'
import type { SchemeOptions } from './scheme-options.ts'

const LONGEST_SECRET = 256
const PRINTABLE = /^[!-~]+$/

/** Passes a handshake's secret to `onHandshake`. Undefined if the text cannot be a secret. */
export function acceptSecret(
  secret: string,
  onHandshake: SchemeOptions['onHandshake'],
  reply: Reply,
): Reply | undefined {
  if (secret.length > LONGEST_SECRET || !PRINTABLE.test(secret)) return undefined
  callHook(onHandshake, { secret })
  return reply
}
