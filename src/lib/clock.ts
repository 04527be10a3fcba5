/** A source of time in milliseconds. The default is usually `Date`. */
export interface Clock {
  /** The time now. */
  now(): number
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
