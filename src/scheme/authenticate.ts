import type { Authentication } from '../auth/authenticator.ts'
import type { Evidence } from '../auth/evidence.ts'
import { headerOf } from '../delivery.ts'
import type { EventAuth } from '../event.ts'
import { fail } from '../failure.ts'
import { isPromise, type MaybePromise } from '../lib/maybe-promise.ts'
import type { Scheme } from './scheme.ts'
import { itemsAfter, signatureReader } from './signature-items.ts'
import type { Signed } from './signed-text.ts'
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
  const { atMost = MOST_SIGNATURES } = signature
  const fixed = Object.entries(fixedHeaders)
  const itemsOf = signatureReader(signature, algorithm === 'token')

  return (evidence) => {
    const items = itemsOf(evidence)
    if ('reason' in items) return items
    const stranger = fixed.find(([name, value]) => headerOf(evidence.delivery, name) !== value)
    if (stranger) return fail('signature_mismatch', `${stranger[0]} is not ${stranger[1]}`)
    if (timestamp && 'item' in timestamp) {
      const [time, another] = itemsAfter(items, timestamp.item, 2)
      if (time === undefined || another !== undefined) {
        return fail('signature_mismatch', `the signature header must contain ${timestamp.item} exactly once`)
      }
      evidence.timestampText = time
    }
    const signed = signedOf(evidence)
    return isPromise(signed)
      ? signed.then((known) => askKeys(evidence, keys, items, atMost, known))
      : askKeys(evidence, keys, items, atMost, signed)
  }
}

function askKeys(
  evidence: Evidence,
  keys: readonly SchemeKey[],
  items: readonly string[],
  atMost: number,
  signed: readonly Signed[] | undefined,
): MaybePromise<Authentication> {
  if (!signed?.length) return fail('signature_mismatch', 'a signed value is missing')
  evidence.signed = signed[0]
  const answers: MaybePromise<boolean>[] = []
  for (const { prefix, matches } of keys) {
    const signatures = itemsAfter(items, prefix, atMost)
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
    ? fail('signature_mismatch', `the signature matches none of the keys (${keys.length})`)
    : key.auth
}
