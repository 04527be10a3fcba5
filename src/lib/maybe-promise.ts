/** A value now or later. What is known now is used now: no needless turn of the event loop. */
export type MaybePromise<T> = T | Promise<T>

export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/** `next` of a value: now if it is known, later if not. */
export function whenKnown<T, U>(value: MaybePromise<T>, next: (value: T) => U): MaybePromise<U> {
  return isPromise(value) ? value.then(next) : next(value)
}
