import { isPromise, type MaybePromise } from '../lib/maybe-promise.ts'

/**
 * The first of the candidates, e.g. of the keys, that matches. Tries all of them, so that the timing does not reveal which one it
 * is. Synchronous if `matches` is.
 */
export function tryAll<T>(candidates: readonly T[], matches: (candidate: T) => boolean): T | undefined
export function tryAll<T>(
  candidates: readonly T[],
  matches: (candidate: T) => MaybePromise<boolean>,
): MaybePromise<T | undefined>
export function tryAll<T>(
  candidates: readonly T[],
  matches: (candidate: T) => MaybePromise<boolean>,
): MaybePromise<T | undefined> {
  const answers = candidates.map((candidate) => matches(candidate))
  return answers.some(isPromise)
    ? Promise.all(answers).then((known) => candidates[known.indexOf(true)])
    : candidates[answers.indexOf(true)]
}
