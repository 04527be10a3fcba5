import type { MaybePromise } from '../lib/maybe-promise.ts'

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
  let found: T | undefined
  let late: Promise<T | undefined> | undefined
  for (const candidate of candidates) {
    const answer = matches(candidate)
    if (late !== undefined || typeof answer !== 'boolean') late = firstOf(late ?? found, answer, candidate)
    else if (answer) found ??= candidate
  }
  return late ?? found
}

async function firstOf<T>(
  earlier: MaybePromise<T | undefined>,
  answer: MaybePromise<boolean>,
  candidate: T,
): Promise<T | undefined> {
  const [found, isMatch] = await Promise.all([earlier, answer])
  return found ?? (isMatch ? candidate : undefined)
}
