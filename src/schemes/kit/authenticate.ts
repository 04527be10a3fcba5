import { constantTimeEqual, hmacWith } from '#crypto'
import type { Authentication, Authenticator } from '../../auth/authenticator.ts'
import type { Evidence } from '../../auth/evidence.ts'
import { namedSecrets, publicKeyText, type Secrets, secretText } from '../../auth/secrets.ts'
import { tryAll } from '../../auth/try-all.ts'
import type { HmacHash, Mac, Signed } from '../../crypto/algorithms.ts'
import { headerOf } from '../../delivery.ts'
import { ListenerConfigError } from '../../errors.ts'
import type { EventAuth } from '../../event.ts'
import { encodeUtf8, WIDE } from '../../lib/bytes.ts'
import { type MaybePromise, whenKnown } from '../../lib/maybe-promise.ts'
import { fail, fitsNone, type KeyKind, mismatch } from '../../reason.ts'
import type { Algorithm, PublicKeyAlgorithm, Scheme, SchemeOptions, SignatureForm } from '../../scheme.ts'
import { coverageOf, hasKeyPair } from './compile-scheme.ts'
import type { keyBytes } from './keys.ts'
import type { PreAuthBody } from './pre-auth-body.ts'
import { type SignatureElsewhere, signatureReader } from './signatures.ts'
import { type SignedValues, type signedRequest, templateReader, type UrlText } from './signed-text.ts'

/** One configured secret or public key. */
interface SchemeKey {
  readonly kind: KeyKind
  readonly auth: EventAuth
  /** The prefix of its signatures. */
  readonly prefix: string
  /** Also compared with items that lack the prefix. */
  readonly prefixOptional?: true | undefined
  readonly matches: Matcher
}

const MOST_SIGNATURES = 10

/**
 * Makes the `authenticate` of a row: it compares every key with every signature.
 *
 * @throws ListenerConfigError if a secret or key is missing or malformed.
 */
export function authenticateBy(
  scheme: Scheme,
  options: SchemeOptions,
  parts: AuthenticationParts = {},
): Authenticator['authenticate'] {
  const { algorithm, signature, timestamp, fixedHeaders = {} } = scheme
  const { maxSignatures = MOST_SIGNATURES } = signature
  const fixed = Object.entries(fixedHeaders)
  const { preAuth, query, tokens } = parts
  const headerText = algorithm === 'token' ? tokens?.headerText : undefined
  const itemsOf =
    query?.(signature) ?? preAuth?.signatureIn(signature) ?? signatureReader(signature, headerText)
  const signedOf = signedReader(scheme, options, parts)
  const keys = keysOf(scheme, options, parts)

  return (evidence) => {
    const found = itemsOf(evidence)
    if ('reason' in found) return found
    let items = found
    const mismatched = fixed.find(([name, value]) => headerOf(evidence.delivery, name) !== value)
    if (mismatched) return fail('signature_mismatch', `${mismatched[0]} is not ${mismatched[1]}`)
    if (timestamp && 'item' in timestamp && timestamp.item === '') {
      evidence.timestampText = items[0] ?? ''
      items = items.slice(1)
    } else if (timestamp && 'item' in timestamp) {
      const [time, another] = itemsAfter(items, timestamp.item, 2)
      if (time === undefined || another !== undefined) {
        return fail('signature_mismatch', `the signature header must contain ${timestamp.item} exactly once`)
      }
      evidence.timestampText = time
    }
    return whenKnown(signedOf(evidence), (signed) => askKeys(evidence, keys, items, maxSignatures, signed))
  }
}

/** What only some rows need to authenticate a delivery. */
export interface AuthenticationParts {
  /** `signedUrlText`, for a row whose template has `{url}`. */
  readonly url?: SignedUrlText
  /** `publicKeyMatcher`, for a row with public keys, or `rsaKeyMatcher`, if they are of RSA. */
  readonly publicKeys?: PublicKeyMatcher
  /** `keyBytes`, for a row whose `key` is no text. */
  readonly keys?: typeof keyBytes
  /** `TOKENS`, for a row whose sender sends a token and signs nothing. */
  readonly tokens?: Tokens
  /** `PRE_AUTH_BODY`, for a row that reads the body to authenticate it. */
  readonly preAuth?: PreAuthBody
  /** `signatureInQuery`, for a row with `signature.query`. */
  readonly query?: SignatureElsewhere
  /** `signedRequest`, for a row whose `signs` is a function. */
  readonly requests?: typeof signedRequest
}

/** How a token is read and compared. `TOKENS` is the only one. */
export interface Tokens {
  readonly headerText: typeof headerOf
  readonly matcherOf: (secret: string) => Matcher
}

/** Compiles the reader of `{url}`: `signedUrlText`, if the row signs the URL. */
export type SignedUrlText = (scheme: Scheme, publicUrl: string) => UrlText

/**
 * Reconstructs the byte strings that a signature may cover, most likely first. Undefined if a signed value is missing.
 */
export function signedReader(
  scheme: Scheme,
  { publicUrl = '' }: SchemeOptions,
  { url, preAuth, requests }: Pick<AuthenticationParts, 'url' | 'preAuth' | 'requests'>,
): (values: SignedValues) => MaybePromise<readonly Signed[] | undefined> {
  const { signs } = scheme
  if (typeof signs === 'string') {
    const read = templateReader(signs, url?.(scheme, publicUrl), preAuth?.memberText)
    return (values) => {
      const signed = read(values)
      return signed && [signed]
    }
  }
  const signedBy = signs.forUrl?.(publicUrl) ?? signs
  return (values) =>
    whenKnown(requests && signedBy(requests(values, publicUrl)), (signed) =>
      signed?.map((each) => ('before' in each ? each : { before: '', body: each, after: '' })),
    )
}

function askKeys(
  evidence: Evidence,
  keys: readonly SchemeKey[],
  items: readonly string[],
  maxSignatures: number,
  signed: readonly Signed[] | undefined,
): MaybePromise<Authentication> {
  if (!signed?.length) return fail('signature_mismatch', 'a signed value is missing')
  for (const { before, after } of signed) {
    if (WIDE.test(before) || WIDE.test(after)) {
      return fail('signature_mismatch', 'a signed value has a character above U+00FF, which is no byte')
    }
  }
  evidence.signed = signed[0]
  const attempts = keys.flatMap((key) => signed.map((each) => ({ key, each })))
  const found = tryAll(attempts, ({ key: { prefix, prefixOptional, matches }, each }) => {
    const signatures = itemsAfter(items, prefix, maxSignatures, prefixOptional)
    return signatures.length > 0 && matches(signatures, each, attempts.length)
  })
  return whenKnown(found, (match) => match?.key.auth ?? mismatch(fitsNone(keys.length, keys[0]?.kind)))
}

/** Returns the items that start with the prefix, without it, and all others if it is optional. Stops after `most` items. */
function itemsAfter(
  items: readonly string[],
  prefix: string,
  most: number,
  isOptional = false,
): readonly string[] {
  if (prefix === '') return items.slice(0, most)
  const found: string[] = []
  for (const item of items) {
    const isPrefixed = item.startsWith(prefix)
    if (found.length < most && (isPrefixed || isOptional))
      found.push(isPrefixed ? item.slice(prefix.length) : item)
  }
  return found
}

function keysOf(
  scheme: Scheme,
  { secrets, publicKeys, onHandshake }: SchemeOptions,
  parts: AuthenticationParts,
): readonly SchemeKey[] {
  if (onHandshake !== undefined && secrets === undefined) return []
  const { signature, publicKey, name } = scheme
  const keysIn = (option: 'secrets' | 'publicKeys', given: Secrets) =>
    namedSecrets(given, option, option === 'secrets' ? secretText : publicKeyText).map(
      ({ id, secret }): SchemeKey => {
        // A public key is never a secret, whatever it looks like. No base64 has the underscore of the prefix.
        const isSecondKind =
          publicKey && (option === 'publicKeys' || secret.includes(publicKey.key.base64After))
        const kind = isSecondKind ? publicKey : scheme
        const matches = matcherOf({ ...kind, signature }, secret, parts)
        if (typeof matches === 'string') throw new ListenerConfigError(option, matches)
        return {
          kind: option === 'publicKeys' || isSecondKind ? 'public key' : 'secret',
          auth: Object.freeze({ method: 'scheme', scheme: name, secretId: id, covers: coverageOf(scheme) }),
          prefix: (isSecondKind ? publicKey.prefix : signature.prefix) ?? '',
          prefixOptional: signature.prefixOptional,
          matches,
        }
      },
    )
  const isPair = publicKeys !== undefined || (secrets === undefined && hasKeyPair(scheme))
  return [
    ...(secrets !== undefined || !isPair ? keysIn('secrets', secrets) : []),
    ...(isPair ? keysIn('publicKeys', publicKeys) : []),
  ]
}

/**
 * Whether one of the texts is a signature of these bytes. Tries every text, so the timing does not reveal which one
 * matched. `times` is how many keys and byte strings are tried.
 */
export type Matcher = (signatures: readonly string[], signed: Signed, times: number) => MaybePromise<boolean>

type Signing<Of extends Algorithm> = Pick<Scheme, 'key' | 'signature'> & { readonly algorithm: Of }

/** Makes the matcher of a public key, or says what is wrong with the key. `publicKeyMatcher`, or `rsaKeyMatcher`. */
export type PublicKeyMatcher = (signing: Signing<PublicKeyAlgorithm>, secret: string) => Matcher | string

const textBytes: typeof keyBytes = (_form, secret) => encodeUtf8(secret)

/** Returns the problem of a malformed secret. */
function matcherOf(
  { algorithm, key, signature }: Signing<Algorithm>,
  secret: string,
  { publicKeys, tokens, keys = textBytes }: AuthenticationParts,
): Matcher | string {
  if (isMac(algorithm)) {
    const bytes = keys(key, secret)
    return typeof bytes === 'string' ? bytes : macMatcher(macOf(algorithm, bytes, signature))
  }
  const matches =
    algorithm === 'token' ? tokens?.matcherOf(secret) : publicKeys?.({ algorithm, key, signature }, secret)
  return matches ?? 'needs TOKENS or publicKeyMatcher, as an argument of schemeOf'
}

type MacAlgorithm = `hmac-${HmacHash}`

/** Whether a sender signs with a shared secret. */
export const isMac = (algorithm: Algorithm): algorithm is MacAlgorithm => algorithm.startsWith('hmac')

/** Computes the text that a signature must be, without its prefix. */
export function macOf(
  algorithm: MacAlgorithm,
  key: Uint8Array,
  { spelling = 'hex' }: Pick<SignatureForm, 'spelling'>,
): Mac {
  const hash = algorithm.slice(5) as HmacHash // what follows `hmac-`
  if (spelling !== 'upper-case-hex') return hmacWith(hash, key, spelling)
  const mac = hmacWith(hash, key, 'hex')
  return (...signed) => whenKnown(mac(...signed), (text) => text.toUpperCase())
}

/** Compares texts, so only the canonical encoding matches. */
function macMatcher(mac: Mac): Matcher {
  return (signatures, { before, body, after }, times) =>
    whenKnown(
      mac(before, body, after, times),
      (right) => signatures.filter((signature) => constantTimeEqual(signature, right)).length > 0,
    )
}
