import type { Authenticator } from '../auth/authenticator.ts'
import { type Delivery, headerOf } from '../delivery.ts'
import { mediaTypeOf } from '../lib/content-type.ts'
import { whenKnown } from '../lib/maybe-promise.ts'
import { memberOf } from '../lib/member-of.ts'
import type { Listener } from '../listener.ts'
import type { Scheme, SchemeOptions, SignedBytes } from '../scheme.ts'
import { schemeOf } from '../schemes/kit/define-scheme.ts'
import { FORM } from '../schemes/kit/form-fields.ts'
import { ALL_PARTS } from '../schemes/kit/row-parts.ts'
import { checkSignature } from './check-signature.ts'
import type { ConfiguredKey, ExpectedSender } from './expected-sender.ts'
import type { Guess } from './guess.ts'
import { bodyGuesses } from './guess-bodies.ts'
import { secretGuesses } from './guess-secrets.ts'
import { textGuesses, unitGuesses } from './guess-texts.ts'
import { urlGuesses } from './guess-urls.ts'
import { signatureForm } from './signature-form.ts'

/** What was found, and what it cost. */
export interface Found {
  /** The mistakes and their fixes. Empty if the signature fits as it is. Undefined if no guess fits. */
  readonly says: readonly string[] | undefined
  /** How many signatures were computed. */
  readonly signatures: number
}

/** The most signatures that are computed for one explanation. */
export const MOST_SIGNATURES = 1700
/** What a scheme's own code may compute in one call. */
const MOST_BY_CODE = 4
/** Several secrets are tried in turn, so none of them gets all of the signatures. */
const MOST_KEYS = 4
/** Of each kind, those that are also tried together with another mistake. */
const MOST_PAIRED = 12

/** How long the process does nothing else, in milliseconds: as long as one guess takes, or this. */
const LONGEST_TURN_MS = 3

/** Tries what may have been signed, by the checks that refused the delivery, until a guess fits. */
export async function tryGuesses(
  delivery: Delivery,
  listener: Listener<unknown>,
  expected: ExpectedSender,
): Promise<Found> {
  const { scheme } = expected
  const form = scheme.algorithm === 'code' ? { headers: {}, faults: [] } : signatureForm(delivery, scheme)
  if (typeof form === 'string') return { says: [form], signatures: 0 }
  const { headers, faults } = form
  const respelled = { ...delivery, header: (name: string) => headers[name] ?? delivery.header(name) }
  const count = { signatures: 0 }
  const keys = expected.keys.slice(0, MOST_KEYS)
  let since = performance.now()
  for (const [index, key] of keys.entries()) {
    const most = Math.floor((MOST_SIGNATURES * (index + 1)) / keys.length)
    const authOf = authMaker(expected, key, count)
    const check = async (guess: Guess) => {
      const auth = authOf(guess)
      return auth && checkSignature(asGuessed(respelled, guess), { ...listener, auth })
    }
    const asItCame = await check({ says: [] })
    if (asItCame && !asItCame.refusal) return { says: faults, signatures: count.signatures }
    const timestampText = asItCame?.verification.timestampText ?? ''
    for (const guess of guessesFor(respelled, listener, expected, key, timestampText)) {
      if (count.signatures + MOST_BY_CODE > most) break
      if (performance.now() - since > LONGEST_TURN_MS) {
        await new Promise((resolve) => setTimeout(resolve))
        since = performance.now()
      }
      const checked = await check(guess)
      if (checked && !checked.refusal) {
        return { says: [...faults, ...guess.says], signatures: count.signatures }
      }
    }
  }
  return { says: undefined, signatures: count.signatures }
}

/** The guess holds the whole signed URL. A GET has its fields in its own. */
function asGuessed(delivery: Delivery, { body = delivery.body, publicUrl }: Guess): Delivery {
  const isWhole = publicUrl !== undefined && delivery.method !== 'GET'
  return { ...delivery, url: isWhole ? undefined : delivery.url, body }
}

/**
 * What may have been signed in place of this delivery, with this secret: one mistake, then two. What
 * makes no difference under the scheme is left out.
 */
function* guessesFor(
  delivery: Delivery,
  { protocol }: Listener<unknown>,
  expected: ExpectedSender,
  { secret }: ConfiguredKey,
  timestampText: string,
): Iterable<Guess> {
  const secrets = secretGuesses(secret, expected)
  yield* secrets
  if (!expected.isSigned) return
  const isForm = mediaTypeOf(textOf(delivery, 'content-type')) === FORM
  const { common, rare, many } = bodyGuesses(delivery.body, isForm, expected)
  const texts = textGuesses(expected, protocol.idIsUuid ? textOf(delivery, protocol.eventIdHeader) : '')
  const urls = urlGuesses(delivery, expected)
  yield* common
  yield* urls
  yield* texts
  yield* rare
  yield* pairs(secrets, common)
  yield* pairs(secrets, texts)
  yield* pairs(common, texts)
  yield* pairs(secrets, urls)
  yield* unitGuesses(expected, timestampText)
  yield* many
}

/** Two mistakes at once, of the first few of each kind. */
function pairs(ones: readonly Guess[], others: readonly Guess[]): readonly Guess[] {
  return ones
    .slice(0, MOST_PAIRED)
    .flatMap((one) =>
      others.slice(0, MOST_PAIRED).map((other) => ({ ...one, ...other, says: [...one.says, ...other.says] })),
    )
}

function textOf(delivery: Delivery, name: string = ''): string {
  const value = headerOf(delivery, name)
  return typeof value === 'string' ? value : ''
}

/** Makes the scheme's `auth` as guessed. Keeps those that several guesses share, because importing a key takes time. */
function authMaker(
  expected: ExpectedSender,
  { option, secret }: ConfiguredKey,
  count: { signatures: number },
): (guess: Guess) => Authenticator | undefined {
  const made = new Map<string, Authenticator | undefined>()
  const make = (guess: Guess): Authenticator | undefined => {
    const { scheme, options, withOptions } = expected
    const { publicUrl = options.publicUrl } = guess
    const { secrets: _, publicKeys: __, ...others } = options
    const changed = {
      ...others,
      [option]: guess.secret ?? secret,
      ...(publicUrl !== undefined && { publicUrl }),
    }
    try {
      if (scheme.algorithm === 'code')
        return withOptions && counted(withOptions(changed), count, MOST_BY_CODE)
      const { signs = scheme.signs, key = scheme.key } = guess
      const row: Scheme = {
        ...scheme,
        secretMadeBy: 'user',
        key,
        signs: typeof signs === 'string' ? signs : countedTexts(signs, count),
      }
      const auth = schemeOf<SchemeOptions>(row, ALL_PARTS)(changed)
      return typeof signs === 'string' ? counted(auth, count, 1) : auth
    } catch (error) {
      if (memberOf(error, 'code') === 'ERR_LISTENER_CONFIG') return undefined // no such secret is possible
      throw error
    }
  }
  return (guess) => {
    const name = JSON.stringify([guess.secret, guess.key, guess.signs, guess.publicUrl])
    if (!made.has(name)) made.set(name, make(guess))
    return made.get(name)
  }
}

function counted(auth: Authenticator, count: { signatures: number }, each: number): Authenticator {
  return {
    ...auth,
    authenticate(evidence) {
      count.signatures += each
      return auth.authenticate(evidence)
    },
  }
}

function countedTexts(signs: SignedBytes, count: { signatures: number }): Scheme['signs'] {
  return (request) =>
    whenKnown(signs(request), (texts) => {
      count.signatures += texts?.length ?? 0
      return texts
    })
}
