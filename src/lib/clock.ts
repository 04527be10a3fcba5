import { ListenerConfigError } from '../errors.ts'
import { ignoreRejection } from './hooks.ts'

/** A source of time in milliseconds. The default is usually `Date`. */
export interface Clock {
  /** The time now. */
  now(): number
}

/** @throws ListenerConfigError if the clock answers with no number, e.g. a promise. */
export function timeOf(clock: Clock): number {
  const now: unknown = clock.now()
  if (typeof now === 'number') return now
  ignoreRejection(now)
  throw new ListenerConfigError('clock', 'now() must return a number of milliseconds')
}

/** Settles like `work`, or rejects with the error of `late` after `milliseconds`. */
export function withDeadline<T>(work: PromiseLike<T>, milliseconds: number, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), milliseconds)
    work.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
