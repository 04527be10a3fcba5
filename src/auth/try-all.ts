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
  const answers: MaybePromise<boolean>[] = []
  let mustWait = false
  for (const candidate of candidates) {
    const answer = matches(candidate)
    mustWait ||= isPromise(answer)
    answers.push(answer)
  }
  return mustWait
    ? Promise.all(answers).then((known) => candidates[known.indexOf(true)])
    : candidates[answers.indexOf(true)]
}
