import type { Evidence } from '../auth/evidence.ts'
import { keyOfBytes, keyOfId } from '../event-key.ts'
import { bytesOf } from '../lib/bytes.ts'
import { isPromise, type MaybePromise } from '../lib/maybe-promise.ts'
import type { SenderScheme } from './code-scheme.ts'
import type { Dedupe } from './scheme.ts'
import { signedBytes } from './signed-text.ts'

/**
 * The store keys of an event: first that of the signed bytes, then that of the ID. An event without an ID has the key of
 * the signed bytes. `topic` joins both keys, unless it is empty.
 */
export function claimKeysOf(
  scheme: SenderScheme,
  dedupe: Dedupe,
  evidence: Evidence,
  { id, topic }: { readonly id: string; readonly topic: string },
): MaybePromise<readonly string[]> {
  const claimedId = scheme.claimedId?.(id, evidence) || id
  const before = topic && `${topic}\n`
  const keys: MaybePromise<string>[] = []
  if (id === '' || dedupe.startsWith('signed-bytes')) {
    keys.push(keyOfSignedBytes(evidence, before))
  }
  if (claimedId !== '' && dedupe.endsWith('id')) keys.push(keyOfId(before + claimedId))
  return keys.some(isPromise) ? Promise.all(keys) : (keys as string[]) // none is a promise
}

/** A scheme sets `signed` during authentication. Defaults to the body. */
export function keyOfSignedBytes({ signed, delivery }: Evidence, before = ''): MaybePromise<string> {
  const bytes = signed ? signedBytes(signed) : delivery.body
  return keyOfBytes(before === '' ? bytes : bytesOf(before, bytes, ''))
}
