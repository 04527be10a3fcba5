import { constantTimeEqual, hmacWith, sha256 } from '#crypto'
import type { Authentication, Authenticator } from '../../auth/authenticator.ts'
import type { Evidence } from '../../auth/evidence.ts'
import { namedSecrets, publicKeyText, type Secrets, secretText } from '../../auth/secrets.ts'
import { tryAll } from '../../auth/try-all.ts'
import type { HmacHash, Mac, Signed } from '../../crypto/algorithms.ts'
import { type Delivery, fieldText, headerOf } from '../../delivery.ts'
import { ListenerConfigError } from '../../errors.ts'
import type { EventAuth } from '../../event.ts'
import { WIDE } from '../../lib/bytes.ts'
import { memberAt, pointerSteps } from '../../lib/json.ts'
import { isPromise, type MaybePromise, whenKnown } from '../../lib/maybe-promise.ts'
import { type Failure, fail, mismatch } from '../../reason.ts'
import { coverageOf, hasKeyPair } from './compile-scheme.ts'
import { keyBytes } from './keys.ts'
import type { Algorithm, PublicKeyAlgorithm, Scheme, SchemeOptions, SignatureForm } from './scheme.ts'
import { type SignedValues, signedRequest, templateReader, type UrlText } from './signed-text.ts'

/** One configured secret or public key. */
interface SchemeKey {
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
  { url, publicKeys, query }: AuthenticationParts = {},
): Authenticator['authenticate'] {
  const { algorithm, signature, timestamp, fixedHeaders = {} } = scheme
  const { maxSignatures = MOST_SIGNATURES } = signature
  const fixed = Object.entries(fixedHeaders)
  const itemsOf = query?.(signature) ?? signatureReader(signature, algorithm === 'token')
  const signedOf = signedReader(scheme, options, url)
  const keys = keysOf(scheme, options, publicKeys)

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
    const signed = signedOf(evidence)
    return isPromise(signed)
      ? signed.then((known) => askKeys(evidence, keys, items, maxSignatures, known))
      : askKeys(evidence, keys, items, maxSignatures, signed)
  }
}

/** What only some rows need to authenticate a delivery. */
export interface AuthenticationParts {
  /** `signedUrlText`, for a row whose template has `{url}`. */
  readonly url?: SignedUrlText
  /** `publicKeyMatcher`, for a row with public keys, or `rsaKeyMatcher`, if they are of RSA. */
  readonly publicKeys?: PublicKeyMatcher
  /** `signatureInQuery`, for a row with `signature.query`. */
  readonly query?: SignatureInQuery
}

/** Makes the reader of a signature in the query. Undefined if it is elsewhere. `signatureInQuery` is the only one. */
export type SignatureInQuery = (
  form: SignatureForm,
) => ((evidence: Evidence) => readonly string[] | Refused) | undefined

/** Compiles the reader of `{url}`: `signedUrlText`, if the row signs the URL. */
export type SignedUrlText = (scheme: Scheme, publicUrl: string) => UrlText

/**
 * Reconstructs the byte strings that a signature may cover, most likely first. Undefined if a signed value is missing.
 */
export function signedReader(
  scheme: Scheme,
  { publicUrl = '' }: SchemeOptions,
  signedUrl?: SignedUrlText,
): (values: SignedValues) => MaybePromise<readonly Signed[] | undefined> {
  const { signs } = scheme
  if (typeof signs === 'string') {
    const read = templateReader(signs, signedUrl?.(scheme, publicUrl))
    return (values) => {
      const signed = read(values)
      return signed && [signed]
    }
  }
  const signedBy = signs.forUrl?.(publicUrl) ?? signs
  return (values) =>
    whenKnown(signedBy(signedRequest(values, publicUrl)), (signed) =>
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
  return isPromise(found) ? found.then((late) => nameKey(late?.key, keys)) : nameKey(found?.key, keys)
}

function nameKey(key: SchemeKey | undefined, keys: readonly SchemeKey[]): Authentication {
  return key?.auth ?? mismatch(`the signature matches none of the keys (${keys.length})`)
}

/** Of a signature, in characters. */
export const LONGEST_VALUE = 4096
const MOST_ITEMS = 64

type Refused = Failure<'auth_missing' | 'signature_mismatch'>

/**
 * Finds a delivery's signatures in the header or member that the scheme names. Repeated headers are refused, unless they are
 * lists or tokens: to split a token over two headers, one has to know it.
 */
export function signatureReader(
  form: SignatureForm,
  isToken = false,
): (evidence: Evidence) => readonly string[] | Refused {
  const { member, separator } = form
  const readHeader = isToken ? fieldText : separator?.includes(' ') ? listText : headerOf
  if (member === undefined) return ({ delivery }) => headerItems(form, delivery, readHeader)
  const steps = pointerSteps(member)
  return (evidence) => {
    const signature = memberAt(evidence.parsed(), steps)
    if (typeof signature !== 'string' || signature === '') return fail('auth_missing', `no ${member}`)
    return signature.length > LONGEST_VALUE ? tooLong(member) : [signature]
  }
}

/** A web runtime reports a value that contains `, ` as repeated. The same line twice is none. */
function listText(delivery: Delivery, name: string): ReturnType<typeof headerOf> {
  const value = headerOf(delivery, name)
  return typeof value === 'object' && new Set(value).size === value.length ? value.join(', ') : value
}

/** Splits the signature headers into items. Without a separator, each header is one item. Trims only spaces around `, `. */
function headerItems(
  { headers, separator }: SignatureForm,
  delivery: Delivery,
  readHeader: typeof headerOf,
): readonly string[] | Refused {
  const items: string[] = []
  for (const name of headers) {
    const text = readHeader(delivery, name)
    if (text === undefined) continue
    if (typeof text === 'object') return fail('signature_mismatch', `more than one ${name}`)
    if (text.length > LONGEST_VALUE) return tooLong(name)
    if (separator === undefined) items.push(text)
    // Supabase joins the signatures of Standard Webhooks by `, `, as its SDK takes them.
    else
      for (const item of text.split(separator === ' ' ? /,? / : separator.charAt(0)))
        items.push(separator === ', ' ? item.trim() : item)
  }
  if (items.length === 0) return fail('auth_missing', `no ${headers[0]}`)
  return items.length > Math.max(MOST_ITEMS, headers.length)
    ? fail('signature_mismatch', `${headers[0]} has over ${MOST_ITEMS} items`)
    : items
}

export function tooLong(place: string): Refused {
  return fail('signature_mismatch', `${place} is over ${LONGEST_VALUE} characters`)
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
  matcherOfPublicKey: PublicKeyMatcher | undefined,
): readonly SchemeKey[] {
  if (onHandshake !== undefined && secrets === undefined) return []
  const { signature, publicKey, name } = scheme
  const keysIn = (option: 'secrets' | 'publicKeys', given: Secrets) =>
    namedSecrets(given, option, option === 'secrets' ? secretText : publicKeyText).map(
      ({ id, secret }): SchemeKey => {
        const isSecondKind = publicKey && secret.includes(publicKey.key.base64After) // no base64 has an underscore
        const kind = isSecondKind ? publicKey : scheme
        const matches = matcherOf({ ...kind, signature }, secret, matcherOfPublicKey)
        if (typeof matches === 'string') throw new ListenerConfigError(option, matches)
        return {
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

/** Returns the problem of a malformed secret. */
function matcherOf(
  { algorithm, key, signature }: Signing<Algorithm>,
  secret: string,
  matcherOfPublicKey: PublicKeyMatcher | undefined,
): Matcher | string {
  if (algorithm === 'token') return tokenMatcher(secret)
  if (isMac(algorithm)) {
    const bytes = keyBytes(key, secret)
    return typeof bytes === 'string' ? bytes : macMatcher(macOf(algorithm, bytes, signature))
  }
  return (
    matcherOfPublicKey?.({ algorithm, key, signature }, secret) ??
    'needs publicKeyMatcher, as an argument of schemeOf'
  )
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
  return (signatures, { before, body, after }, times) => {
    const right = mac(before, body, after, times)
    return isPromise(right) ? right.then((known) => isOneOf(signatures, known)) : isOneOf(signatures, right)
  }
}

function isOneOf(signatures: readonly string[], right: string): boolean {
  return signatures.filter((signature) => constantTimeEqual(signature, right)).length > 0
}

/** Compares digests, which have equal lengths. A row may look for its token in several headers. */
function tokenMatcher(secret: string): Matcher {
  return (tokens, _signed) =>
    whenKnown(sha256(secret), (right) => {
      const isRight = (token: string) => whenKnown(sha256(token), (given) => constantTimeEqual(given, right))
      return whenKnown(tryAll(tokens, isRight), (found) => found !== undefined)
    })
}
