import type { Evidence } from '../auth/evidence.ts'
import { isPromise, type MaybePromise } from '../lib/maybe-promise.ts'
import { keyOfBytes, keyOfId } from './event-key.ts'
import type { Dedupe } from './scheme.ts'
import { signedBytes } from './signed-text.ts'

/**
 * The store keys of an event: first those of the signed bytes, then that of the ID. An event without an ID has the keys of
 * the signed bytes. `sharedId` is claimed instead of the ID, unless it is empty.
 */
export function eventKeys(
  dedupe: Dedupe,
  evidence: Evidence,
  id: string,
  sharedId: string,
): MaybePromise<readonly string[]> {
  const claimedId = sharedId || id
  const keys: MaybePromise<string>[] = []
  if (id === '' || dedupe.startsWith('signed bytes')) {
    // A scheme sets `signed` during authentication. Defaults to the body.
    keys.push(keyOfBytes(evidence.signed ? signedBytes(evidence.signed) : evidence.delivery.body))
    for (const text of evidence.alsoSigned ?? []) keys.push(keyOfBytes(text))
  }
  if (claimedId !== '' && dedupe.endsWith('id')) keys.push(keyOfId(claimedId))
  return keys.some(isPromise) ? Promise.all(keys) : (keys as string[]) // none is a promise
}
