/** A value now or later. What is known now is used now: no needless turn of the event loop. */
export type MaybePromise<T> = T | Promise<T>

export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
