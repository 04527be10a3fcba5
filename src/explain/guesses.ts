import { type Delivery, headerOf } from '../delivery.ts'
import { mediaTypeOf } from '../lib/content-type.ts'
import { type Guess, pairs } from './guess.ts'
import { bodyGuesses } from './guess-bodies.ts'
import { secretGuesses } from './guess-secrets.ts'
import { textGuesses, unitGuesses } from './guess-texts.ts'
import { urlGuesses } from './guess-urls.ts'
import type { ConfiguredKey, ExpectedSender } from './expected-sender.ts'

/** Of each kind, those that are also tried together with another mistake. */
const MOST_PAIRED = 12

/**
 * What may have been signed in place of this delivery, with this secret: one mistake, then two. What
 * makes no difference under the scheme is left out.
 */
export function guessesFor(
  delivery: Delivery,
  expected: ExpectedSender,
  key: ConfiguredKey,
  timestampText: string,
): readonly Guess[] {
  const secrets = secretGuesses(key, expected)
  if (expected.covers === 'token' || expected.covers === 'nothing') return secrets
  const { common, rare } = bodyGuesses(delivery.body, isForm(delivery), expected)
  const texts = textGuesses(expected, textOf(delivery, expected.isOwn ? 'webhook-event-id' : ''))
  const urls = urlGuesses(delivery, expected)
  const few = (guesses: readonly Guess[]) => guesses.slice(0, MOST_PAIRED)
  return [
    ...secrets,
    ...common,
    ...urls,
    ...texts,
    ...rare,
    ...pairs(few(secrets), few(common)),
    ...pairs(few(secrets), few(texts)),
    ...pairs(few(common), few(texts)),
    ...pairs(few(secrets), few(urls)),
    ...unitGuesses(expected, timestampText),
  ]
}

function isForm(delivery: Delivery): boolean {
  return mediaTypeOf(textOf(delivery, 'content-type')) === 'application/x-www-form-urlencoded'
}

function textOf(delivery: Delivery, name: string): string {
  const value = name === '' ? undefined : headerOf(delivery, name)
  return typeof value === 'string' ? value : ''
}
