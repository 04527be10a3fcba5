import type { Authentication } from '../auth/authenticator.ts'
import type { Evidence } from '../auth/evidence.ts'
import { type Delivery, fieldText, headerOf } from '../delivery.ts'
import type { EventAuth } from '../event.ts'
import { memberAt, pointerSteps } from '../lib/json.ts'
import { isPromise, type MaybePromise } from '../lib/maybe-promise.ts'
import { type Failure, fail, mismatch } from '../reason.ts'
import type { Scheme, SignatureForm, Signed } from './scheme.ts'
import type { Matcher } from './verifiers.ts'

/** One configured secret or public key. */
export interface SchemeKey {
  readonly auth: EventAuth
  /** The prefix of its signatures. */
  readonly prefix: string
  readonly matches: Matcher
}

const MOST_SIGNATURES = 10

/** Compares every key with every signature. Never exits early, so the timing does not reveal which key matched. */
export function authenticateBy(
  { algorithm, signature, timestamp, fixedHeaders = {} }: Scheme,
  keys: readonly SchemeKey[],
  signedOf: (evidence: Evidence) => MaybePromise<readonly Signed[] | undefined>,
): (evidence: Evidence) => MaybePromise<Authentication> {
  const { maxSignatures = MOST_SIGNATURES } = signature
  const fixed = Object.entries(fixedHeaders)
  const itemsOf = signatureReader(signature, algorithm === 'token')

  return (evidence) => {
    const items = itemsOf(evidence)
    if ('reason' in items) return items
    const mismatched = fixed.find(([name, value]) => headerOf(evidence.delivery, name) !== value)
    if (mismatched) return fail('signature_mismatch', `${mismatched[0]} is not ${mismatched[1]}`)
    if (timestamp && 'item' in timestamp) {
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

function askKeys(
  evidence: Evidence,
  keys: readonly SchemeKey[],
  items: readonly string[],
  maxSignatures: number,
  signed: readonly Signed[] | undefined,
): MaybePromise<Authentication> {
  if (!signed?.length) return fail('signature_mismatch', 'a signed value is missing')
  evidence.signed = signed[0]
  const answers: MaybePromise<boolean>[] = []
  for (const { prefix, matches } of keys) {
    const signatures = itemsAfter(items, prefix, maxSignatures)
    for (const each of signed) answers.push(signatures.length > 0 && matches(signatures, each))
  }
  return answers.some(isPromise)
    ? Promise.all(answers).then((known) => nameKey(keys, known))
    : nameKey(keys, answers as boolean[]) // none of them is a promise
}

function nameKey(keys: readonly SchemeKey[], answers: readonly boolean[]): Authentication {
  const index = answers.indexOf(true)
  const key = keys[Math.floor((index * keys.length) / answers.length)]
  return index < 0 || key === undefined
    ? mismatch(`the signature matches none of the keys (${keys.length})`)
    : key.auth
}

const LONGEST_VALUE = 4096
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
  const readHeader = isToken || separator === ', ' ? fieldText : headerOf
  if (member === undefined) return ({ delivery }) => headerItems(form, delivery, readHeader)
  const steps = pointerSteps(member)
  return (evidence) => {
    const signature = memberAt(evidence.parsed(), steps)
    if (typeof signature !== 'string' || signature === '') return fail('auth_missing', `no ${member}`)
    return signature.length > LONGEST_VALUE ? tooLong(member) : [signature]
  }
}

/**
 * Splits the signature headers into items. Without a separator, each header is one item. Trims only spaces around `, `.
 */
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
    else
      for (const item of text.split(separator.charAt(0))) items.push(separator === ', ' ? item.trim() : item)
  }
  if (items.length === 0) return fail('auth_missing', `no ${headers[0]}`)
  return items.length > Math.max(MOST_ITEMS, headers.length)
    ? fail('signature_mismatch', `${headers[0]} has over ${MOST_ITEMS} items`)
    : items
}

function tooLong(place: string): Refused {
  return fail('signature_mismatch', `${place} is over ${LONGEST_VALUE} characters`)
}

/** Returns the items that start with the prefix, without it. Stops after `most` items. */
function itemsAfter(items: readonly string[], prefix: string, most: number): readonly string[] {
  if (prefix === '') return items.slice(0, most)
  const found: string[] = []
  for (const item of items) {
    if (found.length < most && item.startsWith(prefix)) found.push(item.slice(prefix.length))
  }
  return found
}
