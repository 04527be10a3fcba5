/** Timers count in 32 bits: 24.8 days. A longer one would go off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Settles like `work`, unless `milliseconds` pass first: then it rejects with what `late` makes. */
export function withDeadline<T>(work: PromiseLike<T>, milliseconds: number, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), Math.min(milliseconds, LONGEST_TIMER_MS))
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
