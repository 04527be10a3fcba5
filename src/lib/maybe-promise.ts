/** A value now or later. What is known now is used now: no needless turn of the event loop. */
export type MaybePromise<T> = T | Promise<T>

export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  // Not `in`, for which engines have no short way.
  return typeof value === 'object' && typeof (value as { then?: unknown } | null)?.then === 'function'
}

/** `next` of a value: now if it is known, later if not. */
export function whenKnown<T, U>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return isPromise(value) ? value.then(next) : next(value)
}
