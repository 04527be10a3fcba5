import { constantTimeEqual, hmacWith } from '#crypto'
import { namedSecrets, type Secrets, secretText } from '../auth/secrets.ts'
import type { Mac } from '../crypto/mac.ts'
import { ListenerConfigError } from '../errors.ts'
import { isPromise, type MaybePromise } from '../lib/maybe-promise.ts'
import { keyBytes } from './key-bytes.ts'
import type { KeyForm, Spelling } from './scheme.ts'

/** One of a code scheme's `secrets`, imported for HMAC-SHA256. */
export interface MacKey {
  readonly id: string
  readonly mac: Mac
}

/** @throws ListenerConfigError for secrets that are missing, blank or malformed. */
export function macKeys(secrets: Secrets | undefined, form: KeyForm, spelling: Spelling): readonly MacKey[] {
  return namedSecrets(secrets, 'secrets', secretText).map(({ id, secret }) => {
    const bytes = keyBytes(form, secret)
    if (typeof bytes === 'string') throw new ListenerConfigError('secrets', bytes)
    return { id, mac: hmacWith('sha256', bytes, spelling) }
  })
}

/** The ID of the key that made the signature. Tries every key, so the timing does not reveal which one matched. */
export function signerOf(
  keys: readonly MacKey[],
  signature: string,
  signed: Uint8Array,
): MaybePromise<string | undefined> {
  const macs = keys.map(({ mac }) => mac('', signed, ''))
  const named = (known: readonly string[]) => {
    const matches = known.map((mac) => constantTimeEqual(mac, signature))
    return keys[matches.indexOf(true)]?.id
  }
  return macs.some(isPromise) ? Promise.all(macs).then(named) : named(macs as string[]) // none is a promise
}
