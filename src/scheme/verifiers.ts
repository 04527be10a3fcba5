import { constantTimeEqual, hmacWith, sha256, verifySignature } from '#crypto'
import type { HmacHash } from '../crypto/mac.ts'
import { ListenerConfigError } from '../errors.ts'
import { decodeBase64 } from '../lib/base64.ts'
import { decodeBase64url } from '../lib/base64url.ts'
import { bytesOf } from '../lib/bytes.ts'
import { decodeHex } from '../lib/hex.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import { keyBytes } from './key-bytes.ts'
import { ed25519Problem, p256Point, signatureOfDer } from './public-key.ts'
import type { Algorithm, KeyForm, Spelling } from './scheme.ts'
import type { Signed } from './signed-text.ts'

/**
 * Whether one of the texts is a signature of these bytes. Tries every text, so the timing does not reveal which one
 * matched.
 */
export type Matcher = (signatures: readonly string[], signed: Signed) => MaybePromise<boolean>

const HASH: Partial<Record<Algorithm, HmacHash>> = {
  'hmac-sha256': 'sha256',
  'hmac-sha1': 'sha1',
  'hmac-sha512': 'sha512',
}
const DECODE = { hex: decodeHex, base64: decodeBase64, base64url: decodeBase64url } as const
const LONGEST_SIGNATURE = 128

/** @throws ListenerConfigError if the secret or key is malformed. `option` is the name in the message. */
export function matcherOf(
  algorithm: Algorithm,
  key: KeyForm,
  spelling: Spelling,
  secret: string,
  option: string,
): Matcher {
  if (algorithm === 'token') return tokenMatcher(secret)
  const bytes = keyBytes(key, secret)
  if (typeof bytes === 'string') throw new ListenerConfigError(option, bytes)
  const hash = HASH[algorithm]
  if (hash !== undefined) return macMatcher(hash, bytes, spelling)
  return algorithm === 'ed25519'
    ? ed25519Matcher(bytes, spelling, option)
    : p256Matcher(bytes, spelling, option)
}

/** Compares texts, so only the canonical encoding matches. */
function macMatcher(hash: HmacHash, key: Uint8Array, spelling: Spelling): Matcher {
  const mac = hmacWith(hash, key, spelling)
  return (signatures, { before, body, after }) =>
    whenKnown(mac(before, body, after), (right) => anyEqual(signatures, right))
}

/** Compares digests, which have equal lengths. */
function tokenMatcher(secret: string): Matcher {
  return ([token = ''], _signed) =>
    whenKnown(sha256(secret), (right) => whenKnown(sha256(token), (given) => constantTimeEqual(given, right)))
}

function anyEqual(signatures: readonly string[], right: string): boolean {
  let found = false
  for (const signature of signatures) found = constantTimeEqual(signature, right) || found
  return found
}

function ed25519Matcher(key: Uint8Array<ArrayBuffer>, spelling: Spelling, option: string): Matcher {
  const problem = ed25519Problem(key)
  if (problem !== undefined) throw new ListenerConfigError(option, problem)
  return publicKeyMatcher('EdDSA', key, { name: 'Ed25519' }, (text) => DECODE[spelling](text))
}

function p256Matcher(spki: Uint8Array<ArrayBuffer>, spelling: Spelling, option: string): Matcher {
  const point = p256Point(spki)
  if (point === undefined)
    throw new ListenerConfigError(option, 'must be the SubjectPublicKeyInfo of a P-256 key')
  return publicKeyMatcher('ES256', point, { name: 'ECDSA', namedCurve: 'P-256' }, (text) => {
    const der = DECODE[spelling](text)
    return der && signatureOfDer(der)
  })
}

function publicKeyMatcher(
  algorithm: 'EdDSA' | 'ES256',
  bytes: Uint8Array<ArrayBuffer>,
  parameters: { readonly name: string; readonly namedCurve?: string },
  decode: (text: string) => Uint8Array<ArrayBuffer> | undefined,
): Matcher {
  const importKey = () => crypto.subtle.importKey('raw', bytes, parameters, false, ['verify'])
  // Caches the key, not its promise: workerd forbids awaiting another request's I/O.
  let imported: Awaited<ReturnType<typeof importKey>> | undefined
  return async (signatures, { before, body, after }) => {
    imported ??= await importKey()
    const message = bytesOf(before, body, after)
    let found = false
    for (const text of signatures) {
      const signature = text.length > LONGEST_SIGNATURE ? undefined : decode(text)
      if (signature) found = (await verifySignature(algorithm, imported, signature, message)) || found
    }
    return found
  }
}
